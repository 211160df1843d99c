import { PassThrough, type Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import {
  badRequest,
  clientCancelled,
  diskFull,
  payloadTooLarge,
  stoppingNow,
  tooManyUploads,
  tooSlow
} from '../../http/errors.ts'
import { boundaryOf, type FormPart, readMultipart } from '../../http/multipart.ts'
import type { Tally } from '../../lib/tally.ts'
import { HOUR } from '../../lib/unix-time.ts'
import type { FileDeps } from './deps.ts'
import { fileNameFault, mediaType } from './file-name.ts'
import type { FileLimits } from './files.ts'
import { type Incoming, NoRoomForFile, TooLarge } from './store.ts'

export const MAX_FILE = 31_457_280
/** How many files one request may have. */
export const MAX_FILES = 20
/** Files and other form fields. */
const MAX_PARTS = 2 * MAX_FILES
const MAX_FIELD_BYTES = 64 * 1024

const MAX_UPLOADS_PER_CALLER = 4
/** How long one request may take, even if it sends data all the time. */
const MAX_REQUEST_MS = HOUR

export type Upload = { name: string; mime: string; incoming: Incoming }

/** The future owner of the files, and how much space it has left. */
export type UploadQuota = {
  owner: string
  left: () => Promise<FileLimits>
  full: (of: keyof FileLimits) => Error
}

type Parts = Pick<Deps & FileDeps, 'files' | 'shares' | 'uploading' | 'clock'>

type Arrival = { uploads: Upload[]; share: Share; until: number }

class Stopping extends Error {}
class Late extends Error {}

/** Receives the files of requests. Each caller and each tenant has a limit of uploads at once. */
export class Uploads {
  readonly #parts: Parts
  readonly #stop: AbortSignal

  constructor(parts: Parts, stop: AbortSignal) {
    this.#parts = parts
    this.#stop = stop
  }

  /**
   * Receives all files of the request and passes them to `use`. Files that `use` does not place are
   * removed.
   */
  async receive<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    quota: UploadQuota,
    use: (uploads: readonly Upload[]) => Promise<T>
  ): Promise<T> {
    const done = this.#begin(request.principal.owner)
    const until = this.#parts.clock() + MAX_REQUEST_MS
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
      // The sweep removes later what cannot be removed now.
      for (const { incoming } of uploads) await incoming.discard().catch(() => {})
    }
  }

  async #read(request: FastifyRequest, reply: FastifyReply, arrival: Arrival): Promise<void> {
    const { uploads, until } = arrival
    const boundary = boundaryOf(request.headers['content-type'])
    const body = request.body as Readable | undefined
    // A separate stream: if it ends early, the connection stays open for the answer.
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
      // Read and drop the rest of the body, so that the client finishes and reads the error.
      body?.unpipe(input).resume()
      if (this.#stop.aborted) hangUpAfter(request, reply)
    }
  }

  /** Stops a body that takes too long. `watchBody` ends one that sends nothing. */
  async *#inTime(input: AsyncIterable<Buffer>, until: number): AsyncGenerator<Buffer> {
    for await (const bytes of input) {
      if (this.#parts.clock() > until) throw new Late()
      yield bytes
    }
  }

  async #take(
    name: string,
    { type, content }: Pick<FormPart, 'type' | 'content'>,
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
    if (callers.of(caller) >= MAX_UPLOADS_PER_CALLER) throw tooManyUploads(MAX_UPLOADS_PER_CALLER)
    callers.add(caller, 1)
    return () => callers.add(caller, -1)
  }
}

/** Counts the bytes of one upload against a quota while they arrive. */
class Share {
  readonly #arriving: Tally
  readonly #quota: UploadQuota
  #own = 0
  #left = 0

  constructor(arriving: Tally, quota: UploadQuota) {
    this.#arriving = arriving
    this.#quota = quota
  }

  async check(files: number): Promise<void> {
    // Read before the registry: an upload that ends in between is counted twice, never missed.
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

/** Skips a field that is not a file; its length is limited. */
async function passOver(content: AsyncIterable<Buffer>): Promise<void> {
  let size = 0
  for await (const bytes of content) {
    size += bytes.length
    if (size > MAX_FIELD_BYTES) throw payloadTooLarge()
  }
}

function explained(error: unknown, { raw }: FastifyRequest): unknown {
  if (raw.destroyed && !raw.complete) return clientCancelled()
  if (error instanceof TooLarge) return payloadTooLarge()
  if (error instanceof NoRoomForFile) return diskFull()
  if (error instanceof Late) return tooSlow()
  return error instanceof Stopping ? stoppingNow() : error
}
