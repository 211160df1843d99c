import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hasMosquitto, startMosquitto } from '../../test/support/mosquitto.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { Caracal, type Installation } from '../caracal.ts'
import { startClickhouse } from '../clickhouse.ts'
import { median, whole } from '../figures.ts'
import type { Bench, Row } from '../line.ts'
import { coresBetween, cpuSecondsByPid } from '../machine.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, topicsOf } from '../site.ts'
import { installations as installationCount } from '../sizes.ts'

const MOST_NODES = 3
/** The nodes divide the slots of the broker among themselves within this time. */
const SETTLE_MS = 10_000
const GIVE_UP_MS = 5 * 60_000

/** `usPerMessage`: the CPU time of all nodes together. */
type Round = { perSecond: number; usPerMessage: number; messages: number; others: number }

/** Two and three nodes to one, with Mosquitto, PostgreSQL and ClickHouse. */
export async function scaleNodes(bench: Bench): Promise<Row[]> {
  if (!process.env['CHDB_PREFIX'] || !hasMosquitto) {
    bench.lacks('several nodes', 'chDB (CONTRIBUTING.md) or Mosquitto', 'mosquitto')
    return []
  }
  const postgres = await startPostgres()
  if (!postgres) {
    bench.lacks('several nodes', 'PostgreSQL', 'postgresql')
    return []
  }
  const closing: (() => unknown)[] = []
  const mosquitto = await startMosquitto({ after: (close) => closing.push(close) })
  const clickhouse = await startClickhouse(bench, 'nodes')
  const settings = {
    CARACAL_REGISTRY_URL: postgres.url,
    CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
    CARACAL_HISTORY_URL: clickhouse.url('nodes'),
    CARACAL_FILES_DIR: join(bench.workDir, 'nodes-files')
  }
  const nodes: Caracal[] = []
  const measured: Round[][] = []
  let installations: Installation[] = []
  let sent = 0
  while (nodes.length < MOST_NODES) {
    const directory = join(bench.workDir, `node-${nodes.length + 1}`)
    const node = await Caracal.start(directory, settings)
    nodes.push(node)
    if (nodes.length === 1) installations = await node.createInstallations(installationCount)
    await wait(SETTLE_MS)
    const rounds = await measure(bench, nodes, installations, mosquitto.port)
    for (const { messages } of rounds) sent += messages
    measured.push(rounds.slice(1))
  }
  await Promise.all(nodes.map((node) => node.settle()))
  const [first] = nodes
  const stored = (await first?.countSamples(installations)) ?? 0
  if (stored !== sent) throw new Error(`${sent} were sent and ${stored} are stored`)
  for (const node of nodes) await node.stop()
  await clickhouse.close()
  await postgres.stop()
  for (const close of closing) await close()
  bench.note('scale, nodes', { sent, stored, measured })
  return rowsOf(measured)
}

/** The first round warms up. */
async function measure(
  bench: Bench,
  nodes: readonly Caracal[],
  installations: readonly Installation[],
  port: number
): Promise<Round[]> {
  const rounds: Round[] = []
  while (rounds.length <= bench.sizes.rounds) {
    await whenQuiet(bench)
    bench.say(`scale, nodes, ${nodes.length} of ${MOST_NODES}: round ${rounds.length}`)
    rounds.push(await round(bench, nodes, installations, port))
  }
  return rounds
}

/** From the first message to the last one that a node has stored. */
async function round(
  { sizes: { measureMs, inFlight } }: Bench,
  nodes: readonly Caracal[],
  installations: readonly Installation[],
  port: number
): Promise<Round> {
  const pids = nodes.map(({ pid }) => pid)
  const before = await storedBy(nodes)
  const cpuBefore = cpuSecondsByPid()
  const began = performance.now()
  const topics = topicsOf(installations)
  const broker = { port, pid: pids[0] ?? 0, password: '' }
  const load = await applyLoad(broker, { topics, warmMs: 0, measureMs, pace: { inFlight } })
  const messages = load.acknowledged
  while ((await storedBy(nodes)) - before < messages) {
    if (performance.now() - began > GIVE_UP_MS) throw new Error('messages were never stored')
    await wait(50)
  }
  const seconds = (performance.now() - began) / 1000
  // What history still has to take is work of the nodes too.
  await Promise.all(nodes.map((node) => node.settle()))
  const { named, others } = coresBetween(cpuBefore, cpuSecondsByPid(), 1, pids)
  const cpuSeconds = named.reduce((sum, each) => sum + each, 0)
  return {
    perSecond: messages / seconds,
    usPerMessage: (cpuSeconds / messages) * 1e6,
    messages,
    others: others / seconds
  }
}

async function storedBy(nodes: readonly Caracal[]): Promise<number> {
  const each = await Promise.all(nodes.map((node) => node.metric('caracal_samples_total')))
  return each.reduce((sum, stored) => sum + stored, 0)
}

function rowsOf([one = [], ...more]: readonly Round[][]): Row[] {
  const rate = (rounds: readonly Round[]) => median(rounds.map(({ perSecond }) => perSecond))
  const cost = (rounds: readonly Round[]) => median(rounds.map(({ usPerMessage }) => usPerMessage))
  const us = (rounds: readonly Round[]) => `${cost(rounds).toFixed(1)} µs`
  return more.flatMap((rounds, i) => {
    const row = { line: 'scale', goal: '', isMet: undefined }
    return [
      {
        ...row,
        what: `${i + 2} nodes to one, all on this machine, messages stored`,
        subject: `${whole(rate(rounds))} /s`,
        floor: `${whole(rate(one))} /s`,
        ratio: rate(rounds) / rate(one)
      },
      {
        ...row,
        what: `${i + 2} nodes to one, CPU of all nodes for a message`,
        subject: us(rounds),
        floor: us(one),
        ratio: cost(rounds) / cost(one)
      }
    ]
  })
}
