import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

type Ground = {
  world: World
  installation: number
  organization: number
  make(path: string, body: object): Promise<number>
}
/** Where an object is, and two changes of it. */
type Kind = {
  make(ground: Ground): Promise<string>
  first: object
  second: object
}

const named = { first: { name: 'first' }, second: { name: 'second' } }
const quota = { first: { topics: 50, files: 7 }, second: { files: 8, history_days: 30 } }
const rule = {
  ...{ name: 'x', when: { above: 1 }, on: { topics: ['obj/x'] } }
}
const mapping = { name: 'x', filter: 'dev/#', values: [{ path: 'v', topic: 'obj/v' }] }
const appOf = ({ make, organization }: Ground) =>
  make('edge/app', { name: 'x', publisher: { id: organization } })
const executorOf = ({ make, organization }: Ground) =>
  make('admin/notification/executor', {
    ...{ name: 'x', organization_id: organization, config: { url: 'https://example.org' } }
  })

const kinds: Record<string, Kind> = {
  'functionx/{installation_id}/{functionx_id}': {
    make: async ({ make, installation }) =>
      `functionx/${installation}/${await make(`functionx/${installation}`, { type: 'x' })}`,
    first: { meta: { name: 'first' } },
    second: { meta: { name: 'second' } }
  },
  'devicex/{installation_id}/{devicex_id}': {
    make: async ({ make, installation }) =>
      `devicex/${installation}/${await make(`devicex/${installation}`, { type: 'x' })}`,
    first: { protected_meta: { name: 'first' } },
    second: { protected_meta: { name: 'second' } }
  },
  'installation/{installation_id}': {
    make: async ({ installation }) => `installation/${installation}`,
    ...named
  },
  'organization/{organization_id}': {
    make: async ({ organization }) => `organization/${organization}`,
    ...named
  },
  'user/{user_id}': {
    make: async ({ world }) => `user/${(await world.site([])).user.id}`,
    first: { first_name: 'first' },
    second: { first_name: 'second' }
  },
  'role/{role_id}': {
    make: async ({ make, world }) =>
      `role/${await make('role', { name: world.unique('role'), priority: 1 })}`,
    first: { permissions: { 'status/read/all': true } },
    second: { permissions: { 'log/read/all': true } }
  },
  'user/registration/policy/{policy_id}': {
    make: async ({ make, organization, world }) => {
      const role_id = await make('role', { name: world.unique('role'), priority: 1 })
      const policy = { role_id, organization_id: organization, email_pattern: '*@a.example' }
      return `user/registration/policy/${await make('user/registration/policy', policy)}`
    },
    first: { email_pattern: '*@b.example' },
    second: { email_pattern: '*@c.example' }
  },
  'blacklist/topic/{entry_id}': {
    make: async ({ make, world }) =>
      `blacklist/topic/${await make('blacklist/topic', { topic: `9/obj/${world.unique('x')}` })}`,
    first: { reason: 'first' },
    second: { reason: 'second' }
  },
  'installation/{installation_id}/quota': {
    make: async ({ installation }) => `installation/${installation}/quota`,
    ...quota
  },
  'organization/{organization_id}/quota': {
    make: async ({ organization }) => `organization/${organization}/quota`,
    ...quota
  },
  'gateway/registration/policy': {
    make: async ({ organization }) => {
      policyOf = organization
      return 'gateway/registration/policy'
    },
    get first() {
      return { allow_unregistered: true, default_organization_id: policyOf }
    },
    get second() {
      return { allow_unregistered: false, default_organization_id: policyOf }
    }
  },
  'schedule/{installation_id}/{schedule_id}': {
    make: async ({ world, installation }) => {
      const at = `/api/v2/schedule/${installation}`
      const body = { topic: 'x', value: 1, active: false }
      await world.request(`POST ${at}`, { as: world.admin, body })
      const { json } = await world.request(`GET ${at}`, { as: world.admin })
      return `schedule/${installation}/${(json as { id: number }[])[0]?.id}`
    },
    first: { value: 2 },
    second: { value: 3 }
  },
  'mapping/{installation_id}/{mapping_id}': {
    make: async ({ make, installation }) =>
      `mapping/${installation}/${await make(`mapping/${installation}`, mapping)}`,
    ...named
  },
  'mapping/organization/{organization_id}/{mapping_id}': {
    make: async ({ make, organization: at }) =>
      `mapping/organization/${at}/${await make(`mapping/organization/${at}`, mapping)}`,
    ...named
  },
  'rule/{installation_id}/{rule_id}': {
    make: async ({ make, installation }) =>
      `rule/${installation}/${await make(`rule/${installation}`, rule)}`,
    ...named
  },
  'rule/organization/{organization_id}/{rule_id}': {
    make: async ({ make, organization: at }) =>
      `rule/organization/${at}/${await make(`rule/organization/${at}`, rule)}`,
    ...named
  },
  'notification/{installation_id}/message/{message_id}': {
    make: async ({ make, installation }) => {
      const at = `notification/${installation}/message`
      return `${at}/${await make(at, { name: 'x', text: 'x' })}`
    },
    ...named
  },
  'notification/{installation_id}/output/{output_id}': {
    make: async (ground) => {
      const { make, installation } = ground
      const at = `notification/${installation}`
      const notification_message_id = await make(`${at}/message`, { name: 'x', text: 'x' })
      const notification_output_executor_id = await executorOf(ground)
      const links = { notification_message_id, notification_output_executor_id }
      return `${at}/output/${await make(`${at}/output`, { name: 'x', ...links })}`
    },
    ...named
  },
  'admin/notification/executor/{executor_id}': {
    make: async (ground) => `admin/notification/executor/${await executorOf(ground)}`,
    ...named
  },
  'edge/app/{app_id}': {
    make: async (ground) => `edge/app/${await appOf(ground)}`,
    ...named
  },
  'edge/app/configured/{installation_id}/{instance_id}': {
    make: async (ground) => {
      const { world, make, installation } = ground
      const app_id = await appOf(ground)
      const body = ['app_json', 'app_lua'].map(
        (name) =>
          `--x\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n{}\r\n`
      )
      const { json } = await world.request(`POST /api/v2/edge/app/${app_id}/version`, {
        as: world.admin,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: `${body.join('')}--x--\r\n`
      })
      await make(`edge/app/${app_id}/publish`, { name: '1', hash: (json as { hash: string }).hash })
      const at = `edge/app/configured/${installation}`
      version = { app_id, version: '1' }
      return `${at}/${await make(at, { ...version, name: 'x' })}`
    },
    get first() {
      return { ...version, name: 'first' }
    },
    get second() {
      return { ...version, name: 'second' }
    }
  }
}
let version = {}
let policyOf = 0

onRegistryMatrix('If-Match', (engine) => {
  const { platform } = withPlatform(engine)

  for (const [pattern, kind] of Object.entries(kinds)) {
    test(`of two changes of ${pattern} that were made on the same state, one is refused`, async () => {
      const { world } = platform()
      const { installation } = await world.site([])
      const make = async (path: string, body: object) => {
        const { status, json, text } = await world.request(`POST /api/v2/${path}`, {
          ...{ as: world.admin, body }
        })
        assert.equal(status, 200, text)
        return (json as { id: number }).id
      }
      const { id, organization_id: organization } = installation
      const path = await kind.make({ world, installation: id, organization, make })
      const { first, second } = kind
      const read = async (under = '/api/v2') => {
        const { status, text, headers } = await world.request(`GET ${under}/${path}`, {
          as: world.admin
        })
        assert.equal(status, 200, text)
        return { text, tag: headers.get('etag') ?? '' }
      }
      const change = (body: object, tag?: string, under = '/api/v2') =>
        world.request(`PUT ${under}/${path}`, {
          ...{ as: world.admin, body },
          ...(tag !== undefined && { headers: { 'if-match': tag } })
        })

      const before = await read()
      assert.match(before.tag, /^"[0-9a-f]{32}"$/)
      assert.equal((await read()).tag, before.tag)
      assert.equal((await read('/lynx/api/v2')).tag, before.tag)

      const changed = await change(first, before.tag)
      assert.equal(changed.status, 200, changed.text)
      const after = await read()
      assert.notEqual(after.tag, before.tag)
      assert.equal(changed.headers.get('etag'), after.tag)

      for (const stale of [before.tag, '"x"', 'x', '', `W/${before.tag}`]) {
        const refused = await change(second, stale)
        assert.equal(refused.status, 412, `${stale}: ${refused.text}`)
        assert.match(refused.text, /changed since it was read/)
      }
      assert.deepEqual(await read(), after)

      const compressed = after.tag.replace(/"$/, '-gzip"')
      const third = await change(second, `${before.tag}, ${compressed}`, '/lynx/api/v2')
      assert.equal(third.status, 200, third.text)
      assert.equal((await change(first, '*')).status, 200)
      assert.equal((await change(second)).status, 200)

      const { tag } = await read()
      const both = await Promise.all([change(first, tag), change({ ...first }, tag)])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412])
    })
  }
})

/** Second addresses of objects in the list. */
const aliases = ['edge/app', 'user/me']

test('all objects with a tag are in the list', () => {
  const { paths } = JSON.parse(
    readFileSync(new URL('../../src/features/system/openapi.json', import.meta.url), 'utf8')
  ) as { paths: Record<string, { put?: { responses: object } }> }
  const described = Object.entries(paths)
    .filter(([, { put }]) => put && '412' in put.responses)
    .map(([path]) => path.replace('/api/v2/', ''))
    .filter((path) => !aliases.includes(path))
  assert.deepEqual(described.sort(), Object.keys(kinds).sort())
})
