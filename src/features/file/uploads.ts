import { PassThrough, type Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { type Incoming, NoRoom, TooLarge } from '../../file-store.ts'
import {
  badRequest,
  clientCancelled,
  diskFull,
  payloadTooLarge,
  stoppingNow,
  tooManyUploads,
  tooSlow
} from '../../http/errors.ts'
import { boundaryOf, type Part, readMultipart } from '../../http/multipart.ts'
import { fileNameFault, mediaType } from '../../lib/file-name.ts'
import type { Tally } from '../../lib/tally.ts'
import { HOUR } from '../../lib/unix-time.ts'
import type { FileLimits } from '../../registry/files.ts'

export const MAX_FILE = 31_457_280
/** In one request. */
export const MAX_FILES = 20
/** Files and whatever fields come along. */
const MAX_PARTS = 2 * MAX_FILES
const MAX_FIELD = 64 * 1024

const AT_ONCE_EACH = 4
/** Of one request, however steadily it trickles. */
const MAX_TIME = HOUR

export type Upload = { name: string; mime: string; incoming: Incoming }

/** Of whom the files will be, and what that one may still have. */
export type Quota = {
  owner: string
  left: () => Promise<FileLimits>
  full: (of: keyof FileLimits) => Error
}

type Parts = Pick<Deps, 'files' | 'shares' | 'uploading' | 'clock'>

type Arrival = { uploads: Upload[]; share: Share; until: number }

class Stopping extends Error {}
class Late extends Error {}

/** Receives the files of requests; how many at once is bounded, for each caller and each tenant. */
export class Uploads {
  readonly #parts: Parts
  readonly #stop: AbortSignal

  constructor(parts: Parts, stop: AbortSignal) {
    this.#parts = parts
    this.#stop = stop
  }

  /** Hands every file of the request, received but not placed, to `use`; what is not placed by then goes. */
  async receive<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    quota: Quota,
    use: (uploads: readonly Upload[]) => Promise<T>
  ): Promise<T> {
    const done = this.#begin(request.principal.owner)
    const until = this.#parts.clock() + MAX_TIME
    const share = new Share(this.#parts.uploading.bytes, quota)
    const uploads: Upload[] = []
    try {
      await this.#parts.shares.take('uploads', request, reply)
      await this.#read(request, reply, { uploads, share, until })
      await share.check(uploads.length)
      return await use(uploads)
    } finally {
      done()
      share.end()
      // What cannot be removed now is swept later.
      for (const { incoming } of uploads) await incoming.discard().catch(() => {})
    }
  }

  async #read(request: FastifyRequest, reply: FastifyReply, arrival: Arrival): Promise<void> {
    const { uploads, until } = arrival
    const boundary = boundaryOf(request.headers['content-type'])
    const body = request.body as Readable | undefined
    // A stream of its own: whatever ends it, the connection is left to carry the answer.
    const input = new PassThrough()
    body?.once('error', (error) => input.destroy(error))
    if (body) body.pipe(input)
    else input.end()
    const end = () => input.destroy(new Stopping())
    this.#stop.addEventListener('abort', end)
    try {
      for await (const part of readMultipart(this.#inTime(input, until), {
        boundary,
        maxParts: MAX_PARTS
      })) {
        if (part.filename === undefined) await passOver(part.content)
        else if (uploads.length >= MAX_FILES) throw badRequest(`at most ${MAX_FILES} files`)
        else await this.#take(part.filename, part, arrival)
      }
      if (uploads.length === 0) throw badRequest('a part with a filename is required')
    } catch (error) {
      if (error instanceof Late) hangUpAfter(request, reply)
      throw explained(error, request)
    } finally {
      this.#stop.removeEventListener('abort', end)
      // Who is still sending can finish and then reads why it was for nothing.
      body?.unpipe(input).resume()
      if (this.#stop.aborted) hangUpAfter(request, reply)
    }
  }

  /** Who sends nothing at all is let go by `watchBodies`. */
  async *#inTime(input: AsyncIterable<Buffer>, until: number): AsyncGenerator<Buffer> {
    for await (const bytes of input) {
      if (this.#parts.clock() > until) throw new Late()
      yield bytes
    }
  }

  async #take(
    name: string,
    { type, content }: Pick<Part, 'type' | 'content'>,
    { uploads, share }: Arrival
  ): Promise<void> {
    const fault = fileNameFault(name)
    if (fault) throw badRequest(fault)
    await share.check(uploads.length + 1)
    const incoming = await this.#parts.files.receive(MAX_FILE)
    uploads.push({ name, mime: mediaType(type), incoming })
    for await (const bytes of content) {
      share.take(bytes.length)
      await incoming.write(bytes)
    }
    await incoming.finish()
  }

  #begin(caller: string): () => void {
    const { callers } = this.#parts.uploading
    if (callers.of(caller) >= AT_ONCE_EACH) throw tooManyUploads(AT_ONCE_EACH)
    callers.add(caller, 1)
    return () => callers.add(caller, -1)
  }
}

/** What one upload takes of a quota while it arrives. */
class Share {
  readonly #arriving: Tally
  readonly #quota: Quota
  #own = 0
  #left = 0

  constructor(arriving: Tally, quota: Quota) {
    this.#arriving = arriving
    this.#quota = quota
  }

  async check(files: number): Promise<void> {
    // Before the registry is asked: what stops arriving after this may not be there yet.
    const arriving = this.#arriving.of(this.#quota.owner)
    const left = await this.#quota.left()
    if (files > left.files) throw this.#quota.full('files')
    if (arriving > left.bytes) throw this.#quota.full('bytes')
    this.#left = left.bytes
  }

  take(bytes: number): void {
    const { owner, full } = this.#quota
    this.#own += bytes
    this.#arriving.add(owner, bytes)
    if (this.#arriving.of(owner) > this.#left) throw full('bytes')
  }

  end(): void {
    this.#arriving.add(this.#quota.owner, -this.#own)
  }
}

const hangUpAfter = (request: FastifyRequest, reply: FastifyReply) =>
  reply.raw.once('finish', () => request.raw.socket.destroySoon())

/** A field that is no file has no use, and no great length. */
async function passOver(content: AsyncIterable<Buffer>): Promise<void> {
  let size = 0
  for await (const bytes of content) {
    size += bytes.length
    if (size > MAX_FIELD) throw payloadTooLarge()
  }
}

function explained(error: unknown, { raw }: FastifyRequest): unknown {
  if (raw.destroyed && !raw.complete) return clientCancelled()
  if (error instanceof TooLarge) return payloadTooLarge()
  if (error instanceof NoRoom) return diskFull()
  if (error instanceof Late) return tooSlow()
  return error instanceof Stopping ? stoppingNow() : error
}
