import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Routes } from '../../deps.ts'
import { dropIfStalled, hungUpOrLate } from '../../http/hung-up.ts'
import { sendJsonBytes } from '../../http/json-text.ts'
import { explainTooLarge } from '../../http/page-limit.ts'
import { InstallationParams, TopicsBody } from '../../http/schema.ts'
import { timed } from '../../http/timed.ts'
import { joinedTopicFilters, topicFilters } from '../../http/topic-filters.ts'
import { readsOnly } from '../../http/traced.ts'
import { plainNumber } from '../../lib/json-number.ts'
import { toSeconds } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import { queriesOf } from '../../quota/shares.ts'
import { aggregationOf, bucketsOf } from './aggregation.ts'
import { boundWindow } from './bounds.ts'
import type { LogDeps } from './deps.ts'
import { LogBodyQuery, LogQuery, LogResult } from './schema.ts'
import { shapeOf } from './timing.ts'
import { windowOf } from './window.ts'

export const logV3Routes: Routes<LogDeps> = (app, deps) => {
  const { history, latest, shares, clock } = deps
  const schema = {
    tags: ['Log'],
    summary: 'Historic values, plain or aggregated, in pages',
    params: InstallationParams,
    response: { 200: LogResult }
  }
  const config = { access: onInstallation('log/read'), trace: readsOnly } as const

  app.get(
    '/:installation_id',
    { schema: { ...schema, operationId: 'getLog', querystring: LogQuery }, config },
    (request, reply) => {
      const { installation, query } = request
      const filters = joinedTopicFilters(installation.client_id, query.topics)
      return readLog(request, reply, query, filters)
    }
  )

  app.post(
    '/:installation_id',
    {
      schema: {
        ...schema,
        operationId: 'getLogOfTopics',
        querystring: LogBodyQuery,
        body: TopicsBody
      },
      config
    },
    (request, reply) => {
      const { installation, query, body } = request
      return readLog(request, reply, query, topicFilters(installation.client_id, body))
    }
  )

  async function readLog(
    request: FastifyRequest,
    reply: FastifyReply,
    query: Static<typeof LogBodyQuery>,
    filters: readonly string[] | undefined
  ) {
    const { id: installation_id } = request.installation
    const topics = filters && (await latest.topics(installation_id, filters))
    const window = windowOf(query, clock())
    const aggregation = aggregationOf(query, window)
    const asked = { ...window, installation_id, topics }
    const shape = shapeOf(asked, aggregation)
    await shares.take(queriesOf(asked), request, reply)
    const signal = hungUpOrLate(reply.raw)
    const page = await timed(reply, deps, shape, async () => {
      if (!aggregation) return history.readPage(asked, signal)
      const { method, several, interval } = aggregation
      const count = topics?.length ?? (await latest.open(installation_id)).size
      const bounds = { interval, topics: count, methods: several?.length ?? 1, now: clock() }
      const bounded = await boundWindow(window, bounds, () => history.oldest())
      const buckets = bucketsOf(aggregation, bounded)
      return history.aggregate({ ...asked, ...bounded, method, buckets, several }, signal)
    }).catch(explainTooLarge('entries'))
    const last = page.oldest === undefined ? '0' : plainNumber(toSeconds(page.oldest))
    dropIfStalled(reply.raw)
    const begin = `{"count":${page.count},"last":${last},"total":${page.total},"data":[`
    return sendJsonBytes(reply, begin, page.rows, ']}')
  }
}
