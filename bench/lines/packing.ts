import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { fileIn } from '../../src/history/sqlite/file.ts'
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
const FROM_MS = Date.UTC(2025, 5, 1)

type Backlog = { dataDir: string; installations: Installation[]; rows: number }
type Beside = { result: LoadResult; packed: number; left: number }

export const packingLine: Line = {
  name: 'packing',
  about: 'ingest, and the acknowledgement at half rate, while a backlog of rows is packed',
  async run(bench) {
    const backlog = await keptBacklog(bench)
    const { rounds, warmMs, measureMs, inFlight } = bench.sizes
    const load = { topics: topicsOf(backlog.installations), warmMs, measureMs }
    const floor: LoadResult[] = []
    const ingest: Beside[] = []
    for (let round = 1; round <= rounds; round++) {
      bench.say(`packing, round ${round} of ${rounds}: bare Aedes`)
      floor.push(await loadAedes(bench, { ...load, pace: { inFlight } }))
      bench.say(`packing, round ${round} of ${rounds}: Caracal`)
      ingest.push(await loadBeside(bench, backlog, { ...load, pace: { inFlight } }))
    }
    const [ours, bare] = [rateOf(ingest.map(({ result }) => result)), rateOf(floor)]
    const perSecond = Math.round(ours / 2)
    const ack: Beside[] = []
    for (let round = 1; round <= rounds; round++) {
      bench.say(`packing, round ${round} of ${rounds}: ${whole(perSecond)} msg/s`)
      ack.push(await loadBeside(bench, backlog, { ...load, pace: { perSecond } }))
    }
    bench.note('packing', { rows: backlog.rows, floor, ingest, perSecond, ack })
    const { p99 } = latencyOf(ack.map(({ result }) => result))
    const beside = `while ${whole(backlog.rows / 1e6)} M rows are packed`
    return [
      {
        line: 'packing',
        what: `QoS 1, 50 clients, 500 topics, ${beside}, to bare Aedes`,
        subject: `${whole(ours)} msg/s`,
        floor: `${whole(bare)} msg/s`,
        ratio: ours / bare,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ours / bare >= GOAL_RATIO
      },
      {
        line: 'packing',
        what: `p99 of the ack at ${whole(perSecond)} msg/s, ${beside}`,
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
    ...{ dataDir, installations, topics: TOPICS, from: FROM_MS },
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

/** Packing must be under way from the begin of the load to its end. */
async function loadBeside(bench: Bench, backlog: Backlog, load: Pace): Promise<Beside> {
  const dataDir = await copyOf(backlog.dataDir, join(bench.workDir, 'packing'))
  await whenQuiet(bench)
  const caracal = await Caracal.start(dataDir)
  const before = tablesIn(dataDir)
  while (tablesIn(dataDir) === before) await wait(50)
  const begun = tablesIn(dataDir)
  const result = await applyLoad(await brokerOf(caracal), load)
  const left = tablesIn(dataDir)
  if (left <= 1) throw new Error(`packing ended before the load, which began with ${begun} tables`)
  await caracal.settle()
  const stored = await caracal.countSamples(backlog.installations)
  if (stored !== backlog.rows + result.acknowledged)
    throw new Error(`${stored} are stored of ${backlog.rows} and ${result.acknowledged}`)
  await caracal.stop()
  rmSync(dataDir, { recursive: true })
  return { result, packed: begun - left, left }
}

/** Of the backlog. The load writes to another month. */
function tablesIn(dataDir: string): number {
  const file = new DatabaseSync(fileIn(join(dataDir, 'history/sqlite')), { readOnly: true })
  const sql = "SELECT count(DISTINCT name) AS count FROM row_months WHERE month = '2025-06'"
  const count = Number(file.prepare(sql).get()?.['count'])
  file.close()
  return count
}
