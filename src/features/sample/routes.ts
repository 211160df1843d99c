import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { parseBody } from '../../http/json-body.ts'
import { InstallationParams } from '../../http/schema.ts'
import { storesValues } from '../../http/traced.ts'
import { onInstallation } from '../../permission/guard.ts'
import { bodyText, readBytes } from './body.ts'
import type { SampleDeps } from './deps.ts'
import { checkSamples } from './samples.ts'
import { NewSamples } from './schema.ts'
import { Store } from './store.ts'

const MAX_BYTES = 1024 * 1024

/** [ADR-0064] Values of devices that speak HTTP. */
export const sampleRoutes: Routes<SampleDeps> = (app, deps) => {
  const { clock, shares } = deps
  const store = new Store(deps)
  readBytes(app, MAX_BYTES)

  app.post(
    '/:installation_id',
    {
      schema: {
        tags: ['Sample'],
        operationId: 'writeSamples',
        faults: [404, 409, 415, 507],
        summary: 'Store values, all of them or none',
        params: InstallationParams,
        response: { 204: Type.Null({ description: 'All values are stored' }) }
      },
      config: {
        access: onInstallation('sample/write', 'mqtt/publish'),
        trace: storesValues,
        body: NewSamples
      }
    },
    async (request, reply) => {
      const { installation } = request
      const free = await shares.take('writes of values', request, reply)
      try {
        const body = parseBody(await bodyText(request, MAX_BYTES))
        const readings = await checkSamples(body, installation.client_id, clock())
        await store.keep(installation, readings, (at) => `[${at}].topic`)
      } finally {
        free()
      }
      return reply.code(204).send(null)
    }
  )
}
