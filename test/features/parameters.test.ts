import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'

const address = { address: '', city: '', country: '', zip: '' }
/** Each of these is a parameter of some route. */
const elsewhere = [
  ...['silent', 'create_missing', 'minimal', 'force', 'assigned', 'assigned_only'],
  ...['organization_id', 'executor', 'type', 'topics', 'limit', 'version']
]

onRegistryMatrix('parameters', (engine) => {
  const { platform } = withPlatform(engine)
  const ask = (line: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
    platform().world.request(line, { as: platform().world.admin, ...options })
  const unique = (word: string) => platform().world.unique(word)

  /** The lists with metadata filters: the path, how to create an object, and the list's own parameters. */
  const lists = async () => {
    const { id } = await platform().world.installation()
    return [
      { path: `/api/v2/functionx/${id}`, body: { type: 't' }, own: ['type'] },
      { path: `/api/v2/devicex/${id}`, body: { type: 't' }, own: ['type'] },
      { path: '/api/v2/installation', body: { name: 'x', organization_id: 1 }, own: [] },
      { path: '/api/v2/organization', body: { name: 'x', parent: 1 }, own: ['minimal'] },
      {
        path: '/api/v2/user',
        body: {
          ...{ email: `${unique('u')}@example.org`, first_name: '', last_name: '' },
          ...{ role: 3, address }
        },
        own: []
      }
    ]
  }

  describe('of a list with metadata filters', () => {
    test('parameters of other routes are metadata keys and filter the list', slow, async () => {
      for (const { path, body, own } of await lists()) {
        const names = elsewhere.filter((name) => !own.some((one) => one === name))
        const value = unique('v')
        const meta = Object.fromEntries(names.map((name) => [name, value]))
        const made = await ask(`POST ${path}`, { body: { ...body, meta } })
        assert.equal(made.status, 200, made.text)
        const { id } = made.json as { id: number }
        for (const prefix of ['', '/lynx']) {
          const found = async (query: string) => {
            const { status, json, text } = await ask(`GET ${prefix}${path}?${query}`)
            assert.equal(status, 200, text)
            return (json as { id: number }[]).map((one) => one.id)
          }
          for (const name of names) {
            assert.deepEqual(await found(`${name}=${value}`), [id], `${path} ${name}`)
            assert.deepEqual(await found(`${name}=true`), [], `${path} ${name}`)
            assert((await found(`${name}=`)).includes(id), `${path} ${name}, an empty value`)
          }
          const all = names.map((name) => `${name}=${value.toUpperCase()}`).join('&')
          assert.deepEqual(await found(all), [id], 'all of them match')
          assert.deepEqual(await found(`${all}&room=x`), [], 'all but one match')
          assert.deepEqual(await found(`force=x&FORCE=${value}`), [id], 'a key given twice')
          for (const name of ['__proto__', 'constructor', 'toString', '']) {
            assert.deepEqual(await found(`${name}=x`), [], name)
          }
        }
      }
    })

    test('its own parameters keep their meaning', async () => {
      const { status, json } = await ask('GET /api/v2/organization?minimal=maybe')
      assert.deepEqual([status, json], [400, { message: 'minimal must be true or false' }])
      const { json: found } = await ask('GET /api/v2/organization?minimal=1')
      const [first] = found as object[]
      assert.deepEqual(Object.keys(first ?? {}), ['id', 'name', 'parent'])
      const spelled = await ask('GET /api/v2/organization?Minimal=1')
      assert.deepEqual(spelled.json, [])
    })

    test('have limits, and so has the message about them', async () => {
      const long = `${'k'.repeat(20_000)}=${'v'.repeat(300)}`
      const { status, text } = await ask(`GET /api/v2/user?${long}`)
      assert.equal(status, 400)
      assert(text.length < 500, text.slice(0, 600))
      const many = Array.from({ length: 21 }, (_, i) => `k${i}=v`).join('&')
      const answer = await ask(`GET /api/v2/user?${many}`)
      assert.deepEqual(
        [answer.status, answer.json],
        [400, { message: 'at most 20 metadata filters' }]
      )
    })
  })

  describe('that a route does not know', () => {
    test('are 400, and the message has the name and the known names', async () => {
      const { id, client_id } = await platform().world.installation()
      const log = 'from, to, limit'
      const more = 'offset, order, aggr_method, aggr_interval, tz'
      for (const [line, unknown, known] of [
        [`GET /api/v2/status/${id}?topic=obj/x`, 'topic', 'topics'],
        [`GET /api/v2/status/${id}?Topics=obj/x`, 'Topics', 'topics'],
        [`GET /api/v2/status/${id}?topics[]=obj/x`, 'topics[]', 'topics'],
        [`GET /api/v2/status/${id}?topics=obj/a&b`, 'b', 'topics'],
        [`GET /api/v2/status/${id}?=`, '', 'topics'],
        [`GET /api/v2/log/${id}?topic=obj/x`, 'topic', `${log}, topics`],
        [`GET /api/v2/log/${id}?offset=1`, 'offset', `${log}, topics`],
        [`GET /api/v3beta/log/${id}?topic=obj/x`, 'topic', `${log}, ${more}, topics`],
        [`GET /api/v3beta/log/${id}?start=1`, 'start', `${log}, ${more}, topics`],
        [`GET /api/v3beta/log/${id}?Include_total=1`, 'Include_total', `${log}, ${more}, topics`],
        [`GET /api/v3beta/log/${id}/export?topic=x`, 'topic', 'from, to, topics, format'],
        [`GET /api/v2/schedule/${id}?silent=true`, 'silent', 'executor'],
        [`GET /api/v2/installationinfo?name=x`, 'name', 'organization_id, assigned, assigned_only'],
        [`GET /api/v2/installationinfo/${client_id}?name=x`, 'name', undefined],
        [`GET /api/v2/user/me?__proto__=x`, '__proto__', 'none'],
        [`GET /api/v2/user/me?constructor`, 'constructor', 'none'],
        ['GET /api/v2/ping?x', 'x', 'none'],
        ['GET /health/ready?x', 'x', 'none'],
        ['GET /docs?x=1', 'x', 'none']
      ] as const) {
        for (const prefix of line.startsWith('GET /api') ? ['', '/lynx'] : ['']) {
          const { status, json } = await ask(line.replace(' ', ` ${prefix}`))
          const { message } = json as { message: string }
          assert.equal(status, 400, line)
          if (known === undefined) assert.match(message, RegExp(`^unknown parameter ${unknown};`))
          else assert.equal(message, `unknown parameter ${unknown}; this route knows ${known}`)
        }
      }
    })

    test('are 400 with a body too, because the body has the filter', async () => {
      const { id } = await platform().world.installation()
      for (const path of [`/api/v2/status/${id}`, `/api/v2/log/${id}`, `/api/v3beta/log/${id}`]) {
        const { status, text } = await ask(`POST ${path}?topics=obj/x`, { body: [] })
        assert.equal(status, 400)
        assert.match(text, /unknown parameter topics;/)
      }
    })

    test('change nothing', async () => {
      const { id } = await platform().world.installation()
      const path = `/api/v2/functionx/${id}`
      const published = await platform().world.published(() =>
        ask(`POST ${path}?Silent=true`, { body: { type: 't' } })
      )
      assert.deepEqual([published, (await ask(`GET ${path}`)).json], [[], []])
    })

    test('are named in a text of limited length', async () => {
      const many = Array.from({ length: 500 }, (_, i) => `${'x'.repeat(100)}${i}=1`).join('&')
      const { status, json } = await ask(`GET /api/v2/user/me?${many}`)
      const { message } = json as { message: string }
      assert.equal(status, 400)
      const name = `${'x'.repeat(50)}...`
      const names = Array.from({ length: 5 }, () => name).join(', ')
      assert.equal(message, `unknown parameters ${names} and 495 more; this route knows none`)
    })

    test('tell nothing to callers who may not use the route', async () => {
      const { world } = platform()
      const { id } = await world.installation()
      const stranger = await world.user({
        grants: ['#'],
        organizations: [await world.organization()]
      })
      for (const [line, options, want] of [
        [`GET /api/v2/status/${id}?x=1`, {}, 401],
        [`GET /api/v2/status/${id}?x=1`, { as: stranger }, 403],
        [`GET /metrics?x=1`, {}, 401],
        [`GET /metrics?x=1`, { as: stranger }, 403],
        ['PUT /api/v2/auth?x=1', { body: { challenge: 'x' } }, 401],
        [`POST /api/v2/gateway/verify/${id}?x=1`, {}, 401],
        [`POST /api/v2/gateway/verify/${id}?x=1`, { as: world.admin }, 401]
      ] as const) {
        const { status, text } = await world.request(line, options)
        assert.equal(status, want, `${line} ${text}`)
        assert(!text.includes('unknown'), text)
      }
    })

    test('do not matter if there is no route', async () => {
      for (const line of ['GET /api/v2/nothing?x=1', 'OPTIONS /api/v2/user?x=1', 'GET /mqtt?x=1']) {
        const { status, json } = await ask(line)
        assert.deepEqual([status, json], [404, { message: 'Not found' }], line)
      }
    })

    test('are accepted if a client is known to send them', async () => {
      const { id, client_id } = await platform().world.installation()
      const log = `/api/v3beta/log/${id}?include_total=false`
      const info = `/lynx/api/v2/installationinfo/${client_id}`
      const meta = `/api/v2/user/me/meta/${unique('k')}`
      for (const [line, body] of [
        [`GET ${log}`],
        [`HEAD ${log}`],
        [`GET /lynx${log}`],
        [`POST ${log}`, []],
        [`POST /lynx${log}`, []],
        [`GET ${info}?assigned=false`],
        [`GET ${info}?assigned_only=False`],
        ['GET /lynx/api/v2/installationinfo?assigned_only=False'],
        [`POST /lynx${meta}?silent=false`, { value: 'v' }],
        [`PUT /lynx${meta}?silent=False&create_missing=False`, { value: 'v' }],
        [`DELETE /lynx${meta}?silent=false`],
        ['GET /lynx/api/v2/user?'],
        [`GET /lynx/api/v2/status/${id}?&`]
      ] as const) {
        const { status, text } = await ask(line, body && { body })
        assert.equal(status, 200, `${line}: ${text}`)
      }
      const other = await ask(`GET /api/v2/log/${id}?include_total=false`)
      assert.equal(other.status, 400)
    })
  })

  describe('with an impossible value', () => {
    test('are 400 with their name', async () => {
      const { id } = await platform().world.installation()
      for (const [line, message] of [
        [`/api/v3beta/log/${id}?limit=x`, 'limit must be a whole number'],
        [`/api/v3beta/log/${id}?order=up`, 'order must be desc or asc'],
        [`/api/v3beta/log/${id}?from=yesterday`, 'from must be a number'],
        [`/api/v2/log/${id}?limit=10001`, 'limit must be a whole number from 0 to 10000'],
        ['/api/v2/installationinfo?assigned=2', 'assigned must be true or false'],
        ['/api/v2/installationinfo?organization_id=x', 'organization_id.0 must be a whole number'],
        ['/api/v2/installationinfo?organization_id=,', 'organization_id.0 must be a whole number'],
        [
          `/api/v2/installationinfo?organization_id=${'1,'.repeat(10_001)}`,
          'organization_id must be a list of at most 10000 entries'
        ],
        [
          `/api/v2/schedule/${id}?executor=${'x'.repeat(101)}`,
          'executor must be text of at most 100 characters'
        ],
        ['/api/v2/trace?action=nothing', /^action\.0 must be create or /]
      ] as const) {
        const { status, json } = await ask(`GET ${line}`)
        const said = (json as { message: string }).message
        assert.equal(status, 400, line)
        if (typeof message === 'string') assert.equal(said, message)
        else assert.match(said, message)
      }
    })
  })
})
