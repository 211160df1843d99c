import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rememberSend } from '../../src/features/notification/messages.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const notFound = { status: 404, body: { message: 'Not found' } }
const inUse = { status: 409, body: { message: 'a notification output uses it' } }
const deleted = { status: 200, body: { message: 'Deleted' } }
const base = '/api/v2/notification'
const admin = '/api/v2/admin/notification/executor'
const grants = ['notification/#', 'installation/#', 'organization/#']
const url = 'https://executor.example.org/send'
const asUser = ({ user }: { user: Account }) => user

type Given = Awaited<ReturnType<typeof withOutput>>
type Record = { id: number; [field: string]: unknown }

async function ask(
  world: World,
  line: string,
  body?: unknown,
  as: { token: string } = world.admin
) {
  const answer = await world.request(line, { as, body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Record
}

/** A site with a message, an executor and an output, and addresses for them. */
async function withOutput(world: World) {
  const { installation, user } = await world.site(grants)
  const at = `${base}/${installation.id}`
  const message = await ask(world, `POST ${at}/message`, { name: 'Alarm', text: 'Hi' })
  const executor = await ask(world, `POST ${admin}`, {
    name: 'Mail',
    type: 'smtp',
    organization_id: installation.organization_id,
    config: { url, from: 'x' },
    secret: 'top secret'
  })
  const output = await ask(world, `POST ${at}/output`, {
    name: 'To me',
    notification_message_id: message.id,
    notification_output_executor_id: executor.id,
    config: { subject: '{{.installation.Name}}' }
  })
  return { installation, user, at, message, executor, output }
}

onRegistryMatrix('notification', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  describe('messages', () => {
    scenario('are created', {
      given: (world) => world.site(grants),
      as: asUser,
      request: ({ installation }) => `POST ${base}/${installation.id}/message`,
      body: { id: 0, installation_id: '99', name: 'Alarm', text: '{{.payload.value}} °C' },
      headers: { 'content-type': 'text/plain' },
      expect: { status: 200 },
      and: async ({ json }, { installation, user }, world) => {
        const { id, ...fields } = json as Record
        const message = {
          installation_id: installation.id,
          name: 'Alarm',
          text: '{{.payload.value}} °C'
        }
        assert.deepEqual(fields, message)
        const at = `${base}/${installation.id}/message`
        assert.deepEqual(await ask(world, `GET ${at}`, undefined, user), [{ id, ...message }])
        assert.deepEqual(await ask(world, `GET ${at}/${id}`, undefined, user), { id, ...message })
      }
    })
    const refused: [string, object | string, string][] = [
      ['no name', { text: 'x' }, 'name is required'],
      ['an empty name', { name: '', text: 'x' }, 'name must be text of 1 to 255 characters'],
      ['no text', { name: 'x' }, 'text is required'],
      ['a number', { name: 'x', text: 5 }, 'text must be text'],
      [
        'too long a text',
        { name: 'x', text: 'x'.repeat(32_769) },
        'text must be text of at most 32768 characters'
      ],
      [
        'a template that is none',
        { name: 'x', text: 'a\n{{if}}' },
        'text: line 2: unexpected "}}" in if'
      ],
      [
        'a function nobody knows',
        { name: 'x', text: '{{env "HOME"}}' },
        'text: line 1: there is no function env'
      ],
      ['no object', '[]', 'body must be'],
      ['nothing', '', 'body must be']
    ]
    for (const [what, body, message] of refused) {
      scenario(`with ${what} are refused and leave nothing behind`, {
        given: (world) => world.site(grants),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}/message`,
        body,
        expect: { status: 400 },
        and: async ({ json }, { installation }, world) => {
          const { message: text } = json as { message: string }
          assert(text.startsWith(message), text)
          assert.deepEqual(await ask(world, `GET ${base}/${installation.id}/message`), [])
        }
      })
    }
    for (const [what, right] of [
      ['changes', 'update'],
      ['makes', 'create_delete']
    ]) {
      scenario(`are tried by who ${what} them; nothing is stored or sent`, {
        given: (world) => world.site([`notification/message/${right}/all`]),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}/message/try`,
        body: {
          text: '{{.installation.Name}}: {{printf "%.1f" .payload.value}} {{.payload.list}}',
          payload: { value: 21.54, list: [1, 'a'] }
        },
        expect: {
          status: 200,
          body: ({ installation }: { installation: { name: string } }) => ({
            text: `${installation.name}: 21.5 [1 a]`
          })
        },
        and: async (_, { installation }, world) =>
          assert.deepEqual(await ask(world, `GET ${base}/${installation.id}/message`), [])
      })
    }
    scenario('are not tried by who may only see them', {
      given: (world) => world.site(['notification/message/list/all', 'notification/output/#']),
      as: asUser,
      request: ({ installation }) => `POST ${base}/${installation.id}/message/try`,
      body: { text: '{{.organization.Notes}}' },
      expect: { status: 403 }
    })
    const tried: [string, object, string][] = [
      ['no text', { payload: {} }, 'text is required'],
      ['a wrong template', { text: '{{if}}' }, 'text: line 1: unexpected "}}" in if'],
      ['a list as payload', { text: 'x', payload: [] }, 'payload must be'],
      [
        'a payload that is nested too deep',
        { text: 'x', payload: JSON.parse(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`) },
        'payload is nested too deep'
      ],
      [
        'what does not fit the payload',
        { text: '{{index .payload.a "b"}}', payload: { a: 5 } },
        'text: line 1: '
      ],
      [
        'more work than a message may take',
        {
          text: '{{range .payload.a}}{{range $.payload.a}}{{.}}{{end}}{{end}}',
          payload: { a: Array.from({ length: 999 }, () => 0) }
        },
        'text: line 1: '
      ]
    ]
    for (const [what, body, message] of tried) {
      scenario(`with ${what} are not tried`, {
        given: (world) => world.site(grants),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}/message/try`,
        body,
        expect: { status: 400 },
        and: ({ json }) => {
          const { message: text } = json as { message: string }
          assert(text.startsWith(message), text)
        }
      })
    }
    scenario('are changed; missing and null fields stay', {
      given: withOutput,
      as: asUser,
      request: ({ at, message }) => `PUT ${at}/message/${message.id}`,
      body: { id: 5, installation_id: 7, name: null, text: 'New' },
      expect: { status: 200, body: ({ message }: Given) => ({ ...message, text: 'New' }) }
    })
    scenario('cannot be changed to an invalid template', {
      given: withOutput,
      as: asUser,
      request: ({ at, message }) => `PUT ${at}/message/${message.id}`,
      body: { name: 'Other', text: '{{' },
      expect: { status: 400, body: { message: 'text: line 1: an action has no }}' } },
      and: async (_, { at, message }, world) =>
        assert.deepEqual(await ask(world, `GET ${at}/message/${message.id}`), message)
    })
    scenario('that an output uses are not deleted', {
      given: withOutput,
      as: asUser,
      request: ({ at, message }) => `DELETE ${at}/message/${message.id}`,
      expect: inUse
    })
    scenario('are deleted, also with a body', {
      given: async (world) => {
        const { at, user, ...site } = await withOutput(world)
        const message = await ask(world, `POST ${at}/message`, { name: 'x', text: '' })
        return { ...site, user, at, message }
      },
      as: asUser,
      request: ({ at, message }) => `DELETE ${at}/message/${message.id}`,
      body: ({ message }: Given) => message,
      expect: deleted,
      and: async (_, { at, message }, world) => {
        const answer = await world.request(`GET ${at}/message/${message.id}`, { as: world.admin })
        assert.equal(answer.status, 404)
      }
    })
    test('are at most 1000', async () => {
      const { world, deps } = platform()
      const { installation } = await world.site(grants)
      const row = { installation_id: installation.id, name: 'x', text: '', created: 0, updated: 0 }
      for (let i = 0; i < 10; i++) {
        const rows = Array.from({ length: 100 }, () => row)
        await deps.registry.insertInto('notification_messages').values(rows).execute()
      }
      const line = `POST ${base}/${installation.id}/message`
      const answer = await world.request(line, { as: world.admin, body: { name: 'x', text: '' } })
      assert.equal(answer.status, 400)
      assert.deepEqual(answer.json, { message: 'an installation has at most 1000 messages' })
    })
  })

  describe('outputs', () => {
    scenario('have exactly these fields', {
      given: withOutput,
      as: asUser,
      request: ({ at, output }) => `GET ${at}/output/${output.id}`,
      expect: {
        status: 200,
        body: ({ installation, message, executor, output }: Given) => ({
          id: output.id,
          installation_id: installation.id,
          name: 'To me',
          notification_message_id: message.id,
          notification_output_executor_id: executor.id,
          config: { subject: '{{.installation.Name}}' }
        })
      },
      and: async (_, { at, output }, world) =>
        assert.deepEqual(await ask(world, `GET ${at}/output`), [output])
    })
    const lines = { 'a\nb': 'x', 'c\u2028': 'y' }
    const tolerated: [string, object, object][] = [
      ['keys with line breaks', { config: lines }, { config: lines }],
      ['no name and no configuration', {}, { name: '', config: {} }],
      ['nulls', { id: null, name: null, config: null }, { name: '', config: {} }],
      ['a key that JavaScript has a use for', { config: JSON.parse('{"__proto__":"x"}') }, {}]
    ]
    for (const [what, body, want] of tolerated) {
      scenario(`are created with ${what}`, {
        given: withOutput,
        as: asUser,
        request: ({ at }) => `POST ${at}/output`,
        body: ({ message, executor }: Given) => ({
          installation_id: 0,
          notification_message_id: message.id,
          notification_output_executor_id: executor.id,
          ...body
        }),
        expect: { status: 200 },
        and: ({ text, json }) => {
          assert.deepEqual({ ...(json as object), ...want }, json)
          if (what.includes('JavaScript')) assert(text.includes('{"__proto__":"x"}'), text)
        }
      })
    }
    const refused: [string, object, string][] = [
      ['no message', { notification_message_id: undefined }, 'notification_message_id is required'],
      ['message 0', { notification_message_id: 0 }, 'notification_message_id must be'],
      [
        'a message nobody has',
        { notification_message_id: 999_999 },
        'notification_message_id must be a message of the installation'
      ],
      [
        'no executor',
        { notification_output_executor_id: undefined },
        'notification_output_executor_id is required'
      ],
      [
        'an executor nobody has',
        { notification_output_executor_id: 999_999 },
        'notification_output_executor_id must be an executor of'
      ],
      ['text as configuration', { config: 'x' }, 'config must be'],
      ['numbers as configuration', { config: { a: 1 } }, 'config.a must be text'],
      ['an empty key', { config: { '': 'x' } }, 'config'],
      [
        'too many keys',
        { config: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, ''])) },
        'config must'
      ],
      [
        'too much',
        {
          config: Object.fromEntries(Array.from({ length: 5 }, (_, i) => [i, 'x'.repeat(16_000)]))
        },
        'config must have at most 65536 characters'
      ],
      [
        'a template that is none',
        { config: { ok: '', subject: '{{end}}' } },
        'config.subject: line 1: unexpected {{end}}'
      ]
    ]
    for (const [what, body, message] of refused) {
      scenario(`with ${what} are refused, new or changed`, {
        given: withOutput,
        as: asUser,
        request: ({ at }) => `POST ${at}/output`,
        body: ({ message, executor }: Given) => ({
          notification_message_id: message.id,
          notification_output_executor_id: executor.id,
          ...body
        }),
        expect: { status: 400 },
        and: async ({ json }, { at, output, user }, world) => {
          const { message: text } = json as { message: string }
          assert(text.startsWith(message), text)
          assert.deepEqual(await ask(world, `GET ${at}/output`), [output])
          if (message.endsWith('is required')) return
          const line = `PUT ${at}/output/${output.id}`
          const changed = await world.request(line, { as: user, body: { name: 'y', ...body } })
          assert.equal(changed.status, 400)
          assert((changed.json as { message: string }).message.startsWith(message))
          assert.deepEqual(await ask(world, `GET ${at}/output`), [output])
        }
      })
    }
    test('cannot use a message or an executor of others', async () => {
      const { world } = platform()
      const { at, message, executor, output, user } = await withOutput(world)
      const other = await withOutput(world)
      const links = {
        notification_message_id: message.id,
        notification_output_executor_id: executor.id
      }
      const foreign = [
        { notification_message_id: other.message.id },
        { notification_output_executor_id: other.executor.id }
      ]
      for (const one of foreign) {
        const [name] = Object.keys(one)
        const made = await world.request(`POST ${at}/output`, {
          as: user,
          body: { ...links, ...one }
        })
        const put = await world.request(`PUT ${at}/output/${output.id}`, { as: user, body: one })
        for (const { status, json } of [made, put]) {
          assert.equal(status, 400)
          assert((json as { message: string }).message.startsWith(`${name} must be`))
        }
      }
    })
    scenario('are changed; missing and null fields stay', {
      given: withOutput,
      as: asUser,
      request: ({ at, output }) => `PUT ${at}/output/${output.id}`,
      body: { id: 9, installation_id: 9, name: 'New', config: null },
      expect: { status: 200, body: ({ output }: Given) => ({ ...output, name: 'New' }) }
    })
    scenario('are deleted', {
      given: withOutput,
      as: asUser,
      request: ({ at, output }) => `DELETE ${at}/output/${output.id}`,
      expect: deleted,
      and: async (_, { at, output, message, executor }, world) => {
        const answer = await world.request(`GET ${at}/output/${output.id}`, { as: world.admin })
        assert.equal(answer.status, 404)
        // Nothing uses them now.
        await ask(world, `DELETE ${at}/message/${message.id}`)
        await ask(world, `DELETE ${admin}/${executor.id}`)
      }
    })
  })

  describe('executors of an installation', () => {
    scenario('are shown without address and secret, to managers too', {
      given: withOutput,
      as: asUser,
      request: ({ at, executor }) => `GET ${at}/executor/${executor.id}`,
      expect: {
        status: 200,
        body: ({ installation, executor }: Given) => ({
          id: executor.id,
          type: 'smtp',
          name: 'Mail',
          organization_id: installation.organization_id,
          config: { from: 'x' }
        })
      }
    })
    test('are those of its organization and the ones above', async () => {
      const { world } = platform()
      const parent = await world.organization()
      const own = await world.organization(parent)
      const child = await world.organization(own)
      const sibling = await world.organization(parent)
      const installation = await world.installation({ organization_id: own })
      const ids = new Map<number, number>()
      for (const organization_id of [1, parent, own, child, sibling]) {
        const body = { name: `of ${organization_id}`, organization_id, config: { url } }
        ids.set(organization_id, (await ask(world, `POST ${admin}`, body)).id)
      }
      const at = `${base}/${installation.id}`
      const listed = (await ask(world, `GET ${at}/executor`)) as unknown as Record[]
      assert.deepEqual(
        listed.filter(({ id }) => [...ids.values()].includes(id)).map(({ id }) => id),
        [ids.get(1), ids.get(parent), ids.get(own)]
      )
      for (const [organization, id] of ids) {
        const isOwn = [1, parent, own].includes(organization)
        const { status } = await world.request(`GET ${at}/executor/${id}`, { as: world.admin })
        assert.equal(status, isOwn ? 200 : 404)
      }
      // An assigned user sees the same executors as the installation, also those above its organization.
      const assigned = await world.user({
        grants: ['notification/executor/list/assigned'],
        assigned: [installation.id]
      })
      const seen = await world.request(`GET ${at}/executor`, { as: assigned })
      assert.deepEqual(seen.json, listed)
      assert(!seen.text.includes('secret') && !seen.text.includes('url'), seen.text)
    })
  })

  describe('executors', () => {
    scenario('are created for an organization of the caller', {
      given: (world) => world.site(grants),
      as: asUser,
      request: `POST ${admin}`,
      body: { type: '', name: 'Push', organization_id: 0, config: { url }, secret: undefined },
      expect: { status: 200 },
      and: async ({ json }, { installation, user }, world) => {
        const { id, ...fields } = json as Record
        const want = {
          type: 'http',
          name: 'Push',
          organization_id: installation.organization_id,
          config: { url },
          secret: ''
        }
        assert.deepEqual(fields, want)
        assert.deepEqual(await ask(world, `GET ${admin}`, undefined, user), [{ id, ...want }])
        assert.deepEqual(await ask(world, `GET ${admin}/${id}`, undefined, user), { id, ...want })
      }
    })
    const urls: [string, string][] = [
      ['', 'config.url is required'],
      ['executor', 'config.url must begin with http:// or https://'],
      ['ftp://example.org/', 'config.url must begin with http:// or https://'],
      ['file:///etc/passwd', 'config.url must begin with http:// or https://'],
      ['javascript:alert(1)', 'config.url must begin with http:// or https://'],
      ['http://', 'config.url must begin with http:// or https://'],
      ['http://me:pass@example.org/', 'config.url must not have a user name or password'],
      ['http://me@example.org/', 'config.url must not have a user name or password'],
      [`http://example.org/${'x'.repeat(2000)}`, 'config.url has at most 2000 characters'],
      [
        'http://127.0.0.1/',
        'config.url must not lead to an address that is not public (CARACAL_NOTIFY_PRIVATE_NETWORKS)'
      ],
      ['http://0x7f.1/', 'config.url must not lead to'],
      ['http://2130706433:8080/', 'config.url must not lead to'],
      ['http://0177.0.0.1/', 'config.url must not lead to'],
      ['http://0/', 'config.url must not lead to'],
      ['https://[::1]/', 'config.url must not lead to'],
      ['https://[::ffff:127.0.0.1]/', 'config.url must not lead to'],
      ['https://[64:ff9b::a00:1]/', 'config.url must not lead to'],
      ['http://169.254.169.254/latest/meta-data', 'config.url must not lead to'],
      ['http://10.0.0.1/', 'config.url must not lead to'],
      ['http://192.168.1.1/', 'config.url must not lead to'],
      ['http://100.64.0.1/', 'config.url must not lead to'],
      ['http://224.0.0.1/', 'config.url must not lead to'],
      ['http://[fe80::1]/', 'config.url must not lead to'],
      ['http://[fd00::1]/', 'config.url must not lead to']
    ]
    test('are called at public addresses only', async () => {
      const { world } = platform()
      const { user, executor } = await withOutput(world)
      for (const [address, message] of urls) {
        const body = { name: 'x', config: { url: address } }
        for (const line of [`POST ${admin}`, `PUT ${admin}/${executor.id}`]) {
          const { status, json, text } = await world.request(line, { as: user, body })
          assert.equal(status, 400, `${address} ${text}`)
          assert((json as { message: string }).message.startsWith(message), `${address} ${text}`)
        }
      }
      assert.deepEqual(await ask(world, `GET ${admin}`, undefined, user), [executor])
    })
    const refused: [string, object, string][] = [
      ['no name', { name: undefined }, 'name is required'],
      ['no configuration', { config: undefined }, 'config is required'],
      ['an address that is inherited', { config: {} }, 'config.url is required'],
      [
        'a secret that no header carries',
        { secret: 'a\r\nX-Evil: 1' },
        'secret must be printable ASCII characters'
      ],
      [
        'a secret with spaces around',
        { secret: ' a ' },
        'secret must be printable ASCII characters'
      ],
      ['a secret beyond ASCII', { secret: 'å' }, 'secret must be printable ASCII characters'],
      [
        'a type that is too long',
        { type: 'x'.repeat(101) },
        'type must be text of at most 100 characters'
      ]
    ]
    for (const [what, body, message] of refused) {
      scenario(`with ${what} are refused`, {
        given: (world) => world.site(grants),
        as: asUser,
        request: `POST ${admin}`,
        body: { name: 'x', config: { url }, ...body },
        expect: { status: 400 },
        and: async ({ json }, { user }, world) => {
          const { message: text } = json as { message: string }
          assert(text.startsWith(message), text)
          assert.deepEqual(await ask(world, `GET ${admin}`, undefined, user), [])
        }
      })
    }
    scenario('are changed; fields that are missing, null or 0 stay', {
      given: withOutput,
      as: asUser,
      request: ({ executor }) => `PUT ${admin}/${executor.id}`,
      body: { id: 1, name: 'New', type: '', organization_id: 0, config: null, secret: null },
      expect: { status: 200, body: ({ executor }: Given) => ({ ...executor, name: 'New' }) }
    })
    scenario('lose their secret when it is empty', {
      given: withOutput,
      as: asUser,
      request: ({ executor }) => `PUT ${admin}/${executor.id}`,
      body: { secret: '' },
      expect: { status: 200, body: ({ executor }: Given) => ({ ...executor, secret: '' }) }
    })
    scenario('that an output uses are not deleted', {
      given: withOutput,
      as: asUser,
      request: ({ executor }) => `DELETE ${admin}/${executor.id}`,
      expect: inUse
    })
    scenario('cannot be moved to an organization of others', {
      given: async (world) => ({ ...(await withOutput(world)), other: await world.organization() }),
      as: asUser,
      request: ({ executor }) => `PUT ${admin}/${executor.id}`,
      body: ({ other }: { other: number }) => ({ organization_id: other }),
      expect: forbidden
    })
    scenario('are not made for an organization of others', {
      given: async (world) => ({
        ...(await world.site(grants)),
        other: await world.organization()
      }),
      as: asUser,
      request: `POST ${admin}`,
      body: ({ other }: { other: number }) => ({
        name: 'x',
        organization_id: other,
        config: { url }
      }),
      expect: forbidden
    })
    test('are managed by administrators only, unless a role allows it', async () => {
      const { world } = platform()
      const roles = (await ask(world, 'GET /api/v2/role')) as unknown as {
        name: string
        permissions: object
      }[]
      for (const name of ['Manager', 'User']) {
        const role = roles.find((one) => one.name === name)
        assert(role && !('notification/executor/manage' in role.permissions))
      }
    })
    test('are at most 100 in an organization', async () => {
      const { world, deps } = platform()
      const { organization_id } = await world.installation()
      const row = { organization_id, type: '', name: 'x', config: '{}', secret: '' }
      await deps.registry
        .insertInto('notification_executors')
        .values(Array.from({ length: 100 }, () => ({ ...row, created: 0, updated: 0 })))
        .execute()
      const body = { name: 'x', organization_id, config: { url } }
      const answer = await world.request(`POST ${admin}`, { as: world.admin, body })
      assert.deepEqual(answer.json, { message: 'an organization has at most 100 executors' })
    })
  })

  test('an object that is deleted and used at the same time is either deleted or used', async () => {
    const { world } = platform()
    const { at, user, installation, message, executor } = await withOutput(world)
    const seen = new Set<string>()
    for (let i = 0; i < 15; i++) {
      const text = { name: 'x', text: 'x' }
      const fields = { name: 'x', organization_id: installation.organization_id, config: { url } }
      const links = {
        notification_message_id: (await ask(world, `POST ${at}/message`, text)).id,
        notification_output_executor_id: (await ask(world, `POST ${admin}`, fields)).id
      }
      const rounds: [string, object][] = [
        [
          `DELETE ${at}/message/${links.notification_message_id}`,
          { ...links, notification_output_executor_id: executor.id }
        ],
        [
          `DELETE ${admin}/${links.notification_output_executor_id}`,
          { ...links, notification_message_id: message.id }
        ]
      ]
      for (const [line, body] of rounds) {
        const requests = [
          () => world.request(line, { as: user }),
          () => world.request(`POST ${at}/output`, { as: user, body })
        ]
        if (i % 2) requests.reverse()
        const answers = await Promise.all(requests.map((request) => request()))
        const [gone, made] = i % 2 ? answers.reverse() : answers
        seen.add(`${gone?.status} ${made?.status}`)
      }
    }
    for (const outcome of seen) assert(['200 400', '409 200'].includes(outcome), outcome)
  })

  test('the last 100 sends are kept, newest first', async () => {
    const { world, deps } = platform()
    const { at, output } = await withOutput(world)
    for (let i = 1; i <= 105; i++) {
      await rememberSend(deps.registry, output.id, { sent: i * 1000, outcome: `no. ${i}` })
    }
    const sends = (await ask(world, `GET ${at}/output/${output.id}/sends`)) as unknown as object[]
    assert.equal(sends.length, 100)
    assert.deepEqual(
      [sends[0], sends[99]],
      [
        { sent: 105, outcome: 'no. 105' },
        { sent: 6, outcome: 'no. 6' }
      ]
    )
    await ask(world, `DELETE ${at}/output/${output.id}`)
    await rememberSend(deps.registry, output.id, { sent: 1, outcome: 'too late' })
  })

  describe('the owner', () => {
    test('takes its messages and outputs with it if it is an installation', async () => {
      const { world, deps } = platform()
      const { installation, output, message, executor } = await withOutput(world)
      await ask(world, `DELETE /api/v2/installation/${installation.id}?silent=true`)
      const left = async (table: 'notification_messages' | 'notification_outputs', id: number) =>
        deps.registry.selectFrom(table).select('id').where('id', '=', id).execute()
      assert.deepEqual(await left('notification_messages', message.id), [])
      assert.deepEqual(await left('notification_outputs', output.id), [])
      await ask(world, `DELETE ${admin}/${executor.id}`)
    })
    test('cannot be deleted with executors, except by force and with the permission', async () => {
      const { world, deps } = platform()
      const { installation, output, executor } = await withOutput(world)
      const organization = installation.organization_id
      // The installation moves away, so only the executor and the users are left.
      const { organization_id } = await world.installation()
      const body = { organization_id }
      await ask(world, `PUT /api/v2/installation/${installation.id}?silent=true`, body)
      await deps.registry
        .deleteFrom('user_organizations')
        .where('organization_id', '=', organization)
        .execute()
      const line = `DELETE /api/v2/organization/${organization}`
      const refused = await world.request(line, { as: world.admin })
      assert.equal(refused.status, 400)
      assert.deepEqual(refused.json, { message: 'the organization has notification executors' })
      const names = ['organization/#', 'installation/#', 'user/#']
      const someone = await world.user({ grants: names, organizations: [1], priority: 900 })
      assert.equal((await world.request(`${line}?force=true`, { as: someone })).status, 403)
      await ask(world, `${line}?force=true`)
      const at = `${base}/${installation.id}`
      assert.equal(
        (await world.request(`GET ${admin}/${executor.id}`, { as: world.admin })).status,
        403
      )
      assert.equal(
        (await world.request(`GET ${at}/output/${output.id}`, { as: world.admin })).status,
        404
      )
    })
  })

  describe('access', () => {
    const lines: [string, string][] = [
      ['GET', 'message'],
      ['POST', 'message'],
      ['GET', 'message/1'],
      ['PUT', 'message/1'],
      ['DELETE', 'message/1'],
      ['GET', 'output'],
      ['POST', 'output'],
      ['GET', 'output/1'],
      ['PUT', 'output/1'],
      ['DELETE', 'output/1'],
      ['POST', 'output/1/send'],
      ['GET', 'output/1/sends'],
      ['GET', 'executor'],
      ['GET', 'executor/1']
    ]
    const body = {
      ...{ name: 'x', text: 'x', config: { url } },
      ...{ notification_message_id: 1, notification_output_executor_id: 1 }
    }
    for (const [method, path] of lines) {
      const [resource = ''] = path.split('/')
      const payload = method === 'GET' || method === 'DELETE' ? undefined : body
      scenario(`${method} ${path} without a token`, {
        request: `${method} ${base}/1/${path}`,
        body: payload,
        expect: unauthorized
      })
      scenario(`${method} ${path} in an installation of others`, {
        given: async (world) => ({
          ...(await withOutput(world)),
          user: (await world.site(grants)).user
        }),
        as: asUser,
        request: ({ at }) => `${method} ${at}/${path}`,
        body: payload,
        expect: forbidden
      })
      scenario(`${method} ${path} with every grant except its own`, {
        given: async (world) => {
          const verb = {
            GET: ['list'],
            PUT: ['update'],
            DELETE: ['create_delete'],
            POST: [path.endsWith('send') ? 'send' : 'create_delete']
          }[method] ?? ['']
          const names = ['message', 'output', 'executor'].flatMap((one) =>
            ['list', 'create_delete', 'update', 'send', 'manage']
              .filter((action) => one !== resource || !verb.includes(action))
              .map((action) => `notification/${one}/${action}/#`)
          )
          return world.site(names)
        },
        as: asUser,
        request: ({ installation }) => `${method} ${base}/${installation.id}/${path}`,
        body: payload,
        expect: forbidden
      })
      if (!path.includes('/')) continue
      test(`${method} ${path} of another installation is not found`, async () => {
        const { world } = platform()
        const { at, user } = await withOutput(world)
        const other = await withOutput(world)
        const { id } = { message: other.message, output: other.output, executor: other.executor }[
          resource as 'message'
        ]
        const line = `${method} ${at}/${path.replace('/1', `/${id}`)}`
        const answer = await world.request(line, { as: user, body: payload && { name: 'y' } })
        assert.deepEqual([answer.status, answer.json], [404, notFound.body])
      })
    }
    for (const method of ['GET', 'PUT', 'DELETE']) {
      scenario(`${method} an executor of others`, {
        given: async (world) => ({
          ...(await withOutput(world)),
          user: (await world.site(grants)).user
        }),
        as: asUser,
        request: ({ executor }) => `${method} ${admin}/${executor.id}`,
        body: method === 'PUT' ? { name: 'y' } : undefined,
        expect: forbidden
      })
      scenario(`${method} an executor that is not there`, {
        given: (world) => world.site(grants),
        as: asUser,
        request: `${method} ${admin}/999999`,
        body: method === 'PUT' ? { name: 'y' } : undefined,
        expect: forbidden
      })
    }
    for (const line of [
      `GET ${admin}`,
      `POST ${admin}`,
      `GET ${admin}/1`,
      `PUT ${admin}/1`,
      `DELETE ${admin}/1`
    ]) {
      const payload = /POST|PUT/.test(line) ? { name: 'x', config: { url } } : undefined
      scenario(`${line} without a token`, { request: line, body: payload, expect: unauthorized })
      scenario(`${line} without the grant`, {
        given: (world) =>
          world.site([
            'notification/message/#',
            'notification/output/#',
            'notification/executor/list/all'
          ]),
        as: asUser,
        request: line,
        body: payload,
        expect: forbidden
      })
    }
  })
})
