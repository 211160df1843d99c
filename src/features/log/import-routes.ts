import { PassThrough, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { onInstallation } from '../../access/guard.ts'
import { executes } from '../../access/trace.ts'
import type { Routes } from '../../deps.ts'
import {
  ApiError,
  clientCancelled,
  importStopped,
  tooManyImports,
  unsupportedEncoding
} from '../../http/errors.ts'
import { stopping } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { EndlessField } from '../../lib/csv.ts'
import { SampleFile } from '../../lib/sample-file.ts'
import type { LineForm } from '../../lib/sample-lines.ts'
import { FILE_TYPES, ImportResult } from './file-schema.ts'
import { ImportRun, NoRoom, TooManyTopics } from './import-run.ts'

class Stopping extends Error {}
const diskFull = (stored: number) =>
  importStopped(507, 'The disk is full up to its reserve', stored)

/** Each holds a batch or two in memory. */
const AT_ONCE = 4

/** [ADR-0012] A file of samples of any length, straight to history. */
export const logImportRoutes: Routes = (app, deps) => {
  const stop = stopping(app)
  let running = 0
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
      if (running >= AT_ONCE) throw tooManyImports()
      const body = request.body as Readable | undefined
      const input = unpacked(request, body)
      const end = () => input.destroy(new Stopping())
      stop.addEventListener('abort', end)
      running++
      try {
        return await read(request, input)
      } finally {
        running--
        stop.removeEventListener('abort', end)
        // Who is still sending can finish and then reads why it was for nothing.
        body?.unpipe(input).resume()
        if (stop.aborted) reply.raw.once('finish', () => request.raw.socket.destroySoon())
      }
    }
  )

  async function read(request: FastifyRequest, input: Readable) {
    const run = new ImportRun(deps, request.installation)
    const file = new SampleFile(
      formOf(request),
      (fields, line) => run.take(fields, line),
      (message, line) => run.reject(message, line)
    )
    try {
      for await (const portion of input) {
        file.push(portion)
        if (run.isFull) await run.store()
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

/** A stream of its own: whatever ends it, the connection is left to carry the answer. */
function unpacked(
  { headers }: FastifyRequest,
  body: Readable | undefined
): Readable & NodeJS.WritableStream {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(encoding)) throw unsupportedEncoding()
  const input = encoding.endsWith('gzip')
    ? createGunzip({ chunkSize: 64 * 1024 })
    : new PassThrough()
  body?.once('error', (error) => input.destroy(error))
  if (body) body.pipe(input)
  else input.end()
  return input
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
  if (error instanceof TooManyTopics) return importStopped(409, error.message, stored)
  if (error instanceof NoRoom) return diskFull(stored)
  if (error instanceof Stopping) return importStopped(503, 'The server stops', stored)
  if (error instanceof EndlessField) return importStopped(400, error.message, stored)
  if (error.code?.startsWith('Z_')) return importStopped(400, `gzip: ${error.message}`, stored)
  return importStopped(503, 'History does not take samples', stored, error)
}
