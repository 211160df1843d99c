import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordFault } from '../../src/lib/password-rules.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'

type Operation = {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown }> }
}
type Description = { paths: Record<string, Record<string, Operation>> }

const { platform } = withPlatform(undefined, {})

/** Every operation with a JSON body, and the example of the body. */
async function examples() {
  const { json } = await platform().world.request('GET /docs/openapi.json')
  return Object.entries((json as Description).paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, requestBody }]) => {
      const example = requestBody?.content['application/json']?.example
      return example === undefined ? [] : [{ method, path, operationId, example }]
    })
  )
}

test('no example of a body gives the rights of administrators or a password that works', async () => {
  for (const { operationId, example } of await examples()) {
    const text = JSON.stringify(example)
    assert.doesNotMatch(text, /"(role|role_id)":[12]\b/, operationId)
    assert.doesNotMatch(text, /"#":true/, operationId)
    // These two only ask whether a password is right.
    if (['emqxSignIn', 'mosquittoSignIn'].includes(operationId)) continue
    for (const [, password = ''] of text.matchAll(/"(?:new_)?password":"([^"]*)"/g)) {
      assert(passwordFault(password), `${operationId}: ${password}`)
    }
  }
})

test(
  'an administrator who sends every example as it is loses and opens nothing',
  slow,
  async () => {
    const { world } = platform()
    const house = await world.installation({ organization_id: 1 })
    const other = await world.user({ organizations: [1] })
    const ids: Record<string, number> = {
      installation_id: house.id,
      organization_id: 1,
      user_id: other.id,
      role_id: 3,
      // None of these exist.
      ...{
        functionx_id: 99,
        devicex_id: 99,
        schedule_id: 99,
        app_id: 99,
        instance_id: 99,
        mapping_id: 99,
        rule_id: 99,
        alarm_id: 99,
        subscription_id: 99
      },
      ...{ entry_id: 99, message_id: 99, output_id: 99, executor_id: 99, policy_id: 99 }
    }
    const look = async () => {
      const read = async (path: string) =>
        (await world.request(`GET ${path}`, { as: world.admin })).json
      const me = (await read('/api/v2/user/me')) as Record<string, unknown>
      const user = (await read(`/api/v2/user/${other.id}`)) as Record<string, unknown>
      const roles = (await read('/api/v2/role')) as { id: number; permissions: object }[]
      return {
        me: { ...me, note: '' },
        user: { ...user, note: '' },
        house: { ...((await read(`/api/v2/installation/${house.id}`)) as object), notes: '' },
        top: { ...((await read('/api/v2/organization/1')) as object), notes: '', children: [] },
        roles: roles.filter(({ id }) => id <= 3).map(({ id, permissions }) => ({ id, permissions }))
      }
    }
    const before = await look()
    const all = await examples()
    assert(all.length > 40)
    for (const { method, path, operationId, example } of all) {
      if (path.startsWith('/broker/')) continue
      const url = path
        .replace('{meta_key}', 'example')
        .replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? assert.fail(name)))
      const { status } = await world.request(`${method.toUpperCase()} ${url}`, {
        as: world.admin,
        body: example
      })
      // There is no device that answers a command.
      const isSilent = operationId === 'sendCommand' && status === 504
      assert(status < 500 || isSilent, `${operationId}: ${status}`)
    }
    const after = await look()
    for (const kind of ['me', 'user', 'house', 'top'] as const) {
      const { meta } = after[kind] as { meta?: Record<string, string> }
      assert.equal(meta?.['example'], 'hall', kind)
      delete meta?.['example']
    }
    assert.deepEqual(after, before)
    const keys = await world.request('GET /api/v2/user/me/security/token', { as: world.admin })
    const made = (keys.json as { name: string; permissions?: string[] }[]).filter(
      ({ name }) => name === 'Dashboard'
    )
    assert.deepEqual(
      made.map(({ permissions }) => permissions),
      [['installation/list/assigned', 'status/read/assigned']]
    )
  }
)
