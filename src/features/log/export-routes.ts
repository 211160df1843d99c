import { addAbortSignal, type PassThrough, pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { create } from 'content-disposition'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { dropIfStalled, hungUp, stopping } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { joinedTopicFilters } from '../../http/topic-filters.ts'
import { type LineForm, lineHeader } from '../../lib/sample-lines.ts'
import { DAY, momentOr, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import { ExportQuery, FILE_TYPES } from './file-schema.ts'

/** [ADR-0012] All samples of a window as a file of any size, read as fast as the caller reads. */
export const logExportRoutes: Routes = (app, { history, latest, shares, clock }) => {
  const stop = stopping(app)
  app.get(
    '/:installation_id/export',
    {
      schema: {
        tags: ['Log'],
        operationId: 'exportLog',
        summary: 'Historic values as a CSV or NDJSON file',
        params: InstallationParams,
        querystring: ExportQuery,
        produces: Object.values(FILE_TYPES)
      },
      config: { access: onInstallation('log/read') },
      // HEAD would read the whole file only to learn its length.
      exposeHeadRoute: false
    },
    async (request, reply) => {
      const { installation, query } = request
      const form = formOf(request, query.format)
      const filters = joinedTopicFilters(installation.client_id, query.topics)
      const window = windowOf(query, clock())
      const topics = filters && (await latest.topics(installation.id, filters))
      await shares.take('exports', request, reply)
      dropIfStalled(reply.raw)
      const scan = history.scan(
        { installation_id: installation.id, topics, ...window },
        form,
        hungUp(reply.raw)
      )
      reply
        .type(`${FILE_TYPES[form]}; charset=utf-8`)
        .header('content-disposition', create(`log-${installation.id}.${form}`))
        .header('vary', 'accept, accept-encoding')
      const lines = Readable.from(withHeader(form, scan), { objectMode: false })
      addAbortSignal(stop, lines)
      if (!takesGzip(request)) return reply.send(lines)
      return reply.header('content-encoding', 'gzip').send(zipped(lines))
    }
  )
}

async function* withHeader(form: LineForm, parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const header = lineHeader(form)
  if (header !== '') yield Buffer.from(header)
  yield* parts
}

/**
 * If one of the two streams ends early, the other ends too, and the reader of the answer sees it.
 */
const zipped = (lines: Readable): PassThrough =>
  pipeline(lines, createGzip({ level: 1 }), () => {}) as unknown as PassThrough

/** No sample has a timestamp more than a day in the future. */
function windowOf({ from, to }: Static<typeof ExportQuery>, now: UnixMs) {
  const window = {
    from: momentOr(unixMs(0), from),
    to: momentOr(unixMs(now + DAY), to)
  }
  if (window.from > window.to) throw badRequest('from must not be later than to')
  return window
}

/** The format of the query, else of the Accept header, else CSV. */
function formOf({ headers }: FastifyRequest, format: LineForm | undefined): LineForm {
  return format ?? (/ndjson/i.test(headers.accept ?? '') ? 'ndjson' : 'csv')
}

const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''))
