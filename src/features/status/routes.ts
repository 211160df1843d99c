import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import type { Freshness as Fresh } from '../../history/history.ts'
import { fewLatest, latestTexts } from '../../history/latest/texts.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { sendJsonText, sendJsonTexts, sendList } from '../../http/json-text.ts'
import { InstallationParams, Status, TopicsBody } from '../../http/schema.ts'
import { joinedTopicFilters, topicFilters } from '../../http/topic-filters.ts'
import { readsOnly } from '../../http/traced.ts'
import { Turns } from '../../lib/turns.ts'
import { SECOND, toSeconds, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { onInstallation, signedIn } from '../../permission/guard.ts'
import { may, type Principal } from '../../permission/principal.ts'
import type { StatusDeps } from './deps.ts'
import {
  Freshness,
  FreshnessQuery,
  type GatewayState,
  SILENT_AFTER_S,
  StatusQuery
} from './schema.ts'

/** Of the same answer, so that it begins soon. */
const INSTALLATIONS_PER_PART = 200

/** [contract: Status] */
export const statusRoutes: Routes<StatusDeps> = (app, deps) => {
  const schema = {
    tags: ['Status'],
    summary: 'Latest value per topic',
    params: InstallationParams,
    response: { 200: Type.Array(Status) }
  }
  app.get(
    '/',
    {
      schema: {
        tags: ['Status'],
        operationId: 'listFreshness',
        summary: 'How fresh the values of each installation are',
        querystring: FreshnessQuery,
        response: { 200: Type.Array(Freshness) }
      },
      config: { access: signedIn }
    },
    async (request, reply) => {
      const { principal, query } = request
      await deps.shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      const silentSince = unixMs(deps.clock() - (query.silent_after ?? SILENT_AFTER_S) * SECOND)
      return sendList(reply, freshness(principal, silentSince))
    }
  )

  const config = { access: onInstallation('status/read'), trace: readsOnly } as const

  app.get(
    '/:installation_id',
    {
      schema: { ...schema, operationId: 'getStatus', querystring: StatusQuery },
      config
    },
    async (request, reply) => {
      const { installation, query } = request
      return sendStatus(request, reply, joinedTopicFilters(installation.client_id, query.topics))
    }
  )

  app.post(
    '/:installation_id',
    {
      schema: { ...schema, operationId: 'getStatusOfTopics', body: TopicsBody },
      config
    },
    async (request, reply) => {
      const { installation, body } = request
      return sendStatus(request, reply, topicFilters(installation.client_id, body))
    }
  )

  async function* freshness(
    principal: Principal,
    silentSince: UnixMs
  ): AsyncGenerator<Static<typeof Freshness>[]> {
    const turns = new Turns()
    const { directory, latest } = deps
    const ids = Array.from(directory.installations(), ({ id }) => id)
    for (let at = 0; at < ids.length; at += INSTALLATIONS_PER_PART) {
      const readable: number[] = []
      for (const id of ids.slice(at, at + INSTALLATIONS_PER_PART)) {
        if (turns.isOver(10)) await turns.next()
        const installation = directory.installation(id)
        if (installation && may(principal, 'status/read', installation)) readable.push(id)
      }
      const found = await latest.freshness(readable, silentSince, turns)
      const byId = new Map(found.map((one) => [one.installation_id, one]))
      yield readable.map((id) => shownFreshness(id, byId.get(id)))
    }
  }

  function shownFreshness(
    installation_id: number,
    { last, topics, silent }: Partial<Fresh> = {}
  ): Static<typeof Freshness> {
    const gateway = gatewayOf(installation_id)
    return {
      ...{ installation_id, topics: topics ?? 0, silent: silent ?? 0 },
      per_minute: deps.latest.perMinute(installation_id),
      ...(last && { last: toSeconds(last) }),
      ...(gateway && { gateway })
    }
  }

  function gatewayOf(installation_id: number): Static<typeof GatewayState> | undefined {
    const presence = deps.gateways.of(installation_id)
    if (!presence) return undefined
    const { connected, since } = presence
    return { connected, ...(since !== undefined && { since: toSeconds(since) }) }
  }

  async function sendStatus(
    request: FastifyRequest,
    reply: FastifyReply,
    filters: readonly string[] | undefined
  ) {
    // Most sites have few values. A place for long lists would cost more than their answer.
    const few = filters
      ? undefined
      : await fewLatest(await deps.latest.open(request.installation.id))
    if (few !== undefined) return sendJsonText(reply, few)
    await deps.shares.take('long lists', request, reply)
    dropIfStalled(reply.raw)
    return sendJsonTexts(reply, latestTexts(deps, request.installation.id, filters))
  }
}
