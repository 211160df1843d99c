import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGunzip, type Gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { ApiError, clientCancelled, importStopped, unsupportedEncoding } from '../../http/errors.ts'
import { stopping } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { executes } from '../../http/traced.ts'
import type { LineForm } from '../../lib/sample-lines.ts'
import { onInstallation } from '../../permission/guard.ts'
import { EndlessField } from './csv.ts'
import type { LogDeps } from './deps.ts'
import { FILE_TYPES, ImportResult } from './file-schema.ts'
import { ImportRun, NoRoomForSamples, OverQuota, TooManyFaults } from './import-run.ts'
import { SampleFile } from './sample-file.ts'

class Stopping extends Error {}
class HungUp extends Error {}
/** A compressed body is too large after it is uncompressed. */
class UncompressedTooLarge extends Error {}
const diskFull = (stored: number) =>
  importStopped(507, 'The disk is full up to its reserve', stored)

/** The clock is checked after this many bytes, which are at most a few hundred lines. */
const SLICE_BYTES = 2048
/** How long reading may go on before other requests get a turn. */
const TURN_MS = 4
/**
 * Read this far ahead in a compressed body: only a connection that is read shows that the sender is
 * gone.
 */
const READ_AHEAD_BYTES = 1024 * 1024
/** Uncompressed bytes for each compressed byte; real samples stay far below this. */
const MAX_RATIO = 250
/** The ratio is not checked for bodies up to this size. */
const SMALL_BYTES = 32 * 1024 * 1024

/** [ADR-0012] Writes a file of samples of any length directly to history. */
export const logImportRoutes: Routes<LogDeps> = (app, deps) => {
  const stop = stopping(app)
  // In this scope a body is a stream; no parser holds it in memory.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.post(
    '/:installation_id/import',
    {
      schema: {
        tags: ['Log'],
        operationId: 'importLog',
        faults: [404, 409, 415],
        summary: 'Import historic values from a CSV or NDJSON file',
        params: InstallationParams,
        consumes: Object.values(FILE_TYPES),
        response: { 200: ImportResult }
      },
      config: {
        access: onInstallation('mqtt/publish'),
        evenWhenFull: 'asks itself',
        trace: executes('installation', 'installation_id', 'imported samples into'),
        body: Type.String({
          description: 'One line for each value; Content-Encoding: gzip is accepted'
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
        // Read and drop the rest of the body, so that the client finishes and reads the answer.
        body?.unpipe(intake).resume()
        if (stop.aborted) reply.raw.once('finish', () => request.raw.socket.destroySoon())
      }
    }
  )

  async function read(request: FastifyRequest, input: Readable) {
    const run = new ImportRun(deps, request.installation)
    const limits = new UncompressedLimits(input, deps.importLimits)
    const file = new SampleFile(
      formOf(request),
      (fields, line) => run.take(fields, line),
      (message, line) => run.reject(message, line)
    )
    try {
      await run.begin()
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
      await run.release()
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

/** Limits the uncompressed size of a compressed body. Other bodies need no limit. */
class UncompressedLimits {
  readonly #packed: Gunzip | undefined
  readonly #max: LogDeps['importLimits']
  #bytes = 0

  constructor(input: Readable, max: LogDeps['importLimits']) {
    this.#packed = 'bytesWritten' in input ? (input as Gunzip) : undefined
    this.#max = max
  }

  check(bytes: number, lines: number): void {
    if (!this.#packed) return
    this.#bytes += bytes
    const { bytes: maxBytes, lines: maxLines } = this.#max
    if (this.#bytes > maxBytes)
      throw new UncompressedTooLarge(`more than ${maxBytes / 1024 / 1024} MiB`)
    if (lines > maxLines) throw new UncompressedTooLarge(`more than ${maxLines} lines`)
    if (this.#bytes > SMALL_BYTES && this.#bytes > MAX_RATIO * this.#packed.bytesWritten) {
      throw new UncompressedTooLarge(`more than ${MAX_RATIO} times the compressed size`)
    }
  }
}

/** Separate streams: if one ends early, the connection stays open for the answer. */
function unpacked({ headers }: FastifyRequest, body: Readable | undefined) {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(encoding)) throw unsupportedEncoding()
  const isPacked = encoding.endsWith('gzip')
  const intake = new PassThrough(isPacked ? { writableHighWaterMark: READ_AHEAD_BYTES } : {})
  const input: Readable = isPacked ? intake.pipe(createGunzip({ chunkSize: 64 * 1024 })) : intake
  // It may fail before anybody reads it. Whoever does sees the error then.
  input.on('error', () => {})
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

/** The error for the caller, with the number of samples that were stored. */
function stopped(error: NodeJS.ErrnoException, stored: number, { raw }: FastifyRequest): ApiError {
  if (raw.destroyed && !raw.complete) return clientCancelled()
  if (error instanceof ApiError) return error
  if (error instanceof HungUp) return clientCancelled()
  if (error instanceof UncompressedTooLarge) {
    const why = `The uncompressed body has ${error.message}`
    return importStopped(413, `${why}; send it in parts or without gzip`, stored)
  }
  if (error instanceof TooManyFaults) return importStopped(400, error.message, stored)
  if (error instanceof OverQuota) return importStopped(409, error.message, stored)
  if (error instanceof NoRoomForSamples) return diskFull(stored)
  if (error instanceof Stopping) return importStopped(503, 'The server stops', stored)
  if (error instanceof EndlessField) return importStopped(400, error.message, stored)
  if (error.code?.startsWith('Z_')) return importStopped(400, `gzip: ${error.message}`, stored)
  return importStopped(503, 'The history does not accept samples', stored, error)
}
