import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { dropIfStalled, hungUpOrLate } from '../../http/hung-up.ts'
import { sendJsonParts } from '../../http/json-text.ts'
import { explainTooLarge } from '../../http/page-limit.ts'
import { InstallationParams, TopicsBody } from '../../http/schema.ts'
import { timed } from '../../http/timed.ts'
import { joinedTopicFilters, topicFilters } from '../../http/topic-filters.ts'
import { readsOnly } from '../../http/traced.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import { typesAllowed } from '../../permission/modelx-types.ts'
import { queriesOf } from '../../quota/shares.ts'
import { listModelx } from '../../registry/modelx.ts'
import type { LogDeps } from './deps.ts'
import { LogEntry, LogV2BodyQuery, LogV2Query } from './schema.ts'
import { shapeOf } from './timing.ts'
import { entryJson, functionsByTopic, rowTexts } from './v2-entries.ts'
import { windowOf } from './window.ts'

/** [RFC 9745] Since when these routes are deprecated on this platform. */
const DEPRECATED_SINCE = `@${toWholeSeconds(Date.UTC(2026, 0))}`

/** [contract: Log] Deprecated in favour of the v3beta log. */
export const logV2Routes: Routes<LogDeps> = (app, deps) => {
  const { history, latest, registry, shares, clock } = deps
  const schema = {
    tags: ['Log'],
    summary: 'Newest historic values of functions',
    deprecated: true,
    params: InstallationParams,
    response: { 200: Type.Array(LogEntry) }
  }
  const config = { access: onInstallation('log/read'), trace: readsOnly } as const

  app.get(
    '/:installation_id',
    {
      schema: { ...schema, operationId: 'getLogV2', querystring: LogV2Query },
      config
    },
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
        operationId: 'getLogV2OfTopics',
        querystring: LogV2BodyQuery,
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
    query: Static<typeof LogV2BodyQuery>,
    filters: readonly string[] | undefined
  ) {
    const { installation, principal } = request
    const { id: installation_id, client_id } = installation
    reply.headers({
      deprecation: DEPRECATED_SINCE,
      link: `</api/v3beta/log/${installation_id}>; rel="successor-version"`
    })
    const topics = filters && (await latest.topics(installation_id, filters))
    // [contract: Log] The limit is applied before functions are matched, so fewer may come back.
    const asked = { ...windowOf(query, clock()), installation_id, topics, withIds: true }
    const types = typesAllowed(principal, 'functionx', 'view', installation)
    await shares.take(queriesOf(asked), request, reply)
    const signal = hungUpOrLate(reply.raw)
    const [page, functions] = await Promise.all([
      timed(reply, deps, shapeOf(asked), () => history.readPage(asked, signal)),
      functionsByTopic(
        client_id,
        listModelx(registry, { kind: 'function', installation_id }),
        types
      )
    ]).catch(explainTooLarge('entries'))
    dropIfStalled(reply.raw)
    return sendJsonParts(reply, rowTexts(page.rows), (row) => entryJson(row, functions))
  }
}
