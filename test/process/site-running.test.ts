import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { decodeSamples, encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { command, exported, imported, refused } from '../support/site.ts'
import { device, head, readWhole, site, writeSite } from '../support/site-file.ts'

const directory = temporaryDirectory()
const place = (name: string) => join(directory, name)
const DATA = { CARACAL_DATA_DIR: place('data') }
let platform: TestPlatform

const start = async () => {
  const settings = { ...DATA, CARACAL_QUOTA_INSTALLATION: 'topics=30' }
  platform = await startTestPlatform({ settings })
}
before(start)
after(() => platform.stop())

const rowsOf = (count: number, topics: number) =>
  Array.from({ length: count }, (_, i) =>
    encodeSample({
      ...{ id: i + 1, installation_id: 7, client_id: 1007, topic: `1007/obj/${i % topics}` },
      ...{ timestamp: unixMs(1.7e12 + i), value: i, msg: '' }
    })
  ).join('')

/** Everything that an import could leave in the registry and in history. */
async function traces() {
  const { registry, history } = platform.deps
  const count = async (table: 'installations' | 'modelx' | 'erasures' | 'files' | 'quotas') => {
    const { n } = await registry
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return n
  }
  const latest = []
  for await (const part of history.latest()) latest.push(...part.map(({ topic }) => topic))
  let samples = 0
  for (const { name } of (await history.sizes()).months) {
    for await (const part of history.readMonth(name)) samples += part.count
  }
  const rows = await Promise.all(
    (['installations', 'modelx', 'erasures', 'files', 'quotas'] as const).map(count)
  )
  return { rows, latest: latest.sort(), samples }
}

test('an export has every value that was acknowledged before it, while others arrive', async () => {
  const { world } = platform
  const { id, client_id } = await world.installation({ organization_id: 1 })
  const client = await world.mqtt(world.admin)
  let value = 0
  let isOver = false
  const publish = async () => {
    while (!isOver) {
      const mine = ++value
      const payload = JSON.stringify({ value: mine, timestamp: Date.now() / 1000 })
      await client.publish(`${client_id}/obj/${mine % 5}`, payload, { qos: 1 })
    }
  }
  const publishers = [publish(), publish(), publish()]
  await eventually(() => assert(value > 200))
  const acknowledged = value - publishers.length
  const began = Date.now()
  await exported(DATA, id, place('arriving'))
  const ended = value
  await eventually(() => assert(value > ended + 50))
  isOver = true
  await Promise.all(publishers)
  const samples = (await readWhole(place('arriving'))).flatMap((part) =>
    part.of === 'samples' ? part.samples : []
  )
  const values = new Set(samples.map((sample) => sample.value))
  assert.equal(values.size, samples.length, 'each once')
  for (let i = 1; i <= acknowledged; i++) assert(values.has(i), `value ${i}`)
  // It took the values of one moment, shortly after the command was given.
  assert(samples.every(({ timestamp }) => timestamp < began + 2000))
  assert(samples.length < value)
})

test('an export overwrites nothing, and finds the installation by its name', async () => {
  const { world } = platform
  const { id, name } = await world.installation({ organization_id: 1 })
  writeFileSync(place('taken'), 'mine')
  const { code, json } = await command(DATA, ['export', name, place('taken')])
  assert.equal(code, 1)
  assert.match(json.error, /taken is already there/)
  assert.equal(readFileSync(place('taken'), 'utf8'), 'mine')
  const found = await command(DATA, ['export', name, place('by-name')])
  assert.deepEqual([found.code, found.json.installation_id], [0, id])
  const unknown = await command(DATA, ['export', 'nowhere', place('x')])
  assert.match(unknown.json.error, /there is no installation nowhere/)
  const nowhere = await command(DATA, ['export', String(id), place('no/such/directory')])
  assert.equal(nowhere.code, 1)
  assert(!existsSync(place('x')) && !existsSync(place('x.partial')))
})

test('an import that is refused changes nothing', async () => {
  const was = await traces()
  const lines = [head, site, device(1)]
  const many = await writeSite(place('many'), lines, { rows: rowsOf(100, 31) })
  assert.match(await refused(DATA, many), /beyond the quota topics, of which 30 is left/)
  const few = await writeSite(place('few'), lines, { rows: rowsOf(100, 30) })
  assert.match(await refused(DATA, few, ['--organization', '999']), /no organization 999/)
  assert.match(await refused(DATA, place('missing')), /ENOENT/)
  writeFileSync(place('cut'), readFileSync(few).subarray(0, -10))
  assert.match(await refused(DATA, place('cut')), /cut off/)
  assert.deepEqual(await traces(), was)
})

test('quotas in a file count only if the operator says so', async () => {
  const record = { ...(site[1] as object), quotas: { topics: 40 } }
  const lines = [head, ['installation', record] as const]
  const file = await writeSite(place('quotas'), lines, { rows: rowsOf(100, 35) })
  assert.match(await refused(DATA, file), /beyond the quota topics/)
  const { id, left_behind } = await imported(DATA, file, ['--with-quotas'])
  assert.deepEqual(left_behind, [])
  assert.equal(platform.deps.quotas.limit('installation', id, 'topics'), 40)
})

test('samples of one topic and time keep their order, and the last one is the latest', async () => {
  const at = { installation_id: 7, client_id: 1007, topic: '1007/obj/a', timestamp: unixMs(1.7e12) }
  // In the file they are sorted by value.
  const rows = [
    [30, 1],
    [10, 2],
    [20, 3]
  ].map(([id = 0, value = 0]) => encodeSample({ ...at, id, value, msg: '' }))
  const file = await writeSite(place('order'), [head, site], { rows: rows.join('') })
  const { id } = await imported(DATA, file)
  const { world, deps } = platform
  const log = await world.request(`GET /api/v3beta/log/${id}?from=0&order=asc`, { as: world.admin })
  const { data } = log.json as { data: { value: number }[] }
  assert.deepEqual(
    data.map(({ value }) => value),
    [2, 3, 1]
  )
  const status = await world.request(`GET /api/v2/status/${id}`, { as: world.admin })
  assert.match(status.text, /"value":1,/)
  const now = Date.now() * 1000
  for await (const part of deps.history.readMonth('2023-11')) {
    const found = [...decodeSamples(part.rows)].filter(
      ({ installation_id }) => installation_id === id
    )
    for (const sample of found) assert(Math.abs(sample.id - now) < 60_000_000, 'ids are of now')
  }
})

test('a latest value whose samples are gone comes along', async () => {
  const row = encodeSample({
    ...{ id: 1, installation_id: 7, client_id: 1007, topic: '1007/obj/old' },
    ...{ timestamp: unixMs(1000), value: 5, msg: 'long ago' }
  })
  const file = await writeSite(place('latest'), [head, site], { latest: row })
  const { id } = await imported(DATA, file)
  const { world } = platform
  const status = await world.request(`GET /api/v2/status/${id}`, { as: world.admin })
  assert.match(status.text, /"value":5,"msg":"long ago"/)
  const log = await world.request(`GET /api/v3beta/log/${id}?from=0`, { as: world.admin })
  assert.equal((log.json as { total: number }).total, 0)
})

test('an import ends with the command that asked for it, and leaves nothing behind', async () => {
  const was = await traces()
  const objects = Array.from({ length: 3000 }, (_, i) => device(i + 1))
  const file = await writeSite(place('left'), [head, site, ...objects], { rows: rowsOf(5000, 20) })
  const body = JSON.stringify({ file })
  const asked = request({
    ...{ socketPath: join(DATA.CARACAL_DATA_DIR, 'control.sock'), path: '/site/import' },
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } }
  })
  asked.on('error', () => {})
  asked.end(body)
  // Objects are stored now, and nobody sees them.
  await eventually(async () => assert(((await traces()).rows[1] ?? 0) > (was.rows[1] ?? 0)))
  const { world } = platform
  const list = await world.request('GET /api/v2/installation', { as: world.admin })
  assert.equal((list.json as unknown[]).length, was.rows[0])
  const second = await refused(DATA, file)
  assert.match(second, /another export or import is running/)
  asked.destroy()
  await eventually(async () => assert.deepEqual(await traces(), was))
})

test('a stopped platform is asked in the same way', async () => {
  const { world } = platform
  const { id, client_id } = await world.installation({ organization_id: 1, name: 'stopped' })
  await world.publish(world.admin, `${client_id}/obj/a`, { value: 7, msg: 'x' })
  await platform.stop()
  await exported(DATA, id, place('stopped'))
  const made = await imported(DATA, place('stopped'), ['--name', 'again'])
  const running = await command(DATA, ['status'])
  assert.equal(running.json.running, false)
  await start()
  const status = await platform.world.request(`GET /api/v2/status/${made.id}`, {
    as: platform.world.admin
  })
  assert.match(status.text, /"value":7,"msg":"x"/)
  assert.deepEqual((await traces()).rows[2], 0)
})
