import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { onInstallation } from '../../access/guard.ts'
import { readsOnly } from '../../access/trace.ts'
import type { Routes } from '../../deps.ts'
import { latestTexts } from '../../history/latest-texts.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { sendJsonTexts } from '../../http/json-text.ts'
import { InstallationParams, Status, TopicsBody } from '../../http/schema.ts'
import { joinedTopicFilters, topicFilters } from '../../http/topic-filters.ts'
import { StatusQuery } from './schema.ts'

/** [contract: Status] Answered from memory, but for long messages. */
export const statusRoutes: Routes = (app, deps) => {
  const schema = {
    tags: ['Status'],
    summary: 'Latest value per topic',
    params: InstallationParams,
    response: { 200: Type.Array(Status) }
  }
  const config = { access: onInstallation('status/read'), trace: readsOnly } as const

  app.get(
    '/:installation_id',
    { schema: { ...schema, querystring: StatusQuery }, config },
    async (request, reply) => {
      const { installation, query } = request
      return sendStatus(request, reply, joinedTopicFilters(installation.client_id, query.topics))
    }
  )

  app.post(
    '/:installation_id',
    { schema: { ...schema, body: TopicsBody }, config },
    async (request, reply) => {
      const { installation, body } = request
      return sendStatus(request, reply, topicFilters(installation.client_id, body))
    }
  )

  async function sendStatus(
    request: FastifyRequest,
    reply: FastifyReply,
    filters: readonly string[] | undefined
  ) {
    await deps.shares.take('long lists', request, reply)
    dropIfStalled(reply.raw)
    return sendJsonTexts(reply, latestTexts(deps, request.installation.id, filters))
  }
}
