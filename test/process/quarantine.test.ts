import assert from 'node:assert/strict'
import { cpSync, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { damageFrame } from '../support/damaged-frame.ts'
import { eventually } from '../support/eventually.ts'
import {
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { listedPacks, rowsFrom, sampleAt } from '../support/whole-history.ts'

const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}
const september = Date.UTC(2026, 8, 5)
const october = Date.UTC(2026, 9, 5)
/** In each month, of each of the two topics; more than a block holds. */
const SAMPLES = 20_000

const prepared = temporaryDirectory()
let site: { token: string; id: number; client_id: number }
/** The packed file of September. */
let name: string
before(async () => {
  const first = await startCaracal({ CARACAL_DATA_DIR: prepared, ...admin })
  site = await createInstallation(first, 'Cabin')
  assert.equal(await first.kill('SIGTERM'), 0)
  const directory = join(prepared, 'history/sqlite')
  const history = await openSqliteHistory(directory)
  const { id: installation_id, client_id } = site
  for (const start of [september, october]) {
    const samples = ['a', 'b'].flatMap((letter) =>
      Array.from({ length: SAMPLES }, (_, i) =>
        sampleAt(start + i * 1000 + ((i * 7919) % 900), {
          ...{ installation_id, client_id, topic: `${client_id}/obj/${letter}`, value: i }
        })
      )
    )
    await history.append(rowsFrom(samples), `batch ${start}`)
  }
  await history.packAll()
  await history.close()
  name = listedPacks(directory).find((one) => one.startsWith('2026-09')) ?? assert.fail()
})

function copied() {
  const CARACAL_DATA_DIR = temporaryDirectory()
  cpSync(prepared, CARACAL_DATA_DIR, { recursive: true })
  const file = join(CARACAL_DATA_DIR, 'history/sqlite/packs', name)
  return { env: { CARACAL_DATA_DIR, ...admin }, file, dataDir: CARACAL_DATA_DIR }
}

type Health = { status: string; engines: { history: { ok: boolean; detail: string } } }

async function asked(url: string) {
  const read = (path: string) => fetch(url + path, { headers: { 'x-api-key': site.token } })
  const total = async (from: number) => {
    const window = `from=${from / 1000}&to=${from / 1000 + 86_400}&limit=1`
    const answer = await read(`/api/v3beta/log/${site.id}?${window}`)
    return answer.ok ? ((await answer.json()) as { total: number }).total : answer.status
  }
  const health = await read('/health/ready')
  const status = (await (await read(`/api/v2/status/${site.id}`)).json()) as { value: number }[]
  return {
    september: await total(september),
    october: await total(october),
    ready: health.status,
    detail: ((await health.json()) as Health).engines.history.detail,
    latest: status.map(({ value }) => value)
  }
}

const LATEST = [SAMPLES - 1, SAMPLES - 1]

test('a packed file that is missing is said at the start, queries that need it fail, and all else works', async () => {
  const { env, file, dataDir } = copied()
  const aside = join(dataDir, 'aside.pack')
  renameSync(file, aside)
  const caracal = await startCaracal(env)
  const line = await eventually(() => {
    const lines = caracal.printed().split('\n')
    const found = lines.find((one) => one.includes('a packed file of history is broken'))
    assert(found)
    return found
  })
  const { file: told, month, samples, from, to } = JSON.parse(line)
  assert.deepEqual([told, month, samples], [name, '2026-09', 2 * SAMPLES])
  assert.match(`${from} ${to}`, /^2026-09-05T00:00:00Z 2026-09-05T05:33:/)
  const found = await asked(caracal.url)
  assert.deepEqual(
    { ...found, detail: '' },
    { september: 500, october: 2 * SAMPLES, ready: 503, detail: '', latest: LATEST }
  )
  assert(found.detail.includes(name), found.detail)
  // The file is put back: reading it again finds that it is whole.
  renameSync(aside, file)
  const looked = await runCaracal(env, ['quarantine'])
  assert.deepEqual([looked.code, looked.out], [0, '2 files read, nothing is broken.\n'], looked.err)
  const again = await asked(caracal.url)
  assert.deepEqual([again.september, again.ready], [2 * SAMPLES, 200])
  assert.equal(await caracal.kill('SIGTERM'), 0)
})

test('quarantine on a running platform keeps what is whole, and answers go on', async () => {
  const { env, file, dataDir } = copied()
  damageFrame(file, 'times')
  const caracal = await startCaracal(env)
  assert.equal((await asked(caracal.url)).september, 500)
  const looked = await runCaracal(env, ['quarantine', '--json'])
  assert.equal(looked.code, 1, looked.err)
  const [broken] = JSON.parse(looked.out).broken
  assert.deepEqual(
    [broken.file, broken.samples, broken.topics.length, broken.topics[0].topic],
    [name, 2 * SAMPLES, 1, `${site.client_id}/obj/a`]
  )
  assert(broken.lost > 0 && broken.lost === broken.topics[0].samples && broken.lost < SAMPLES)
  assert.equal((await runCaracal(env, ['quarantine', '../registry.sqlite'])).code, 1)
  const done = await runCaracal(env, ['quarantine', name])
  assert.equal(done.code, 0, done.err)
  assert.match(done.out, new RegExp(`${site.client_id}/obj/a of installation ${site.id}: `))
  assert(existsSync(join(dataDir, 'quarantine', name)) && !existsSync(file))
  const found = await asked(caracal.url)
  assert.deepEqual(
    { ...found, detail: '' },
    {
      ...{ september: 2 * SAMPLES - broken.lost, october: 2 * SAMPLES },
      ...{ ready: 200, detail: '', latest: LATEST }
    }
  )
  assert.match(found.detail, /values of 2026-09 are in quarantine and missing in answers/)
  await eventually(() => assert.match(caracal.printed(), /a broken file of history was set aside/))
  const status = await runCaracal(env, ['status'])
  assert.match(status.out, /in quarantine and missing in answers/)
  await caracal.kill('SIGKILL')
  // It is remembered.
  const second = await startCaracal(env)
  await eventually(() => assert.match(second.printed(), /was killed/))
  assert.match((await asked(second.url)).detail, /in quarantine/)
  assert.equal(await second.kill('SIGTERM'), 0)
  const third = await runCaracal(env, ['quarantine'])
  assert.equal(third.code, 0)
  assert.match(third.out, new RegExp(`${name}: in quarantine since 20`))
})

test('quarantine on a stopped platform keeps what lies before the end of a file that was cut short', async () => {
  const { env, file, dataDir } = copied()
  // More blocks than a page of the index has, so that some pages are before the cut.
  const directory = join(dataDir, 'history/sqlite')
  const history = await openSqliteHistory(directory)
  const { id: installation_id, client_id } = site
  const many = Array.from({ length: 300 }, (_, i) =>
    Array.from({ length: 200 }, (_, k) =>
      sampleAt(Date.UTC(2026, 7, 5) + k * 1000, {
        ...{ installation_id, client_id, topic: `${client_id}/obj/many/${i}`, value: k * i }
      })
    )
  ).flat()
  await history.append(rowsFrom(many), 'many')
  await history.packAll()
  await history.close()
  const august = listedPacks(directory).find((one) => one.startsWith('2026-08')) ?? assert.fail()
  const path = join(directory, 'packs', august)
  truncateSync(path, statSync(path).size - 2000)
  rmSync(file)
  const done = await runCaracal(env, ['quarantine', '--all', '--json'])
  assert.equal(done.code, 0, done.err + done.out)
  const { set_aside } = JSON.parse(done.out) as {
    set_aside: { file: string; lost: number; samples: number }[]
  }
  assert.deepEqual(
    set_aside.map(({ file, samples }) => [file, samples]),
    [
      [august, many.length],
      [name, 2 * SAMPLES]
    ]
  )
  // Two whole pages of the index were found again; the last one was cut.
  assert.deepEqual(
    set_aside.map(({ lost }) => lost),
    [(300 - 256) * 200, 2 * SAMPLES]
  )
  const caracal = await startCaracal(env)
  await eventually(() => assert.match(caracal.printed(), /history 2 months, 91 200 samples/))
  await eventually(() => assert.match(caracal.printed(), /last stopped cleanly/))
  const found = await asked(caracal.url)
  assert.deepEqual([found.september, found.october, found.ready], [0, 2 * SAMPLES, 200])
  assert.equal(await caracal.kill('SIGTERM'), 0)
})

test('a crash before the broken file was moved leaves it to the next start', async () => {
  const { file, dataDir } = copied()
  truncateSync(file, 100)
  const directory = join(dataDir, 'history/sqlite')
  const quarantine = join(dataDir, 'quarantine')
  const first = await openSqliteHistory(directory, { quarantine })
  const damage = await first.files.quarantine(name)
  assert.equal(damage?.lost, 2 * SAMPLES)
  assert.equal(await first.files.quarantine(name), undefined)
  await first.close()
  // As the crash would have left it.
  renameSync(join(quarantine, name), file)
  const second = await openSqliteHistory(directory, { quarantine })
  assert.deepEqual([existsSync(file), existsSync(join(quarantine, name))], [false, true])
  const [kept] = second.files.quarantined
  assert.deepEqual([kept?.name, kept?.lost], [name, 2 * SAMPLES])
  await second.check()
  // With the month, what was missed of it is forgotten.
  await second.dropBefore(unixMs(Date.UTC(2026, 9, 2)))
  assert.deepEqual(second.files.quarantined, [])
  await second.close()
})

test('packing and merging leave a broken file out, and say it once', async () => {
  const { file, dataDir } = copied()
  truncateSync(file, 100)
  const directory = join(dataDir, 'history/sqlite')
  const told: string[] = []
  const failures: unknown[] = []
  const history = await openSqliteHistory(directory, {
    onBroken: (one) => void told.push(one.name),
    outage: { failed: (error) => void failures.push(error), worked: () => {} }
  })
  const { id: installation_id, client_id } = site
  for (let i = 0; i < 3; i++) {
    const later = sampleAt(september + 86_400_000 + i, {
      ...{ installation_id, client_id, topic: `${client_id}/obj/a`, value: i }
    })
    await history.append(rowsFrom([later]), `later ${i}`)
    await history.packAll()
  }
  const packs = listedPacks(directory).filter((one) => one.startsWith('2026-09'))
  assert.deepEqual([packs.length, packs.includes(name)], [2, true])
  assert.deepEqual([told, failures], [[name], []])
  await assert.rejects(
    history.readPage({
      ...{ installation_id, topics: undefined, from: unixMs(september), to: unixMs(october) },
      ...{ order: 'asc', limit: 10, offset: 0 }
    }),
    /is damaged/
  )
  await history.close()
})

test('history without its list of packed files does not start, and removes none of them', async () => {
  const { env, file, dataDir } = copied()
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(dataDir, `history/sqlite/history.sqlite${end}`), { force: true })
  const { code, out, err } = await runCaracal(env)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err.trimEnd().split('\n').at(-1) ?? '', /^caracal: .*history\.sqlite is missing/)
  assert(existsSync(file))
})
