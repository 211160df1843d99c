import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { withPlatform } from '../support/scenario.ts'

type Thing = { id: number; type: string; name: string; meta: Record<string, string> }

/** The published package. It has no types. */
interface Client {
  getInstallations(): Promise<Thing[]>
  getFunctions(installationId: number, filter?: Record<string, string>): Promise<Thing[]>
  getFunction(installationId: number, functionId: number): Promise<Thing>
  getStatus(installationId: number, topics?: string[]): Promise<{ topic: string; value: number }[]>
}
const { LynxClient } = createRequire(import.meta.url)('@iotopen/node-lynx') as {
  LynxClient: new (baseURL: string, apiKey: string) => Client
}

describe('the published node-lynx', () => {
  const { platform } = withPlatform()
  const clientOf = (token: string, base = '/lynx') => new LynxClient(platform().url + base, token)

  test('finds an installation, its functions and their values', async () => {
    const { world } = platform()
    const site = await world.installation({ organization_id: 1 })
    for (const topic_read of ['obj/hall/temperature', 'obj/hall/humidity']) {
      const body = { type: topic_read.slice(9), meta: { topic_read, name: 'Hall' } }
      await world.request(`POST /lynx/api/v2/functionx/${site.id}`, { as: world.admin, body })
      await world.publish(world.admin, `${site.client_id}/${topic_read}`, { value: 21.5 })
    }
    const client = clientOf(world.admin.token, '/lynx/')
    const installation = (await client.getInstallations()).find(({ id }) => id === site.id)
    assert.equal(installation?.name, site.name)

    const functions = await client.getFunctions(site.id, { type: 'temp*', name: 'hall' })
    assert.deepEqual(
      functions.map(({ type }) => type),
      ['temperature']
    )
    const [one] = functions
    assert(one)
    assert.deepEqual(await client.getFunction(site.id, one.id), one)

    // A client looks for the value of a function by the exact text of `topic_read`.
    const topic = one.meta['topic_read'] ?? ''
    const [status, ...others] = await client.getStatus(site.id, [topic])
    assert.deepEqual([status?.topic, status?.value, others], [topic, 21.5, []])
    assert.equal((await client.getStatus(site.id)).length, 2)
  })

  test('gets errors with their status', async () => {
    const { world } = platform()
    await assert.rejects(clientOf('x').getInstallations(), /^Error: 401:Unauthorized$/)
    await assert.rejects(clientOf(world.admin.token).getStatus(999_999), /^Error: 403:Forbidden$/)
  })
})
