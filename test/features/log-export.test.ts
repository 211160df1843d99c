import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { onSqlite } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { store } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const grants = ['log/read/all']
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const csv = 'timestamp,topic,value,msg\n1,obj/a,1,\n1,obj/b,-0.0000005,"x, ""y"""\n2.5,obj/a,2,\n'

onSqlite('log export', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const as = ({ user }: { user: Account }) => user

  const house = async (world: World) => {
    const site = await world.site(grants)
    await store(platform(), site.installation, [
      { topic: 'obj/a', timestamp: unixMs(2500), value: 2 },
      { topic: 'obj/b', timestamp: unixMs(1000), value: -5e-7, msg: 'x, "y"' },
      { topic: 'obj/a', timestamp: unixMs(1000) }
    ])
    return { ...site, path: `/api/v3beta/log/${site.installation.id}/export` }
  }

  test('a file has the requested format, time window and topics', async () => {
    const { world } = platform()
    const { path, user, installation } = await house(world)
    const read = async (query: string, headers: Record<string, string> = {}) => {
      const answer = await world.request(`GET ${path}${query}`, { as: user, headers })
      assert.equal(answer.status, 200, answer.text)
      return answer
    }
    const { text, headers } = await read('')
    assert.equal(text, csv)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename=log-${installation.id}.csv`
    )
    const [header, a1, b, a2] = csv.split(/(?<=\n)/)
    assert.equal((await read('?format=csv', { accept: 'application/x-ndjson' })).text, csv)
    assert.equal((await read('', { accept: 'text/csv' })).text, csv)
    assert.equal((await read('?from=2')).text, `${header}${a2}`)
    assert.equal((await read('?to=1')).text, `${header}${a1}${b}`)
    assert.equal((await read('?from=2.5&to=2.5')).text, `${header}${a2}`)
    assert.equal((await read('?topics=obj/b')).text, `${header}${b}`)
    assert.equal((await read(`?topics=${installation.client_id}/obj/%2B`)).text, csv)
    assert.equal((await read('?topics=obj/none')).text, header)
    assert.equal((await read('?topics=obj/none,obj/b')).text, `${header}${b}`)
    assert.equal((await read('?topics=,')).text, header)

    const lines = await read('', { accept: 'application/x-ndjson' })
    assert.match(lines.headers.get('content-type') ?? '', /^application\/x-ndjson/)
    assert.match(lines.headers.get('content-disposition') ?? '', /\.ndjson$/)
    assert.deepEqual(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        { timestamp: 1, topic: 'obj/a', value: 1, msg: '' },
        { timestamp: 1, topic: 'obj/b', value: -5e-7, msg: 'x, "y"' },
        { timestamp: 2.5, topic: 'obj/a', value: 2, msg: '' }
      ]
    )
    assert.equal((await read('?format=ndjson')).text, lines.text)
  })

  const open = async (path: string, user: Account, headers: Record<string, string> = {}) => {
    const url = path.startsWith('/') ? platform().url + path : path
    const request = get(url, { headers: { 'x-api-key': user.token, ...headers } })
    request.on('error', () => {})
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }

  test('an export is gzipped only if the client asks for it', async () => {
    const { path, user } = await house(platform().world)
    const read = async (accepted: string) => {
      const response = await open(path, user, { 'accept-encoding': accepted })
      const bytes = Buffer.concat(await response.toArray())
      return { bytes, encoding: response.headers['content-encoding'] }
    }
    for (const accepted of ['gzip', 'deflate, gzip;q=0.5']) {
      const { bytes, encoding } = await read(accepted)
      assert.equal(encoding, 'gzip')
      assert.equal(gunzipSync(bytes).toString(), csv)
    }
    for (const accepted of ['', 'identity', 'gzip;q=0', 'gzip;q=0.0, br']) {
      const { bytes, encoding } = await read(accepted)
      assert.equal(encoding, undefined, accepted)
      assert.equal(bytes.toString(), csv)
    }
  })

  test('a slow client slows down the reading, and a hang-up ends it', slow, async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(grants)
    const msg = 'long '.repeat(200)
    for (let batch = 0; batch < 6; batch++) {
      const samples = Array.from({ length: 10_000 }, (_, i) => ({
        ...{ topic: `obj/${i % 10}`, value: i, msg },
        timestamp: unixMs(1_700_000_000_000 + (batch * 10_000 + i) * 500)
      }))
      await store(platform(), installation, samples)
    }
    const { history } = deps
    const scan = history.scan.bind(history)
    let [bytes, ended] = [0, false]
    history.scan = async function* counted(...args) {
      try {
        for await (const part of scan(...args)) {
          bytes += part.length
          yield part
        }
      } finally {
        ended = true
      }
    }
    for (const encoding of ['identity', 'gzip']) {
      ;[bytes, ended] = [0, false]
      const headers = { 'accept-encoding': encoding }
      const response = await open(`/api/v3beta/log/${installation.id}/export`, user, headers)
      if (encoding === 'identity') {
        await eventually(async () => {
          const before = bytes
          await wait(500)
          assert(before > 0 && bytes === before, 'it does not read on for nobody')
        })
        assert(bytes < 30 * 1024 * 1024, `${bytes} of 60 MB`)
      }
      response.destroy()
      await eventually(() => assert(ended))
    }
    history.scan = scan
  })

  test('a client that reads nothing does not delay the stop', slow, async () => {
    const own = await startTestPlatform()
    const { installation, user } = await own.world.site(grants)
    const samples = Array.from({ length: 20_000 }, (_, i) => ({
      ...{ topic: 'obj/a', value: i, msg: 'long '.repeat(200) },
      timestamp: unixMs(1_700_000_000_000 + i)
    }))
    await store(own, installation, samples)
    const response = await open(`${own.url}/api/v3beta/log/${installation.id}/export`, user)
    await own.stop()
    await assert.rejects(response.toArray(), 'the file is cut off, and its reader sees it')
  })

  for (const [query, message] of [
    ['from=x', 'from must be a number'],
    ['to=-100000000001', 'to must be a number from -100000000000 to 100000000000'],
    ['from=200&to=100', 'from must not be later than to'],
    ['format=xml', 'format must be csv or ndjson']
  ]) {
    scenario(`GET log export?${query}`, {
      given: (world) => world.site(grants),
      as,
      request: ({ installation }) => `GET /api/v3beta/log/${installation.id}/export?${query}`,
      expect: { status: 400, body: { message } }
    })
  }

  scenario('HEAD log export', {
    given: (world) => world.site(grants),
    as,
    request: ({ installation }) => `HEAD /api/v3beta/log/${installation.id}/export`,
    expect: { status: 404 }
  })

  scenario('GET log export without log/read', {
    given: (world) => world.site(['status/read/all']),
    as,
    request: ({ installation }) => `GET /api/v3beta/log/${installation.id}/export`,
    expect: forbidden
  })
  scenario('GET log export of a foreign installation', {
    given: async (world) => ({
      ...(await world.site(grants)),
      foreign: await world.installation()
    }),
    as,
    request: ({ foreign }) => `GET /api/v3beta/log/${foreign.id}/export`,
    expect: forbidden
  })
  scenario('GET log export without a token', {
    request: 'GET /api/v3beta/log/1/export',
    expect: unauthorized
  })
})
