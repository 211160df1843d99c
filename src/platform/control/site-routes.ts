import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { recordSiteCommand } from '../../features/trace/command.ts'
import { badRequest, notFound } from '../../http/errors.ts'
import { Id } from '../../http/schema.ts'
import {
  findInstallation,
  type InstallationRef,
  installationsNamed
} from '../../registry/installations.ts'
import { exportSite } from '../../site/export.ts'
import { importSite } from '../../site/import.ts'
import type { Going, SiteParts } from '../../site/parts.ts'
import type { ControlRoutes } from './parts.ts'
import { progressLines } from './progress-lines.ts'

const Path = Type.String({
  pattern: '^/[^\\u0000]*$',
  maxLength: 4096,
  description: 'an absolute path'
})
const Name = Type.String({ pattern: '^[^\\u0000]*$', minLength: 1, maxLength: 255 })

/** Moves sites. The answer is a line for each step, and at last one with the result or the error. */
export const siteRoutes: ControlRoutes = (app, { site }) => {
  const running = new Set<Promise<unknown>>()
  const stop = new AbortController()
  let isBusy = false
  app.addHook('preClose', async () => {
    stop.abort(new Error('Caracal stops'))
    await Promise.allSettled(running)
  })

  app.post(
    '/export',
    { schema: { body: Type.Object({ installation: Name, file: Path }) } },
    async ({ body }, reply) => {
      const parts = requireSite(site)
      const ref = await installationOf(parts, body.installation)
      return work(reply, async (going) => {
        const exported = await exportSite(parts, { installationId: ref.id, file: body.file }, going)
        await recordSiteCommand(parts, { action: 'view', ref, text: 'exported' })
        return exported
      })
    }
  )

  app.post(
    '/import',
    {
      schema: {
        body: Type.Object({
          file: Path,
          organization: Type.Optional(Id),
          name: Type.Optional(Name),
          quotas: Type.Optional(Type.Boolean())
        })
      }
    },
    async ({ body }, reply) => {
      const parts = requireSite(site)
      return work(reply, (going) => importSite(parts, body, going))
    }
  )

  /** One at a time. A command that hangs up ends its work. */
  function work(
    reply: { raw: NodeJS.EventEmitter; type(type: string): { send(lines: Readable): unknown } },
    run: (going: Going) => Promise<object>
  ) {
    if (isBusy) throw badRequest('another export or import is running: wait for its end')
    isBusy = true
    const left = new AbortController()
    reply.raw.once('close', () => left.abort(new Error('the command was stopped')))
    const signal = AbortSignal.any([stop.signal, left.signal])
    let progress = 0
    const onProgress = (done: number) => {
      progress = done
    }
    const ran = run({ signal, onProgress }).finally(() => {
      isBusy = false
      running.delete(ran)
    })
    // A command that is gone reads no answer.
    ran.catch(() => {})
    running.add(ran)
    return reply.type('application/x-ndjson').send(progressLines(ran, () => progress))
  }
}

function requireSite(site: SiteParts | undefined): SiteParts {
  if (!site) throw notFound()
  return site
}

/** By id or by name. */
async function installationOf({ registry }: SiteParts, given: string): Promise<InstallationRef> {
  const byId = /^\d{1,15}$/.test(given) && (await findInstallation(registry, Number(given)))
  if (byId) return byId
  const [found, another] = await installationsNamed(registry, given)
  if (another !== undefined) {
    throw badRequest(`several installations are called ${given}: give the id`)
  }
  const named = found === undefined ? undefined : await findInstallation(registry, found)
  if (!named) throw badRequest(`there is no installation ${given}`)
  return named
}
