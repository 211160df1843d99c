import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPlatform } from '../support/scenario.ts'

const { platform } = withPlatform()

const refusals: [line: string, permissions: string[], object?: { kind: string; id: number }][] = [
  [
    'DELETE /api/v2/schedule/1/1',
    ['schedule/create_delete/all', 'schedule/create_delete/assigned'],
    { kind: 'installation', id: 1 }
  ],
  [
    'GET /api/v2/functionx/999999',
    ['functionx/list/all', 'functionx/list/assigned', 'functionx/<type>/view'],
    { kind: 'installation', id: 999999 }
  ],
  ['GET /api/v2/role', ['role/list']],
  [
    'GET /api/v2/organization/1',
    ['organization/list', 'organization/list/all'],
    { kind: 'organization', id: 1 }
  ],
  [
    'GET /api/v2/rule/organization/1',
    ['rule/list/all', 'rule/list/assigned'],
    { kind: 'organization', id: 1 }
  ],
  ['GET /api/v2/user/1', ['user/list', 'user/list/assigned'], { kind: 'user', id: 1 }],
  ['GET /metrics', ['metrics/read']]
]

for (const [line, permissions, object] of refusals) {
  test(`${line}: the refusal names what is missing`, async () => {
    const { world } = platform()
    const { user } = await world.site([])
    const { status, json } = await world.request(line, { as: user, body: undefined })
    assert.equal(status, 403)
    assert.deepEqual(json, { message: 'Forbidden', permissions, ...(object && { object }) })
  })
}

test('a missing object and an invisible one are refused with the same words', async () => {
  const { world } = platform()
  const { user } = await world.site(['status/read/all'])
  const other = await world.site([])
  const ask = async (id: number) => {
    const { status, text } = await world.request(`GET /api/v2/status/${id}`, { as: user })
    return { status, text: text.replace(String(id), 'ID') }
  }
  assert.deepEqual(await ask(other.installation.id), await ask(987_654_321))
})

test('a route that no permission opens names none', async () => {
  const { world } = platform()
  const { user } = await world.site([])
  const { status, json } = await world.request('GET /api/v2/mobile/1', { as: user })
  assert.deepEqual({ status, json }, { status: 403, json: { message: 'Forbidden' } })
})
