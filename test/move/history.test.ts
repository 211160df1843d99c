import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { History } from '../../src/history/history.ts'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { HOUR, unixMs } from '../../src/lib/unix-time.ts'
import type { Checkpoint } from '../../src/move/checkpoint.ts'
import { compareHistory } from '../../src/move/compare-history.ts'
import { eventually } from '../support/eventually.ts'
import { moveBetween } from '../support/move-history.ts'
import { temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'

const start = Date.UTC(2024, 0)
const KILLS = rounds(6, 1)
const SAMPLES = rounds(700_000, 60_000)

let lastId = 0
const sample = (fields: Partial<Sample>): Sample => ({
  ...{ installation_id: 1, client_id: 1001, topic: '1001/obj/a', timestamp: unixMs(start) },
  ...{ value: 1, msg: '', id: ++lastId },
  ...fields
})
const rowsOf = (samples: readonly Sample[]) => Buffer.from(samples.map(encodeSample).join(''))

const withHistory = async <T>(dataDir: string, work: (history: History) => Promise<T>) => {
  const history = await openHistory({ url: '', dataDir })
  try {
    return await work(history)
  } finally {
    await history.close()
  }
}

/** Three months of several installations. Of the first month only the latest values are left. */
async function fill(dataDir: string, rows: number): Promise<void> {
  const month = 31 * 24 * HOUR
  const samples = Array.from({ length: rows }, (_, i) => {
    const site = 1 + (i % 5)
    return sample({
      installation_id: site,
      client_id: 1000 + site,
      topic: `${1000 + site}/obj/${i % 7}`,
      timestamp: unixMs(start + Math.floor((i / rows) * 3 * month)),
      value: i / 3,
      msg: i % 11 === 0 ? `\t${i}\n` : ''
    })
  })
  await withHistory(dataDir, async (history) => {
    await history.append(rowsOf([sample({ installation_id: 9, topic: '1009/obj/old' })]), 'old')
    await history.dropBefore(unixMs(Date.UTC(2024, 1)))
    await history.append(rowsOf(samples.filter(({ timestamp }) => timestamp > 0)), 'many')
    // The sample that arrived later is the latest, not the one with the greater value.
    const at = unixMs(start + 3 * month)
    const tie = [9, 1].map((value) => sample({ topic: '1001/obj/tie', timestamp: at, value }))
    for (const one of tie) await history.append(rowsOf([one]), `tie ${one.id}`)
  })
}

async function putInSpool(dataDir: string, samples: readonly Sample[]): Promise<void> {
  const spool = await Spool.open(dataDir)
  for (const one of samples) await spool.append(encodeSample(one), one.id)
  await spool.close()
}

const compare = (here: string, there: string) =>
  withHistory(here, (from) => withHistory(there, (to) => compareHistory(from, to, () => {})))

test('history moves with its ids, its latest values and the samples of the spool', async () => {
  const [here, there] = [temporaryDirectory(), temporaryDirectory()]
  await fill(here, 20_000)
  const late = sample({ topic: '1001/obj/late', msg: 'acknowledged' })
  await putInSpool(here, [late])
  await moveBetween(here, there)
  assert.deepEqual(await compare(here, there), { samples: 20_003, topics: 38 })
  const latest = await withHistory(there, async (history) => {
    const found: Sample[] = []
    for await (const samples of history.latest()) found.push(...samples)
    return found
  })
  assert.deepEqual(
    latest.find(({ topic }) => topic === late.topic),
    late
  )
  assert.equal(latest.find(({ topic }) => topic === '1001/obj/tie')?.value, 1)
  assert(latest.some(({ topic }) => topic === '1009/obj/old'))
  const spool = await Spool.open(here)
  assert.equal((await spool.state()).samples, 0)
  await spool.close()

  await moveBetween(here, there)
  await putInSpool(here, [sample({ timestamp: unixMs(start + 1), msg: 'came later' })])
  await moveBetween(here, there)
  assert.equal((await compare(here, there)).samples, 20_004)
})

test('a target with other samples is refused; an emptied target begins again', async () => {
  const [here, there] = [temporaryDirectory(), temporaryDirectory()]
  await fill(here, 100)
  const stranger = sample({ installation_id: 77 })
  await withHistory(there, (history) => history.append(rowsOf([stranger]), 'theirs'))
  await assert.rejects(moveBetween(here, there), /already holds samples: give it an empty database/)
  assert(!existsSync(join(here, 'move.json')))
  rmSync(join(there, 'history'), { recursive: true })
  await moveBetween(here, there)
  rmSync(join(there, 'history'), { recursive: true })
  await moveBetween(here, there)
  assert.equal((await compare(here, there)).samples, 102)
})

test('a difference is found and named', async () => {
  const [here, there] = [temporaryDirectory(), temporaryDirectory()]
  await fill(here, 1000)
  await moveBetween(here, there)
  const at = unixMs(Date.UTC(2024, 1, 3))
  const extra = sample({ installation_id: 3, topic: '1003/obj/0', timestamp: at })
  await withHistory(there, (history) => history.append(rowsOf([extra]), 'extra'))
  await assert.rejects(moveBetween(here, there), /installation 3 differs in 2024-02: \d+ samples/)
  await withHistory(here, (history) => history.append(rowsOf([extra]), 'extra'))
  await moveBetween(here, there)
  const newer = { ...extra, topic: '1003/obj/1', timestamp: unixMs(at + 400 * 24 * HOUR) }
  await withHistory(there, (history) => history.keepLatest(rowsOf([newer]), 'newer'))
  await assert.rejects(
    moveBetween(here, there),
    /the latest values differ: 37 topics in the source/
  )
})

test(`a move that is killed ${KILLS} times and started again ends with the same result`, async () => {
  const [here, there] = [temporaryDirectory(), temporaryDirectory()]
  await fill(here, SAMPLES)
  const entry = fileURLToPath(new URL('../support/move-history.ts', import.meta.url))
  const running = (): ChildProcess => spawn(process.execPath, [entry, here, there])
  const reached = () => {
    const file = join(here, 'move.json')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  let whole = 0
  for (let round = 0; round < KILLS; round++) {
    const before = reached()
    const child = running()
    const exited = once(child, 'exit')
    await eventually(() => assert(child.exitCode !== null || reached() !== before), 60_000)
    child.kill('SIGKILL')
    await exited
    const { months } = JSON.parse(reached()) as Checkpoint
    assert(months.length >= whole, 'never further back than it was')
    whole = months.length
  }
  const [code] = await once(running(), 'exit')
  assert.equal(code, 0)
  assert.deepEqual(await compare(here, there), { samples: SAMPLES + 2, topics: 37 })
})
