import { readFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import type { LedgerEntry as Refused } from '../../history/spool/groups.ts'
import { sendJsonText } from '../../http/json-text.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { toSeconds, unixMs } from '../../lib/unix-time.ts'
import { VERSION } from '../../lib/version.ts'
import { everyone, onInstallation, onPlatform } from '../../permission/guard.ts'
import type { SystemDeps } from './deps.ts'
import { Health, InstallationLedgerQuery, LedgerEntry, LedgerQuery } from './schema.ts'

const DEFAULT_LEDGER_PAGE = 1000

/** The API page loads nothing from other sites, and no other site can show it in a frame. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'"

export const pingRoutes: Routes = (app) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['System'],
        operationId: 'ping',
        summary: 'Check that the API answers',
        response: { 200: Message }
      },
      config: { access: everyone }
    },
    () => ({ message: 'pong' })
  )
}

export const healthRoutes: Routes<SystemDeps> = (app, deps) => {
  const { health, isDraining, backupHealth, certificateHealth } = deps
  app.get(
    '/live',
    {
      schema: {
        tags: ['System'],
        operationId: 'getLiveness',
        summary: 'Check that the process runs and takes requests; 503 while it stops',
        response: { 200: Message, 503: Message }
      },
      config: { access: everyone }
    },
    (_request, reply) => {
      if (isDraining()) reply.code(503)
      return { message: isDraining() ? 'draining' : 'alive' }
    }
  )

  app.get(
    '/ready',
    {
      schema: {
        tags: ['System'],
        operationId: 'getReadiness',
        summary: 'Check that all engines work',
        response: { 200: Health, 503: Health }
      },
      config: { access: everyone }
    },
    async (_request, reply) => {
      const engines = await health()
      const isWell = Object.values(engines).every(({ ok }) => ok)
      const status = isDraining() ? 'draining' : isWell ? 'ready' : 'degraded'
      const backup = backupHealth()
      const certificates = await certificateHealth()
      return reply.code(status === 'ready' ? 200 : 503).send({
        ...{ status, version: VERSION, engines },
        ...(backup && { backup }),
        ...(certificates && { certificates })
      })
    }
  )
}

export const metricsRoutes: Routes = (app, { metrics }) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['System'],
        operationId: 'getMetrics',
        summary: 'Prometheus metrics',
        produces: ['text/plain']
      },
      config: { access: onPlatform('metrics/read') }
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.read())
  )
}

/** Messages that were acknowledged but not stored, newest first. */
export const ledgerRoutes: Routes = (app, { spool, shares }) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['System'],
        operationId: 'listLedger',
        summary: 'Messages that were acknowledged but not stored, newest first',
        querystring: LedgerQuery,
        response: { 200: Type.Array(LedgerEntry) }
      },
      config: { access: onPlatform('ledger/read') }
    },
    async ({ query }) => listed(await spool.ledger(pageOf(query)))
  )

  app.get(
    '/:installation_id',
    {
      schema: {
        tags: ['System'],
        operationId: 'listLedgerOfInstallation',
        summary: 'Messages of an installation that were acknowledged but not stored, newest first',
        params: InstallationParams,
        querystring: InstallationLedgerQuery,
        response: { 200: Type.Array(LedgerEntry) }
      },
      config: { access: onInstallation('ledger/list') }
    },
    async (request, reply) => {
      const { query, installation } = request
      await shares.take('long lists', request, reply)
      return listed(await spool.ledger({ ...pageOf(query), installation_id: installation.id }))
    }
  )
}

const pageOf = ({ before, limit }: Static<typeof LedgerQuery>) => ({
  before: before ?? Number.MAX_SAFE_INTEGER,
  limit: limit || DEFAULT_LEDGER_PAGE
})

const listed = (entries: readonly Refused[]) =>
  entries.map(({ created, ...entry }) => ({ ...entry, timestamp: toSeconds(unixMs(created)) }))

export const docsRoutes: Routes = (app) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['System'],
        operationId: 'getApiPage',
        summary: 'API page',
        produces: ['text/html']
      },
      config: { access: everyone }
    },
    (_request, reply) => {
      const page = readFileSync(new URL('api-page.html', import.meta.url))
      return reply
        .header('content-security-policy', PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(page)
    }
  )

  for (const script of ['api-page.js', 'api-page-session.js']) {
    app.get(
      `/${script}`,
      { schema: { hide: true }, config: { access: everyone } },
      (_request, reply) =>
        reply
          .type('text/javascript; charset=utf-8')
          .send(readFileSync(new URL(script, import.meta.url)))
    )
  }

  app.get(
    '/openapi.json',
    {
      schema: { tags: ['System'], operationId: 'getOpenApi', summary: 'OpenAPI description' },
      config: { access: everyone }
    },
    // `npm run docs` writes it: making it takes longer than a request may hold the event loop.
    (_request, reply) => sendJsonText(reply, readFileSync(new URL('openapi.json', import.meta.url)))
  )
}
