import { setTimeout as wait } from 'node:timers/promises'
import { HOUR } from '../../src/lib/unix-time.ts'
import type { Caracal, Installation } from '../caracal.ts'
import { type Cluster, openCluster, storedBy, waitUntilStored } from '../cluster.ts'
import { median, mib, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { coresBetween, cpuSecondsByPid, residentMemory } from '../machine.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, topicsOf } from '../site.ts'
import { installations as installationCount } from '../sizes.ts'

/** One node again at the end: what changed meanwhile is then in its figures too. */
const NODE_COUNTS = [1, 2, 3, 1]
const MOST_ROUNDS = 2
/** So few that three nodes, their servers and the load do not fill two cores. */
const MESSAGES_OF_A_NODE = 2000
/** A node answers from memory what it has read in the last second, so its share depends on the rate. */
const READS_OF_A_NODE = { status: 100, log: 5 }
const LOG_PAGE = 100
const LOG_MS = 20_000
/** The timestamps of the load are as old. */
const LOAD_AGE_MS = HOUR
const IDLE_MS = 2000

/** CPU is that of all nodes together, without what they take when they have no work. */
type Round = {
  usPerMessage: number
  storedPerSecond: number
  usPerFlooded: number
  usPerStatus: number
  usPerLog: number
  msPerIdleSecond: number
  bytesOfNode: number
  /** Of each message, in turns of the nodes. */
  shares: number[]
}

export const scaleLine: Line = {
  name: 'scale',
  about: 'two and three nodes to one: CPU of a message and of a request, and how many they store',
  async run(bench) {
    const cluster = await openCluster(bench)
    if (!cluster) return []
    const measured = new Map<number, Round[]>()
    let installations: Installation[] = []
    let sent = 0
    for (const count of NODE_COUNTS) {
      await cluster.resize(count)
      const { nodes } = cluster
      if (installations.length === 0) {
        installations = (await nodes[0]?.createInstallations(installationCount)) ?? []
      }
      const place = { bench, cluster, installations }
      bench.say(`scale, ${count} nodes: warming up`)
      sent += (await flood(place)).count
      await eachReads(place, 'status')
      await eachReads(place, 'log')
      // Once: on a machine that is never quiet, each wait takes a minute.
      await whenQuiet(bench)
      const rounds = measured.get(count) ?? []
      const roundCount = Math.min(MOST_ROUNDS, bench.sizes.rounds)
      for (let round = 1; round <= roundCount; round++) {
        bench.say(`scale, ${count} nodes, round ${round} of ${roundCount}`)
        const { messages, ...figures } = await measure(place)
        sent += messages
        rounds.push(figures)
      }
      measured.set(count, rounds)
      bench.note('scale', { sent, measured: Object.fromEntries(measured) })
    }
    await cluster.resize(Math.max(...NODE_COUNTS))
    for (const node of cluster.nodes) {
      const stored = await node.countSamples(installations)
      if (stored !== sent) throw new Error(`${sent} were sent and ${stored} are stored`)
    }
    await cluster.close()
    return rowsOf(measured)
  }
}

type Place = { bench: Bench; cluster: Cluster; installations: readonly Installation[] }

async function measure(place: Place): Promise<Round & { messages: number }> {
  const { bench, cluster } = place
  const { nodes } = cluster
  const idleSeconds = (await cpuOf(nodes, () => wait(IDLE_MS))).cpuSeconds
  const idleCores = idleSeconds / (IDLE_MS / 1000)
  const us = ({ cpuSeconds, seconds, count }: Work) =>
    ((cpuSeconds - idleCores * seconds) / count) * 1e6
  const paced = await load(place, bench.sizes.measureMs, {
    perSecond: MESSAGES_OF_A_NODE * nodes.length
  })
  const flooded = await flood(place)
  return {
    usPerMessage: us(paced),
    storedPerSecond: flooded.count / flooded.storedAfter,
    usPerFlooded: us(flooded),
    usPerStatus: us(await eachReads(place, 'status')),
    usPerLog: us(await eachReads(place, 'log')),
    msPerIdleSecond: (idleCores * 1000) / nodes.length,
    bytesOfNode: median(nodes.map(({ pid }) => residentMemory(pid).now)),
    shares: paced.shares,
    messages: paced.count + flooded.count
  }
}

const flood = (place: Place) =>
  load(place, place.bench.sizes.warmMs, { inFlight: place.bench.sizes.inFlight })

type Work = { cpuSeconds: number; seconds: number; count: number }

/** From the first message until history has all. Each must be counted by one node, and only once. */
async function load(
  { cluster: { nodes, port }, installations }: Place,
  measureMs: number,
  pace: { perSecond: number } | { inFlight: number }
) {
  const before = await Promise.all(nodes.map(storedBy))
  let count = 0
  let storedAfter = 0
  const { cpuSeconds, seconds } = await cpuOf(nodes, async () => {
    const began = performance.now()
    const broker = { port, pid: nodes[0]?.pid ?? 0, password: '' }
    const topics = topicsOf(installations)
    count = (await applyLoad(broker, { topics, warmMs: 0, measureMs, pace })).acknowledged
    await waitUntilStored(nodes, sumOf(before) + count)
    storedAfter = (performance.now() - began) / 1000
    await Promise.all(nodes.map((node) => node.settle()))
  })
  const own = (await Promise.all(nodes.map(storedBy))).map((all, i) => all - (before[i] ?? 0))
  if (sumOf(own) !== count) throw new Error(`${count} were sent and ${sumOf(own)} were stored`)
  return { cpuSeconds, seconds, count, storedAfter, shares: own.map((stored) => stored / count) }
}

/** Every node gets requests about all installations, each at its due time. */
async function eachReads(
  { bench, cluster: { nodes }, installations }: Place,
  what: 'status' | 'log'
): Promise<Work> {
  const perSecond = READS_OF_A_NODE[what]
  const each = Math.ceil((perSecond * bench.sizes.warmMs) / 1000)
  const read = (node: Caracal) =>
    Promise.all(
      Array.from({ length: each }, async (_, i) => {
        await wait((i * 1000) / perSecond)
        const { id = 0 } = installations[i % installations.length] ?? {}
        const from = (Date.now() - LOAD_AGE_MS - LOG_MS) / 1000
        const log = `/api/v3beta/log/${id}?from=${from}&limit=${LOG_PAGE}&offset=${i % 5}00`
        await node.request(`GET ${what === 'status' ? `/api/v2/status/${id}` : log}`)
      })
    )
  const work = await cpuOf(nodes, () => Promise.all(nodes.map(read)))
  return { ...work, count: each * nodes.length }
}

/** The CPU seconds of all nodes meanwhile. */
async function cpuOf(nodes: readonly Caracal[], work: () => Promise<unknown>) {
  const before = cpuSecondsByPid()
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  const pids = nodes.map(({ pid }) => pid)
  const { named } = coresBetween(before, cpuSecondsByPid(), 1, pids)
  return { cpuSeconds: sumOf(named), seconds }
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const micro = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} µs`
const figures: { of: keyof Omit<Round, 'shares'>; what: string; text: (n: number) => string }[] = [
  {
    of: 'usPerMessage',
    what: `CPU of all nodes for a message, ${whole(MESSAGES_OF_A_NODE)} a second for each node`,
    text: micro
  },
  {
    of: 'storedPerSecond',
    what: 'messages stored, everything on these cores',
    text: (n) => `${whole(n)} /s`
  },
  {
    of: 'usPerFlooded',
    what: 'CPU of all nodes for a message, as many as they store',
    text: micro
  },
  {
    of: 'usPerStatus',
    what: `CPU of all nodes for a status of 50 topics, ${READS_OF_A_NODE.status} a second for each`,
    text: micro
  },
  {
    of: 'usPerLog',
    what: `CPU of all nodes for a log of ${LOG_PAGE} values, ${READS_OF_A_NODE.log} a second for each`,
    text: micro
  },
  {
    of: 'msPerIdleSecond',
    what: 'CPU of one node in a second without work',
    text: (n) => `${n.toFixed(1)} ms`
  },
  { of: 'bytesOfNode', what: 'resident memory of one node', text: mib }
]

function rowsOf(measured: ReadonlyMap<number, readonly Round[]>): Row[] {
  const [one = [], ...more] = [...measured].map(([, rounds]) => rounds)
  return figures.flatMap(({ of, what, text }) => {
    const value = (rounds: readonly Round[]) => median(rounds.map((round) => round[of]))
    return more.map((rounds, i) => ({
      line: 'scale',
      what: `${i + 2} nodes to one: ${what}`,
      subject: text(value(rounds)),
      floor: text(value(one)),
      ratio: value(rounds) / value(one),
      goal: '',
      isMet: undefined
    }))
  })
}
