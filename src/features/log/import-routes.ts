import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGunzip, type Gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { onInstallation } from '../../access/guard.ts'
import { executes } from '../../access/trace.ts'
import type { Deps, Routes } from '../../deps.ts'
import { ApiError, clientCancelled, importStopped, unsupportedEncoding } from '../../http/errors.ts'
import { stopping } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { EndlessField } from '../../lib/csv.ts'
import { SampleFile } from '../../lib/sample-file.ts'
import type { LineForm } from '../../lib/sample-lines.ts'
import { FILE_TYPES, ImportResult } from './file-schema.ts'
import { ImportRun, NoRoom, OverQuota, TooManyFaults } from './import-run.ts'

class Stopping extends Error {}
class HungUp extends Error {}
/** A compressed body unfolds to more than it may. */
class Unfolds extends Error {}
const diskFull = (stored: number) =>
  importStopped(507, 'The disk is full up to its reserve', stored)

/** Bytes that are read without a look at the clock: some hundred lines, however bad they are. */
const SLICE_BYTES = 2048
/** Reading goes on for this long before others have a turn. */
const TURN_MS = 4
/** Of a compressed body: a connection that nobody reads from does not tell that its sender is gone. */
const READ_AHEAD_BYTES = 1024 * 1024
/** What a compressed body unfolds to, for each of its bytes; samples stay far below it. */
const MAX_RATIO = 250
/** Up to here the ratio does not matter. */
const SMALL_BYTES = 32 * 1024 * 1024

/** [ADR-0012] A file of samples of any length, straight to history. */
export const logImportRoutes: Routes = (app, deps) => {
  const stop = stopping(app)
  // Here a body is a stream, and no parser holds it in memory.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.post(
    '/:installation_id/import',
    {
      schema: {
        tags: ['Log'],
        summary: 'Takes historic values from a file, CSV or NDJSON',
        params: InstallationParams,
        consumes: Object.values(FILE_TYPES),
        response: { 200: ImportResult }
      },
      config: {
        access: onInstallation('mqtt/publish'),
        evenWhenFull: 'asks itself',
        trace: executes('installation', 'installation_id', 'imported samples into'),
        body: Type.String({
          description: 'A line for each value; also with Content-Encoding: gzip'
        })
      }
    },
    async (request, reply) => {
      if (!deps.hasRoom()) throw diskFull(0)
      const free = await deps.shares.take('imports', request, reply)
      const body = request.body as Readable | undefined
      const { intake, input } = unpacked(request, body)
      const end = () => input.destroy(new Stopping())
      const leave = () => input.destroy(new HungUp())
      stop.addEventListener('abort', end)
      reply.raw.once('close', leave)
      try {
        return await read(request, input)
      } finally {
        free()
        stop.removeEventListener('abort', end)
        reply.raw.off('close', leave)
        // Who is still sending can finish and then reads why it was for nothing.
        body?.unpipe(intake).resume()
        if (stop.aborted) reply.raw.once('finish', () => request.raw.socket.destroySoon())
      }
    }
  )

  async function read(request: FastifyRequest, input: Readable) {
    const run = new ImportRun(deps, request.installation)
    const limits = new UnfoldLimits(input, deps.importLimits)
    const file = new SampleFile(
      formOf(request),
      (fields, line) => run.take(fields, line),
      (message, line) => run.reject(message, line)
    )
    try {
      let began = performance.now()
      for await (const slice of slices(input)) {
        file.push(slice)
        limits.check(slice.length, file.lines)
        const isFull = run.isFull
        if (isFull) await run.store()
        if (!isFull && performance.now() - began < TURN_MS) continue
        await nextTurn()
        began = performance.now()
      }
      file.end()
      return await run.finish()
    } catch (error) {
      await run.settled()
      throw stopped(error as NodeJS.ErrnoException, run.stored, request)
    } finally {
      run.release()
    }
  }
}

async function* slices(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const portion of input) {
    for (let start = 0; start < portion.length; start += SLICE_BYTES) {
      yield portion.subarray(start, start + SLICE_BYTES)
    }
  }
}

/** Who sends a body as it is pays for each byte; a compressed one may unfold to so much. */
class UnfoldLimits {
  readonly #packed: Gunzip | undefined
  readonly #max: Deps['importLimits']
  #bytes = 0

  constructor(input: Readable, max: Deps['importLimits']) {
    this.#packed = 'bytesWritten' in input ? (input as Gunzip) : undefined
    this.#max = max
  }

  check(bytes: number, lines: number): void {
    if (!this.#packed) return
    this.#bytes += bytes
    const { bytes: maxBytes, lines: maxLines } = this.#max
    if (this.#bytes > maxBytes) throw new Unfolds(`more than ${maxBytes / 1024 / 1024} MiB`)
    if (lines > maxLines) throw new Unfolds(`more than ${maxLines} lines`)
    if (this.#bytes > SMALL_BYTES && this.#bytes > MAX_RATIO * this.#packed.bytesWritten) {
      throw new Unfolds(`more than ${MAX_RATIO} times its size`)
    }
  }
}

/** A stream of its own: whatever ends it, the connection is left to carry the answer. */
function unpacked({ headers }: FastifyRequest, body: Readable | undefined) {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(encoding)) throw unsupportedEncoding()
  const isPacked = encoding.endsWith('gzip')
  const intake = new PassThrough(isPacked ? { writableHighWaterMark: READ_AHEAD_BYTES } : {})
  const input: Readable = isPacked ? intake.pipe(createGunzip({ chunkSize: 64 * 1024 })) : intake
  body?.once('error', (error) => input.destroy(error))
  if (body) body.pipe(intake)
  else intake.end()
  return { intake, input }
}

function formOf({ headers }: FastifyRequest): LineForm | undefined {
  const type = headers['content-type'] ?? ''
  if (/csv/i.test(type)) return 'csv'
  return /ndjson|jsonl|json-seq/i.test(type) ? 'ndjson' : undefined
}

/** Why it ended, with the number of samples that are stored by now. */
function stopped(error: NodeJS.ErrnoException, stored: number, { raw }: FastifyRequest): ApiError {
  if (raw.destroyed && !raw.complete) return clientCancelled()
  if (error instanceof ApiError) return error
  if (error instanceof HungUp) return clientCancelled()
  if (error instanceof Unfolds) {
    const why = `The body unfolds to ${error.message}`
    return importStopped(413, `${why}; send it in parts or without gzip`, stored)
  }
  if (error instanceof TooManyFaults) return importStopped(400, error.message, stored)
  if (error instanceof OverQuota) return importStopped(409, error.message, stored)
  if (error instanceof NoRoom) return diskFull(stored)
  if (error instanceof Stopping) return importStopped(503, 'The server stops', stored)
  if (error instanceof EndlessField) return importStopped(400, error.message, stored)
  if (error.code?.startsWith('Z_')) return importStopped(400, `gzip: ${error.message}`, stored)
  return importStopped(503, 'History does not take samples', stored, error)
}
