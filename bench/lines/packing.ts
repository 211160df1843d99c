import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { fileIn } from '../../src/history/sqlite/file.ts'
import { MINUTE } from '../../src/lib/unix-time.ts'
import { rateOf } from '../alternating.ts'
import { Caracal, type Installation } from '../caracal.ts'
import { Child } from '../child.ts'
import type { BacklogQuestion } from '../children/backlog.ts'
import type { Load, LoadResult } from '../children/mqtt-load.ts'
import { ms, whole } from '../figures.ts'
import type { Bench, Line } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, brokerOf, topicsOf } from '../site.ts'
import { installations as installationCount } from '../sizes.ts'
import { copyOf } from '../store.ts'
import { latencyOf } from './ack.ts'

const GOAL_RATIO = 0.6
const GOAL_MS = 50
const TOPICS = 50
const MINUTES_PER_TABLE = 1000
/** The load writes to another month. */
const MONTH = '2025-06'
const LOOK_MS = 50

type Backlog = { dataDir: string; installations: Installation[]; rows: number }
/** `tables`: so many were not packed when packing had begun, after the ingest, and after the acks. */
type Beside = { ingest: LoadResult; ack: LoadResult; tables: number[] }

export const packingLine: Line = {
  name: 'packing',
  about: 'ingest, and the acknowledgement at half rate, while a backlog of rows is packed',
  async run(bench) {
    const backlog = await keptBacklog(bench)
    const { rounds, warmMs, measureMs, inFlight } = bench.sizes
    const load = { topics: topicsOf(backlog.installations), warmMs, measureMs }
    const floor: LoadResult[] = []
    const beside: Beside[] = []
    for (let round = 1; round <= rounds; round++) {
      bench.say(`packing, round ${round} of ${rounds}: bare Aedes`)
      floor.push(await loadAedes(bench, { ...load, pace: { inFlight } }))
      bench.say(`packing, round ${round} of ${rounds}: Caracal`)
      beside.push(await loadBeside(bench, backlog, { ...load, pace: { inFlight } }))
    }
    bench.note('packing', { rows: backlog.rows, floor, beside })
    const rate = rateOf(beside.map(({ ingest }) => ingest))
    const bare = rateOf(floor)
    const acks = beside.map(({ ack }) => ack)
    const { p99 } = latencyOf(acks)
    const what = `while ${whole(backlog.rows / 1e6)} M rows are packed`
    return [
      {
        line: 'packing',
        what: `QoS 1, 50 clients, 500 topics, ${what}, to bare Aedes`,
        subject: `${whole(rate)} msg/s`,
        floor: `${whole(bare)} msg/s`,
        ratio: rate / bare,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: rate / bare >= GOAL_RATIO
      },
      {
        line: 'packing',
        what: `p99 of the ack at ${whole(rateOf(acks))} msg/s, ${what}`,
        subject: ms(p99),
        floor: '',
        ratio: undefined,
        goal: `< ${GOAL_MS} ms`,
        isMet: p99 < GOAL_MS
      }
    ]
  }
}

async function keptBacklog({ cacheDir, say, sizes }: Bench): Promise<Backlog> {
  const dataDir = join(cacheDir, `backlog-${sizes.backlogTables}`)
  const manifest = join(dataDir, 'bench.json')
  if (existsSync(manifest)) return { ...JSON.parse(readFileSync(manifest, 'utf8')), dataDir }
  rmSync(dataDir, { recursive: true, force: true })
  const caracal = await Caracal.start(dataDir)
  const installations = await caracal.createInstallations(installationCount)
  await caracal.stop()
  say('filling a backlog of rows')
  const child = new Child<BacklogQuestion, number>('backlog')
  const rows = await child.ask({
    ...{ dataDir, installations, topics: TOPICS, from: Date.parse(`${MONTH}-01`) },
    ...{ tables: sizes.backlogTables, minutesPerTable: MINUTES_PER_TABLE }
  })
  await child.stop()
  writeFileSync(manifest, JSON.stringify({ installations, rows }))
  return { dataDir, installations, rows }
}

type Pace = Pick<Load, 'topics' | 'warmMs' | 'measureMs' | 'pace'>

async function loadAedes(bench: Bench, load: Pace): Promise<LoadResult> {
  const aedes = new Child<object, number>('bare-aedes')
  const port = await aedes.ask({})
  await whenQuiet(bench)
  const result = await applyLoad({ port, pid: aedes.pid, password: 'nobody asks' }, load)
  await aedes.stop()
  return result
}

/** Packing must be under way from the begin of the first load to the end of the second. */
async function loadBeside(bench: Bench, backlog: Backlog, load: Pace): Promise<Beside> {
  const dataDir = await copyOf(backlog.dataDir, join(bench.workDir, 'packing'))
  await whenQuiet(bench)
  const caracal = await Caracal.start(dataDir)
  const begun = await whenPacking(dataDir)
  const broker = await brokerOf(caracal)
  const ingest = await applyLoad(broker, load)
  const between = tablesIn(dataDir)
  await caracal.settle()
  const pace = { perSecond: Math.round(ingest.perSecond / 2) }
  const ack = await applyLoad(broker, { ...load, pace })
  const left = tablesIn(dataDir)
  if (left === 0) throw new Error(`packing ended before the load, which began with ${begun} tables`)
  await caracal.settle()
  const stored = await caracal.countSamples(backlog.installations)
  const acknowledged = ingest.acknowledged + ack.acknowledged
  if (stored !== backlog.rows + acknowledged)
    throw new Error(`${stored} are stored of ${backlog.rows} and ${acknowledged}`)
  await caracal.stop()
  rmSync(dataDir, { recursive: true })
  return { ingest, ack, tables: [begun, between, left] }
}

/** Resolves when the first table was packed, with the number of those that are left. */
async function whenPacking(dataDir: string): Promise<number> {
  const before = tablesIn(dataDir)
  const giveUp = performance.now() + 2 * MINUTE
  while (tablesIn(dataDir) === before) {
    if (performance.now() > giveUp) throw new Error('nothing is packed')
    await wait(LOOK_MS)
  }
  return tablesIn(dataDir)
}

/** Of the backlog. */
function tablesIn(dataDir: string): number {
  const file = new DatabaseSync(fileIn(join(dataDir, 'history/sqlite')), { readOnly: true })
  const sql = 'SELECT count(DISTINCT name) AS count FROM row_months WHERE month = ?'
  const count = Number(file.prepare(sql).get(MONTH)?.['count'])
  file.close()
  return count
}
