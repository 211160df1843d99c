import { join } from 'node:path'
import { Caracal, type Installation } from '../caracal.ts'
import { Child } from '../child.ts'
import type { Feed, Question } from '../children/feeding-broker.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import { startClickhouse } from '../clickhouse.ts'
import { median, ms, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { undisturbed } from '../quiet.ts'
import { topicsOf } from '../site.ts'
import { installations as installationCount } from '../sizes.ts'
import { latencyOf } from './ack.ts'

type Mode = 'history' | 'spool'
type Broker = Child<Question, { port: number } | LoadResult>
type Node = {
  caracal: Caracal
  feed: (load: Feed) => Promise<LoadResult>
  broker: Broker
  installations: Installation[]
}

/** As many as a session of a node has open at most. */
const IN_FLIGHT = 1000
/** Far below both rates, so that nothing queues. */
const PER_SECOND = 1000

export const acksLine: Line = {
  name: 'acks',
  about: 'an external broker and ClickHouse: ACK=history to ACK=spool',
  async run(bench) {
    const { url, close } = await startClickhouse(bench, 'acks')
    const nodes = {
      history: await open(bench, 'history', url('acks_history')),
      spool: await open(bench, 'spool', url('acks_spool'))
    }
    const rates = await measure(bench, nodes, { inFlight: IN_FLIGHT })
    const paced = await measure(bench, nodes, { perSecond: PER_SECOND })
    bench.note('acks', { rates, paced })
    for (const [mode, node] of Object.entries(nodes)) {
      const sum = [...rates[mode as Mode].tries, ...paced[mode as Mode].tries]
        .map(({ acknowledged }) => acknowledged)
        .reduce((a, b) => a + b, 0)
      await node.caracal.settle()
      const stored = await node.caracal.countSamples(node.installations)
      if (stored !== sum)
        throw new Error(`${mode}: ${sum} were acknowledged and ${stored} are stored`)
      await node.caracal.stop()
      await node.broker.stop()
    }
    await close()
    return rowsOf(rates, paced)
  }
}

type Measured = Record<Mode, { results: LoadResult[]; tries: LoadResult[] }>

async function measure(
  bench: Bench,
  nodes: Record<Mode, Node>,
  pace: Feed['pace']
): Promise<Measured> {
  const { rounds, warmMs, measureMs } = bench.sizes
  const measured: Measured = {
    history: { results: [], tries: [] },
    spool: { results: [], tries: [] }
  }
  for (let round = 1; round <= rounds; round++) {
    for (const mode of ['spool', 'history'] as const) {
      const { caracal, feed, installations } = nodes[mode]
      bench.say(`acks, round ${round} of ${rounds}: ACK=${mode}`)
      const topics = topicsOf(installations).flat()
      const load = { serverPid: caracal.pid, topics, warmMs, measureMs, pace }
      const { result, tries } = await undisturbed(bench, () => feed(load))
      measured[mode].results.push(result)
      measured[mode].tries.push(...tries)
      await caracal.settle()
    }
  }
  return measured
}

function rowsOf(rates: Measured, paced: Measured): Row[] {
  const rate = (mode: Mode) => median(rates[mode].results.map(({ perSecond }) => perSecond))
  const [ours, floor] = [latencyOf(paced.history.results), latencyOf(paced.spool.results)]
  const row = { line: 'acks', goal: '', isMet: undefined }
  return [
    {
      ...row,
      what: `ACK=history to ACK=spool, one session, ${whole(IN_FLIGHT)} open messages`,
      subject: `${whole(rate('history'))} msg/s`,
      floor: `${whole(rate('spool'))} msg/s`,
      ratio: rate('history') / rate('spool')
    },
    ...(['p50', 'p99', 'max'] as const).map((name) => ({
      ...row,
      what: `${name} of the acknowledgement to the broker at ${whole(PER_SECOND)} msg/s`,
      subject: ms(ours[name]),
      floor: ms(floor[name]),
      ratio: ours[name] / floor[name]
    }))
  ]
}

async function open(bench: Bench, mode: Mode, url: string): Promise<Node> {
  const broker: Broker = new Child('feeding-broker')
  const listening = await broker.ask({ listens: true })
  if (!('port' in listening)) throw new Error('the broker does not listen')
  const caracal = await Caracal.start(join(bench.workDir, `acks-${mode}`), {
    CARACAL_ACK: mode,
    CARACAL_BUS_URL: `mqtt://127.0.0.1:${listening.port}`,
    CARACAL_HISTORY_URL: url
  })
  const installations = await caracal.createInstallations(installationCount)
  const feed = async (load: Feed) => {
    const result = await broker.ask(load)
    if ('port' in result) throw new Error('the broker was not fed')
    return result
  }
  return { caracal, broker, feed, installations }
}
