import { addAbortSignal, type PassThrough, pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { create } from 'content-disposition'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { onInstallation } from '../../access/guard.ts'
import type { Routes } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { dropIfStalled, hungUp, stopping } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { joinedTopicFilters } from '../../http/topic-filters.ts'
import { type LineForm, lineHeader } from '../../lib/sample-lines.ts'
import { DAY, momentOr, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { ExportQuery, FILE_TYPES } from './file-schema.ts'

/** [ADR-0012] Every sample of a window as a file, however large: read as fast as the caller takes it. */
export const logExportRoutes: Routes = (app, { history, latest, shares, clock }) => {
  const stop = stopping(app)
  app.get(
    '/:installation_id/export',
    {
      schema: {
        tags: ['Log'],
        summary: 'Historic values as a file, CSV or NDJSON',
        params: InstallationParams,
        querystring: ExportQuery,
        produces: Object.values(FILE_TYPES)
      },
      config: { access: onInstallation('log/read') },
      // Nobody reads through a file to learn its length.
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

/** Whichever of the two ends early takes the other with it; who reads sees it on the answer. */
const zipped = (lines: Readable): PassThrough =>
  pipeline(lines, createGzip({ level: 1 }), () => {}) as unknown as PassThrough

/** Nothing is stored with a timestamp more than a day ahead. */
function windowOf({ from, to }: Static<typeof ExportQuery>, now: UnixMs) {
  const window = {
    from: momentOr(unixMs(0), from),
    to: momentOr(unixMs(now + DAY), to)
  }
  if (window.from > window.to) throw badRequest('from must not be later than to')
  return window
}

/** What the query names, else what the caller prefers, else CSV. */
function formOf({ headers }: FastifyRequest, format: LineForm | undefined): LineForm {
  return format ?? (/ndjson/i.test(headers.accept ?? '') ? 'ndjson' : 'csv')
}

const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''))
