import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { onInstallation } from '../../access/guard.ts'
import type { Routes } from '../../deps.ts'
import { notImplemented } from '../../http/errors.ts'
import { hungUp } from '../../http/hung-up.ts'
import { sendJsonText } from '../../http/json-text.ts'
import { InstallationParams, TopicsBody } from '../../http/schema.ts'
import { plainNumber } from '../../lib/json-number.ts'
import { withClientId } from '../../lib/topic.ts'
import { toSeconds } from '../../lib/unix-time.ts'
import { LogBodyQuery, LogQuery, LogResult } from './schema.ts'
import { windowOf } from './window.ts'

export const logV3Routes: Routes = (app, { history, latest, clock }) => {
  const schema = {
    tags: ['Log'],
    summary: 'Historic values, paged',
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
    if (query.aggr_method || (query.aggr_interval && query.aggr_interval !== '0s')) {
      throw notImplemented('aggregation')
    }
    const filters = topics?.length
      ? topics.map((topic) => withClientId(installation.client_id, topic))
      : undefined
    const page = await history.readPage(
      {
        ...windowOf(query, clock()),
        installation_id: installation.id,
        topics: filters && latest.topics(installation.id, filters)
      },
      hungUp(reply.raw)
    )
    const last = page.oldest === undefined ? '0' : plainNumber(toSeconds(page.oldest))
    return sendJsonText(
      reply,
      `{"count":${page.count},"last":${last},"total":${page.total},"data":[${page.rows}]}`
    )
  }
}
