import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { everyone, onPlatform } from '../../access/guard.ts'
import type { Routes } from '../../deps.ts'
import { Message } from '../../http/schema.ts'
import { toSeconds, unixMs } from '../../lib/unix-time.ts'
import { Health, LedgerEntry, LedgerQuery } from './schema.ts'

/** The API page loads nothing from elsewhere and stands in nobody's frame. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'"

/** What a newcomer opens first. */
export const startRoutes: Routes = (app) => {
  app.get('/', { schema: { hide: true }, config: { access: everyone } }, (_request, reply) =>
    reply.redirect('/docs')
  )
}

export const pingRoutes: Routes = (app) => {
  app.get(
    '/',
    { schema: { tags: ['System'], response: { 200: Message } }, config: { access: everyone } },
    () => ({ message: 'pong' })
  )
}

export const healthRoutes: Routes = (app, { health }) => {
  app.get(
    '/live',
    { schema: { tags: ['System'], response: { 200: Message } }, config: { access: everyone } },
    () => ({ message: 'alive' })
  )

  app.get(
    '/ready',
    {
      schema: { tags: ['System'], response: { 200: Health, 503: Health } },
      config: { access: everyone }
    },
    async (_request, reply) => {
      const engines = await health()
      const isReady = Object.values(engines).every(({ ok }) => ok)
      return reply
        .code(isReady ? 200 : 503)
        .send({ status: isReady ? 'ready' : 'degraded', engines })
    }
  )
}

export const metricsRoutes: Routes = (app, { metrics }) => {
  app.get(
    '/',
    {
      schema: { tags: ['System'], summary: 'Prometheus metrics' },
      config: { access: onPlatform('metrics/read') }
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.read())
  )
}

/** What was acknowledged and could not be stored, newest first. */
export const ledgerRoutes: Routes = (app, { spool }) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['System'],
        summary: 'Messages that were acknowledged and refused',
        querystring: LedgerQuery,
        response: { 200: Type.Array(LedgerEntry) }
      },
      config: { access: onPlatform('ledger/read') }
    },
    async ({ query }) => {
      const page = { before: query.before ?? Number.MAX_SAFE_INTEGER, limit: query.limit || 1000 }
      const entries = await spool.ledger(page)
      return entries.map(({ created, ...entry }) => ({
        ...entry,
        timestamp: toSeconds(unixMs(created))
      }))
    }
  )
}

export const docsRoutes: Routes = (app) => {
  app.get(
    '/',
    { schema: { tags: ['System'], summary: 'API page' }, config: { access: everyone } },
    (_request, reply) => {
      const page = readFileSync(new URL('api-page.html', import.meta.url))
      return reply
        .header('content-security-policy', PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(page)
    }
  )

  app.get(
    '/api-page.js',
    { schema: { hide: true }, config: { access: everyone } },
    (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .send(readFileSync(new URL('api-page.js', import.meta.url)))
  )

  app.get(
    '/openapi.json',
    { schema: { tags: ['System'], summary: 'OpenAPI description' }, config: { access: everyone } },
    () => app.swagger()
  )
}
