import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { onSqlite } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { statusText, store } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const MiB = 1024 * 1024
const grants = ['mqtt/publish/all', 'log/read/all', 'status/read/all']
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
type Result = { imported: number; rejected: number; errors: { line: number; message: string }[] }
type Row = { topic: string; timestamp: number; value: number; msg: string }
type Site = Awaited<ReturnType<World['site']>>

/** Values of one topic, one per second. */
const lines = (count: number, topic = 'obj/a') =>
  Array.from(
    { length: count },
    (_, i) => `{"timestamp":${1_700_000_000 + i},"topic":"${topic}","value":${i}}\n`
  ).join('')

onSqlite('log import', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const as = ({ user }: { user: Account }) => user

  async function post(
    { installation, user }: Site,
    body: string | Buffer,
    headers: Record<string, string> = {}
  ): Promise<{ status: number; json: Result & { message: string } }> {
    const { url } = platform()
    const response = await fetch(`${url}/api/v3beta/log/${installation.id}/import`, {
      method: 'POST',
      headers: { 'x-api-key': user.token, ...headers },
      body: Buffer.from(body as string)
    })
    return {
      status: response.status,
      json: (await response.json()) as Result & { message: string }
    }
  }

  async function imported(site: Site, body: string | Buffer, headers: Record<string, string> = {}) {
    const { status, json } = await post(site, body, headers)
    assert.equal(status, 200, JSON.stringify(json))
    return json
  }

  async function rowsOf({ installation, user }: Site): Promise<Row[]> {
    const path = `GET /api/v3beta/log/${installation.id}?from=0&order=asc&limit=100000`
    const { json } = await platform().world.request(path, { as: user })
    return (json as { data: Row[] }).data.map(({ topic, timestamp, value, msg }) => ({
      topic: topic.slice(topic.indexOf('/') + 1),
      ...{ timestamp, value, msg }
    }))
  }

  async function statusOf({ installation, user }: Site): Promise<[string, number][]> {
    const path = `GET /api/v2/status/${installation.id}`
    const { json } = await platform().world.request(path, { as: user })
    return (json as Row[]).map(({ topic, value }) => [topic.slice(topic.indexOf('/') + 1), value])
  }

  const site = () => platform().world.site(grants)

  test('good lines are stored, and the answer names what is wrong with the others', async () => {
    const house = await site()
    const { client_id } = house.installation
    const other = await platform().world.installation()
    const file = [
      'timestamp,topic,value,msg',
      '1.5,obj/a,21.5,"a, ""b"""',
      `2,${client_id}/obj/a,1,`,
      '3,obj/a,1e400,',
      `3,${other.client_id}/obj/a,1,`,
      '3,obj/+,1,',
      '9999999999,obj/a,1,',
      '',
      '3,set/a,1,'
    ].join('\r\n')
    assert.deepEqual(await imported(house, file, { 'content-type': 'text/csv' }), {
      imported: 2,
      rejected: 5,
      errors: [
        { line: 4, message: 'value must be a finite number' },
        { line: 5, message: 'topic belongs to another installation' },
        { line: 6, message: 'topic must not have +, # or NUL' },
        { line: 7, message: 'timestamp must be between 1970 and one day from now' },
        { line: 9, message: `topic must be obj/... or ${client_id}/obj/...` }
      ]
    })
    assert.deepEqual(await rowsOf(house), [
      { topic: 'obj/a', timestamp: 1.5, value: 21.5, msg: 'a, "b"' },
      { topic: 'obj/a', timestamp: 2, value: 1, msg: '' }
    ])
    assert.deepEqual(await statusOf(house), [['obj/a', 1]])
  })

  test('with any content type, the first line tells CSV from NDJSON', async () => {
    const house = await site()
    for (const type of ['application/x-ndjson', 'application/json', 'text/plain', '']) {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      assert.equal((await imported(house, lines(2), headers)).imported, 2, type)
    }
    const csv = '1700000005,obj/a,5\n'
    assert.equal((await imported(house, csv, { 'content-type': 'application/json' })).imported, 1)
    assert.equal((await rowsOf(house)).length, 3)
    assert.equal((await imported(house, lines(1), { 'content-type': 'text/csv' })).rejected, 1)
  })

  test('an empty file imports nothing', async () => {
    const house = await site()
    const nothing = { imported: 0, rejected: 0, errors: [] }
    for (const body of ['', '\n', '\ufeff', 'timestamp,topic,value,msg\r\n']) {
      assert.deepEqual(await imported(house, body), nothing)
    }
    assert.deepEqual(await imported(house, gzipSync(''), { 'content-encoding': 'gzip' }), nothing)
  })

  test('at most 100 errors are listed, and all are counted', async () => {
    const { errors, ...counts } = await imported(await site(), `${'{}\n'.repeat(500)}${lines(1)}`)
    assert.deepEqual(counts, { imported: 1, rejected: 500 })
    assert.equal(errors.length, 100)
    assert.equal(errors.at(-1)?.line, 100)
  })

  test('importing the same file again, or a part of it, changes nothing', async () => {
    const house = await site()
    await imported(house, lines(1000))
    const before = await rowsOf(house)
    assert.equal(before.length, 1000)
    await imported(house, lines(1000))
    await imported(house, lines(300))
    await imported(house, lines(1000, `${house.installation.client_id}/obj/a`))
    assert.deepEqual(await rowsOf(house), before)
  })

  test('an import updates the latest values: the newest timestamp wins', async () => {
    const house = await site()
    const { installation, user } = house
    const { world } = platform()
    const topic = `${installation.client_id}/obj/a`
    await world.publish(user, topic, { value: 50, timestamp: 1_700_000_050 })
    await imported(house, lines(40))
    assert.deepEqual(await statusOf(house), [['obj/a', 50]], 'older')
    await imported(house, lines(100).split('\n').toReversed().join('\n'))
    assert.deepEqual(await statusOf(house), [['obj/a', 99]], 'newer')
    await imported(house, '1700000099,obj/a,7\n')
    assert.deepEqual(await statusOf(house), [['obj/a', 7]], 'on a tie the later arrival')
    await world.publish(user, topic, { value: 8, timestamp: 1_700_000_099 })
    assert.deepEqual(await statusOf(house), [['obj/a', 8]])
  })

  test('an export can be imported to another installation and exported again unchanged', async () => {
    const [from, to] = [await site(), await site()]
    const texts = ['', 'a,b', '"q"\r\n', '=1', '\t\0', 'ä 😀']
    await store(
      platform(),
      from.installation,
      Array.from({ length: 3000 }, (_, i) => ({
        topic: `obj/${['a', 'b "x"', 'c,d'][i % 3]}`,
        timestamp: unixMs(1_700_000_000_000 + Math.floor(i / 2) * 999),
        value: [i, 1e-9 * i, -1e21 * i, i / 7][i % 4] ?? 0,
        msg: texts[i % texts.length] ?? ''
      }))
    )
    const want = await rowsOf(from)
    const { url } = platform()
    for (const [format, encoding] of [
      ['csv', 'identity'],
      ['ndjson', 'gzip']
    ]) {
      const exported = await fetch(
        `${url}/api/v3beta/log/${from.installation.id}/export?format=${format}`,
        { headers: { 'x-api-key': from.user.token } }
      )
      const text = await exported.text()
      const body = encoding === 'gzip' ? gzipSync(text) : text
      const result = await imported(to, body, { 'content-encoding': encoding ?? '' })
      assert.deepEqual(result, { imported: 3000, rejected: 0, errors: [] })
      assert.deepEqual(await rowsOf(to), want)
    }
  })

  test('broken bytes, long lines, quotes and NUL are handled', async () => {
    const house = await site()
    const long = 'x'.repeat(2 * 1024 * 1024)
    const body = Buffer.concat([
      Buffer.from(lines(1)),
      Buffer.from('{"timestamp":1,"topic":"obj/a","value":1,"msg":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`"}\n{"timestamp":1,"topic":"obj/a","value":1,"msg":"${long}"}\n`),
      Buffer.from('{"timestamp":1,"topic":"obj/\\u0000","value":1}\n{"timestamp":\n\0\n[]\n'),
      Buffer.from('{"__proto__":{"timestamp":1,"topic":"obj/a","value":1}}')
    ])
    const { errors, ...counts } = await imported(house, body)
    assert.deepEqual(counts, { imported: 1, rejected: 7 })
    assert.deepEqual(
      errors.map(({ message }) => message),
      [
        'not valid UTF-8',
        'longer than 524288 bytes',
        'topic must not have +, # or NUL',
        'not a JSON object',
        'not a JSON object',
        'timestamp must be a finite number',
        'timestamp must be a finite number'
      ]
    )
    const endless = await post(house, `1,obj/a,1,"${long}`, { 'content-type': 'text/csv' })
    assert.equal(endless.status, 400)
    assert.match(endless.json.message, /^line 1: .*; 0 samples are stored/)
  })

  test('gzip that is incomplete, broken, unknown or a bomb is refused', slow, async () => {
    const house = await site()
    const gzip = { 'content-encoding': 'gzip' }
    const many = gzipSync(lines(60_000))
    assert.equal((await imported(house, gzipSync(lines(10)), gzip)).imported, 10)
    const cut = await post(house, many.subarray(0, many.length - 20), gzip)
    assert.equal(cut.status, 400)
    assert.match(cut.json.message, /^gzip: unexpected end of file; 5\d{4} samples are stored, and/)
    const stored = Number(/; (\d+) /.exec(cut.json.message)?.[1])
    assert.equal((await rowsOf(house)).length, stored, 'as many as it says')
    const plain = await post(house, lines(3), gzip)
    assert.match(plain.json.message, /^gzip: incorrect header check; 0 samples/)
    assert.equal((await post(house, 'x', { 'content-encoding': 'br' })).status, 415)
    assert.equal((await imported(house, many, gzip)).imported, 60_000, 'all of it again')
    assert.equal((await rowsOf(house)).length, 60_000)

    const bomb = gzipSync(Buffer.alloc(64 * MiB))
    const unfolds = await post(house, bomb, gzip)
    assert.equal(unfolds.status, 413)
    assert.match(
      unfolds.json.message,
      /^The uncompressed body has more than 250 times the compressed size; .*; 0 samples are stored/
    )
    const line = '{"timestamp":1700000000,"topic":"obj/a","value":0}\n'
    const few = gzipSync(Buffer.concat([Buffer.from(lines(10)), Buffer.alloc(8 * MiB, '\n')]))
    assert.equal((await imported(house, few, gzip)).imported, 10, 'empty lines are no lines')
    const blank = gzipSync(Buffer.alloc(11 * MiB, '\n'))
    assert.match(
      (await post(house, blank, gzip)).json.message,
      /^The uncompressed body has more than 10000000 lines/
    )
    assert.equal((await imported(house, line)).imported, 1)
  })

  test('too many bad lines end an import, and do not delay other requests', slow, async () => {
    const house = await site()
    const { status, json } = await post(house, '{\n'.repeat(150_000))
    assert.equal(status, 400)
    assert.match(json.message, /^line 100001: more than 100000 lines are rejected; 0 samples/)
    const wide = `timestamp,topic,value,${'x,'.repeat(200_000)}x\n${'1,obj/a,1\n'.repeat(20_000)}`
    const csv = { 'content-type': 'text/csv' }
    assert.equal((await imported(house, wide, csv)).imported, 20_000)
  })

  test('a hang-up ends the work, also if the whole body has arrived', slow, async () => {
    const house = await site()
    const { history } = platform().deps
    const append = history.append.bind(history)
    let calls = 0
    const first = Promise.withResolvers<void>()
    history.append = (rows, token) => {
      if (!token.startsWith('import:')) return append(rows, token)
      calls++
      first.resolve()
      return append(rows, token)
    }
    const sending = request(`${platform().url}/api/v3beta/log/${house.installation.id}/import`, {
      method: 'POST',
      headers: { 'x-api-key': house.user.token, 'content-encoding': 'gzip' }
    })
    sending.on('error', () => {})
    sending.end(gzipSync(lines(100).repeat(5000)))
    await first.promise
    sending.destroy()
    await wait(1000)
    const after = calls
    await wait(1000)
    history.append = append
    assert.equal(calls, after)
    assert(calls < 5, `${calls} of 10 batches`)
  })

  /** A request whose body is written by hand. */
  function begin({ installation, user }: Site, url = platform().url): ClientRequest {
    const sending = request(`${url}/api/v3beta/log/${installation.id}/import`, {
      method: 'POST',
      headers: { 'x-api-key': user.token, 'content-type': 'application/x-ndjson' }
    })
    sending.on('error', () => {})
    return sending
  }

  const answerOf = async (sending: ClientRequest): Promise<{ status: number; message: string }> => {
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    const text = Buffer.concat(await response.toArray()).toString()
    return { status: response.statusCode ?? 0, message: JSON.parse(text).message }
  }

  test('nothing stays if the installation is deleted during the import', slow, async () => {
    const house = await site()
    const { world, deps } = platform()
    const sending = begin(house)
    sending.write(lines(60_000))
    await eventually(async () => assert((await rowsOf(house)).length > 0))
    const path = `/api/v2/installation/${house.installation.id}`
    const { status } = await world.request(`DELETE ${path}`, { as: world.admin })
    assert.equal(status, 200)
    sending.end(lines(60_000, 'obj/b'))
    assert.deepEqual(await answerOf(sending), { status: 404, message: 'Not found' })
    await eventually(async () => {
      const { total } = await deps.history.readPage({
        ...{ installation_id: house.installation.id, topics: undefined, order: 'asc' },
        ...{ from: unixMs(0), to: unixMs(Date.now()), limit: 1, offset: 0 }
      })
      assert.equal(total, 0)
    })
    assert.equal(await statusText(deps, house.installation.id), '')
  })

  test('if history fails during the import, the answer says how much is stored', slow, async () => {
    const house = await site()
    const { history } = platform().deps
    const append = history.append.bind(history)
    let calls = 0
    history.append = (rows, token) => {
      if (!token.startsWith('import:')) return append(rows, token)
      return ++calls === 2 ? Promise.reject(new Error('disk I/O error')) : append(rows, token)
    }
    const { status, json } = await post(house, lines(160_000))
    history.append = append
    assert.equal(status, 503)
    const stored = (await rowsOf(house)).length
    assert(stored >= 50_000 && stored < 52_000, `${stored} stored`)
    assert.equal(
      json.message,
      `The history does not accept samples; ${stored} samples are stored, and sending all of them again is safe`
    )
    assert.equal((await imported(house, lines(90_000))).imported, 90_000)
    assert.equal((await rowsOf(house)).length, 90_000)
  })

  test('the disk reserve stops an import before and during its work', slow, async () => {
    const house = await site()
    const { deps } = platform()
    const { hasRoom } = deps
    deps.hasRoom = () => false
    const refused = await post(house, lines(1))
    assert.equal(refused.status, 507)
    assert.match(refused.json.message, /^The disk is full up to its reserve; 0 samples/)
    let asked = 0
    deps.hasRoom = () => ++asked < 3
    const stopped = await post(house, lines(160_000))
    deps.hasRoom = hasRoom
    assert.equal(stopped.status, 507)
    const stored = (await rowsOf(house)).length
    assert.match(stopped.json.message, new RegExp(`; ${stored} samples are stored`))
    assert(stored >= 50_000 && stored < 60_000)
  })

  test(
    'a tenant has two imports at once and two that wait, and a hang-up makes room',
    slow,
    async () => {
      const house = await site()
      const waiting = Array.from({ length: 5 }, () => {
        const sending = begin(house)
        sending.write(lines(1))
        return sending
      })
      const refused = await Promise.race(waiting.map(answerOf))
      assert.deepEqual(refused, {
        status: 429,
        message: 'Too many imports at once: an organization has at most 2 running and 2 waiting'
      })
      for (const sending of waiting) sending.destroy()
      await eventually(async () => assert.equal((await post(house, lines(1))).status, 200))
    }
  )

  test('if the server stops, the answer says so', slow, async () => {
    const own = await startTestPlatform()
    const house = await own.world.site(grants)
    const sending = begin(house, own.url)
    sending.write(lines(1))
    const reached = begin(house, own.url)
    reached.end(lines(1))
    await once(reached, 'response')
    const answer = answerOf(sending)
    await own.stop()
    assert.deepEqual(await answer, {
      status: 503,
      message: 'The server stops; 0 samples are stored, and sending all of them again is safe'
    })
  })

  test('ids grow with arrival and are never used twice, also after a restart', slow, async () => {
    const CARACAL_DATA_DIR = mkdtempSync(join(tmpdir(), 'caracal-'))
    // The clock stands still, so only the stored last id keeps the ids different.
    const still = unixMs(1_800_000_000_000)
    const options = { settings: { CARACAL_DATA_DIR }, clock: () => still }
    const idsIn = async (own: Awaited<ReturnType<typeof startTestPlatform>>) => {
      const found = new Map<string, number>()
      for await (const samples of own.deps.history.latest()) {
        for (const { topic, id } of samples) found.set(topic.slice(topic.indexOf('/') + 1), id)
      }
      return found
    }
    let own = await startTestPlatform(options)
    const house = await own.world.site(grants)
    const send = async (topic: string, count = 1) => {
      const sending = begin(house, own.url)
      sending.end(lines(count, topic))
      await once(sending, 'response')
    }
    const publish = (topic: string) =>
      own.world.publish(house.user, `${house.installation.client_id}/${topic}`, { value: 1 })
    await send('obj/1')
    await publish('obj/2')
    await send('obj/3', 2000)
    await own.stop()
    own = await startTestPlatform(options)
    await publish('obj/4')
    await send('obj/5')
    await eventually(async () => assert.equal((await idsIn(own)).size, 5))
    const ids = [...(await idsIn(own))].sort().map(([, id]) => id)
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b)
    )
    assert((ids[3] ?? 0) > (ids[2] ?? 0), 'after the restart')
    await own.stop()
    rmSync(CARACAL_DATA_DIR, { recursive: true })
  })

  for (const [name, given] of [
    ['without mqtt/publish', ['log/read/all']],
    ['with nothing', []]
  ] as const) {
    scenario(`POST log import ${name}`, {
      given: (world) => world.site(given),
      as,
      request: ({ installation }) => `POST /api/v3beta/log/${installation.id}/import`,
      body: lines(1),
      expect: forbidden
    })
  }
  scenario('POST log import of a foreign installation', {
    given: async (world) => ({
      ...(await world.site(grants)),
      foreign: await world.installation()
    }),
    as,
    request: ({ foreign }) => `POST /api/v3beta/log/${foreign.id}/import`,
    body: lines(1),
    expect: forbidden
  })
  scenario('POST log import without a token', {
    request: 'POST /api/v3beta/log/1/import',
    body: lines(1),
    expect: unauthorized
  })
  scenario('POST log still accepts only JSON', {
    given: (world) => world.site(grants),
    as,
    request: ({ installation }) => `POST /api/v3beta/log/${installation.id}`,
    body: lines(2),
    expect: { status: 400, body: { message: 'body is not valid JSON' } }
  })
})
