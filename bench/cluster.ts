import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hasMosquitto, startMosquitto } from '../test/support/mosquitto.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { Caracal } from './caracal.ts'
import { startClickhouse } from './clickhouse.ts'
import type { Bench } from './line.ts'

/** Nodes divide the slots of the broker among themselves within this time. */
const SETTLE_MS = 10_000
const GIVE_UP_MS = 2 * 60_000
const LOOK_MS = 250

/** The real program as several nodes on one PostgreSQL, one Mosquitto and one ClickHouse (chDB). */
export type Cluster = {
  nodes: readonly Caracal[]
  port: number
  /** Starts or stops nodes until there are so many. */
  resize(count: number): Promise<void>
  close(): Promise<void>
}

/** Undefined if a program is missing. */
export async function openCluster(bench: Bench): Promise<Cluster | undefined> {
  if (!process.env['CHDB_PREFIX'] || !hasMosquitto) {
    bench.lacks('several nodes', 'chDB (CONTRIBUTING.md) or Mosquitto', 'mosquitto')
    return
  }
  const postgres = await startPostgres()
  if (!postgres) {
    bench.lacks('several nodes', 'PostgreSQL', 'postgresql')
    return
  }
  const closing: (() => unknown)[] = []
  const { port } = await startMosquitto({ after: (close) => closing.push(close) })
  const clickhouse = await startClickhouse(bench, 'nodes')
  const settings = {
    CARACAL_REGISTRY_URL: postgres.url,
    CARACAL_BUS_URL: `mqtt://127.0.0.1:${port}`,
    CARACAL_BUS_SLOTS: '8',
    CARACAL_HISTORY_URL: clickhouse.url('nodes'),
    CARACAL_FILES_DIR: join(bench.workDir, 'nodes-files')
  }
  const nodes: Caracal[] = []
  const resize = async (count: number) => {
    while (nodes.length > count) await nodes.pop()?.stop()
    while (nodes.length < count) {
      const directory = join(bench.workDir, `node-${nodes.length + 1}`)
      nodes.push(await Caracal.start(directory, settings))
    }
    await wait(SETTLE_MS)
  }
  const close = async () => {
    for (const node of nodes) await node.stop()
    await clickhouse.close()
    await postgres.stop()
    for (const one of closing) await one()
  }
  return { nodes, port, resize, close }
}

/** How many samples a node has stored since its start. */
export const storedBy = (node: Caracal): Promise<number> => node.metric('caracal_samples_total')

/** Waits until all nodes together have stored so many. */
export async function waitUntilStored(nodes: readonly Caracal[], wanted: number): Promise<void> {
  const giveUp = performance.now() + GIVE_UP_MS
  for (;;) {
    const each = await Promise.all(nodes.map(storedBy))
    const stored = each.reduce((sum, own) => sum + own, 0)
    if (stored >= wanted) return
    if (performance.now() > giveUp) throw new Error(`${stored} of ${wanted} messages were stored`)
    await wait(LOOK_MS)
  }
}
