import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { onInstallation } from '../../access/guard.ts'
import { readsOnly } from '../../access/trace.ts'
import type { Routes } from '../../deps.ts'
import { latestTexts } from '../../history/latest-texts.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { sendJsonTexts } from '../../http/json-text.ts'
import { InstallationParams, Status, TopicsBody } from '../../http/schema.ts'
import { joinedTopicFilters, topicFilters } from '../../http/topic-filters.ts'
import type { InstallationRef } from '../../registry/installations.ts'
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
    async ({ installation, query }, reply) =>
      sendStatus(reply, installation, joinedTopicFilters(installation.client_id, query.topics))
  )

  app.post(
    '/:installation_id',
    { schema: { ...schema, body: TopicsBody }, config },
    async ({ installation, body }, reply) =>
      sendStatus(reply, installation, topicFilters(installation.client_id, body))
  )

  function sendStatus(
    reply: FastifyReply,
    { id }: InstallationRef,
    filters: readonly string[] | undefined
  ) {
    dropIfStalled(reply.raw)
    return sendJsonTexts(reply, latestTexts(deps, id, filters))
  }
}
