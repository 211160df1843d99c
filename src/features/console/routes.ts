import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyReply } from 'fastify'
import type { App, Routes } from '../../deps.ts'
import { notFound } from '../../http/errors.ts'
import { DAY } from '../../lib/unix-time.ts'
import { everyone } from '../../permission/guard.ts'

/** `npm run build` writes it. */
const built = fileURLToPath(new URL('../../../console/dist', import.meta.url))

/** [ADR-0043] Nothing comes from another origin. Mantine writes styles while the page runs. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join('; ')

/** The first parts of the addresses of the console. The page itself finds what to show. */
const pages = [
  '/',
  '/sign-in',
  '/new-password',
  '/account',
  '/alarms',
  '/settings',
  '/system',
  '/installations',
  '/installations/*'
]

/** The names of these files have a hash of their content. */
const ASSETS_AGE_MS = 365 * DAY

/** The console: one page, which the browser fills by the API. */
export const consoleRoutes: Routes = (app) => serveConsole(app, built)

export async function serveConsole(app: App, directory: string): Promise<void> {
  const isBuilt = existsSync(directory)
  if (isBuilt) await app.register(files, { root: directory, serve: false, preCompressed: true })

  for (const path of pages) {
    app.get(
      path,
      { schema: { hide: true }, config: { access: everyone, tolerates: 'all' } },
      (_request, reply) => {
        reply.header('content-security-policy', POLICY).header('referrer-policy', 'same-origin')
        return isBuilt
          ? reply.sendFile('index.html', { cacheControl: false })
          : sayHowToBuild(reply)
      }
    )
  }

  app.get(
    '/assets/*',
    { schema: { hide: true }, config: { access: everyone } },
    (request, reply) => {
      if (!isBuilt) throw notFound()
      const { '*': name } = request.params as { '*': string }
      reply.removeHeader('cache-control')
      return reply.sendFile(`assets/${name}`, { maxAge: ASSETS_AGE_MS, immutable: true })
    }
  )
}

const sayHowToBuild = (reply: FastifyReply) =>
  reply.type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Caracal</title>
<p>The console is not built. Run <code>npm run build</code> and start Caracal again.
<p>The API works: <a href="/docs">the API page</a>.
`)
