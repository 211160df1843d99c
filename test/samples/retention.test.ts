import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import type { History } from '../../src/history/history.ts'
import { openHistory } from '../../src/history/open.ts'
import type { SqliteHistory } from '../../src/history/sqlite/history.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { DAY, endOfMonth, HOUR, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { Metrics } from '../../src/metrics.ts'
import { Retention } from '../../src/samples/retention.ts'

const now = unixMs(Date.UTC(2026, 5, 15))
const ROWS = 50_000
let id = 0

/** A history with one topic in each of the months. */
async function withMonths(t: TestContext, ...months: string[]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'retention-'))
  const history = (await openHistory({ url: '', dataDir })) as SqliteHistory
  t.after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })
  for (const month of months) await fill(history, month)
  await history.packAll()
  return { history, directory: join(dataDir, 'history/sqlite') }
}

async function fill(history: History, month: string): Promise<void> {
  const end = endOfMonth(month)
  const rows = Array.from({ length: ROWS }, (_, i) =>
    encodeSample({
      ...{ id: ++id, installation_id: 1, client_id: 7, topic: `7/obj/${month}`, msg: '' },
      value: Math.round(1e6 * Math.sin(i * i)),
      timestamp: unixMs(end - SECOND * (i + 1))
    })
  )
  await history.append(Buffer.from(rows.join('')), `batch of ${month}`)
}

function retentionOf(
  history: History,
  limits: { retentionDays?: number; budget?: number; floorDays?: number }
) {
  const logged: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) })
  const metrics = new Metrics()
  const parts = { retentionDays: 0, budget: 0, floorDays: 30, ...limits }
  const retention = new Retention({ history, metrics, log, ...parts })
  const dropped = () =>
    logged.filter(({ msg }) => msg === 'a month of history was dropped').map(({ month }) => month)
  return { retention, logged, metrics, dropped }
}

const monthsOf = async (history: History) => (await history.sizes()).months.map(({ name }) => name)

test('by age: drops the months that were over at the limit, but not the month of the limit', async (t) => {
  const { history } = await withMonths(t, '2025-01', '2026-03', '2026-04', '2026-05', '2026-06')
  // 60 days before 15 June is 16 April.
  const { retention, logged, dropped, metrics } = retentionOf(history, { retentionDays: 60 })
  await retention.run(now)
  assert.deepEqual(dropped(), ['2025-01', '2026-03'])
  assert.deepEqual(await monthsOf(history), ['2026-04', '2026-05', '2026-06'])
  for (const { reason, bytes } of logged) {
    assert.equal(reason, 'age')
    assert(Number(bytes) > ROWS)
  }
  await retention.run(now)
  assert.equal(dropped().length, 2, 'a second run finds nothing')
  assert.match(await metrics.read(), /history_dropped_months_total{reason="age"} 2/)

  await fill(history, '2025-01')
  await retention.run(now)
  assert.deepEqual(await monthsOf(history), ['2026-04', '2026-05', '2026-06'], 'what came late')
})

test('without limits nothing is dropped', async (t) => {
  const { history } = await withMonths(t, '1999-01', '2026-06')
  const { retention, logged } = retentionOf(history, {})
  await retention.run(now)
  assert.deepEqual(logged, [])
  assert.equal(retention.excess, 0)
})

test('by size: drops the oldest months until the budget is kept, and gives back their space', async (t) => {
  const { history, directory } = await withMonths(t, '2025-11', '2025-12', '2026-01', '2026-02')
  const { bytes } = await history.sizes()
  const { retention, dropped, logged, metrics } = retentionOf(history, { budget: bytes * 0.6 })
  await retention.run(now)
  assert.deepEqual(dropped(), ['2025-11', '2025-12'])
  assert(logged.every(({ reason }) => reason === 'budget'))
  assert((await history.sizes()).bytes <= bytes * 0.6)
  assert.equal(retention.excess, 0)
  assert.match(await metrics.read(), /history_dropped_months_total{reason="budget"} 2/)
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const files = entries.filter((entry) => /\.(sqlite|pack)$/.test(entry))
  const size = files.reduce((sum, file) => sum + statSync(join(directory, file)).size, 0)
  assert(size < bytes * 0.8, `${size} of ${bytes}`)
})

test('by size: never drops what is younger than the floor, and warns once a day', async (t) => {
  const { history } = await withMonths(t, '2026-04', '2026-05', '2026-06')
  const { retention, dropped, logged } = retentionOf(history, { budget: 1, floorDays: 30 })
  await retention.run(now)
  // 30 days before 15 June is 16 May, when May is not over.
  assert.deepEqual(dropped(), ['2026-04'])
  const { bytes } = await history.sizes()
  assert.equal(retention.excess, bytes - 1)
  const warnings = () => logged.filter(({ level }) => level === 40).length
  assert.equal(warnings(), 1)
  await retention.run(unixMs(now + 23 * HOUR))
  assert.equal(warnings(), 1)
  await retention.run(unixMs(now + DAY))
  assert.equal(warnings(), 2)
  await retention.run(unixMs(now + 16 * DAY))
  assert.deepEqual(dropped(), ['2026-04', '2026-05'], 'when it is old enough')
})
