import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { onInstallation } from '../../access/guard.ts'
import type { Routes } from '../../deps.ts'
import { hungUp } from '../../http/hung-up.ts'
import { sendJsonText } from '../../http/json-text.ts'
import { InstallationParams, TopicsBody } from '../../http/schema.ts'
import { plainNumber } from '../../lib/json-number.ts'
import { withClientId } from '../../lib/topic.ts'
import { toSeconds } from '../../lib/unix-time.ts'
import { aggregationOf, bucketsOf } from './aggregation.ts'
import { LogBodyQuery, LogQuery, LogResult } from './schema.ts'
import { windowOf } from './window.ts'

export const logV3Routes: Routes = (app, { history, latest, clock }) => {
  const schema = {
    tags: ['Log'],
    summary: 'Historic values, as they are or aggregated, paged',
    params: InstallationParams,
    response: { 200: LogResult }
  }
  const config = { access: onInstallation('log/read') }

  app.get(
    '/:installation_id',
    { schema: { ...schema, querystring: LogQuery }, config },
    (request, reply) => readLog(request, reply, request.query, request.query.topics)
  )

  app.post(
    '/:installation_id',
    { schema: { ...schema, querystring: LogBodyQuery, body: TopicsBody }, config },
    (request, reply) => readLog(request, reply, request.query, request.body)
  )

  async function readLog(
    { installation }: Pick<FastifyRequest, 'installation'>,
    reply: FastifyReply,
    query: Static<typeof LogBodyQuery>,
    topics: readonly string[] | undefined
  ) {
    const filters = topics?.length
      ? topics.map((topic) => withClientId(installation.client_id, topic))
      : undefined
    const window = windowOf(query, clock())
    const aggregation = aggregationOf(query, window)
    const asked = {
      ...window,
      installation_id: installation.id,
      topics: filters && latest.topics(installation.id, filters)
    }
    const signal = hungUp(reply.raw)
    const page = aggregation
      ? await history.aggregate(
          { ...asked, method: aggregation.method, buckets: bucketsOf(aggregation, window) },
          signal
        )
      : await history.readPage(asked, signal)
    const last = page.oldest === undefined ? '0' : plainNumber(toSeconds(page.oldest))
    return sendJsonText(
      reply,
      `{"count":${page.count},"last":${last},"total":${page.total},"data":[${page.rows}]}`
    )
  }
}
