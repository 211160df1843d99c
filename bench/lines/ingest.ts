import { setTimeout as wait } from 'node:timers/promises'
import { rateOf } from '../alternating.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import { whole } from '../figures.ts'
import type { Bench, Line } from '../line.ts'
import { type Resident, residentMemory } from '../machine.ts'
import { undisturbed } from '../quiet.ts'
import { applyLoad, type Broker, openSite } from '../site.ts'

const GOAL_MESSAGES_PER_SECOND = 20_000
const GOAL_RATIO = 0.7
const REST_MS = 15_000

type Memory = Record<'atRest' | 'afterLoad' | 'settled', Resident>
type Ingest = {
  subject: LoadResult[]
  floor: LoadResult[]
  rate: { subject: number; floor: number }
  memory: { subject: Memory; floor: Memory }
}

let measured: Promise<Ingest> | undefined

/** Measured once per run, by the first line that needs it. */
export function measureIngest(bench: Bench): Promise<Ingest> {
  measured ??= measure(bench)
  return measured
}

async function measure(bench: Bench): Promise<Ingest> {
  const { rounds, warmMs, measureMs, inFlight } = bench.sizes
  const { caracal, installations, topics, brokers, close } = await openSite(bench, 'ingest')
  const memoryOf = () => ({
    subject: residentMemory(brokers.subject.pid),
    floor: residentMemory(brokers.floor.pid)
  })
  // Each thread gives back what its start needed when it has been at rest for five seconds.
  await wait(REST_MS)
  const atRest = memoryOf()
  const load = { topics, warmMs, measureMs, pace: { inFlight } }
  const subject: LoadResult[] = []
  const floor: LoadResult[] = []
  const backlogs: { samples: number; seconds: number }[] = []
  let afterLoad = memoryOf()
  let acknowledged = 0
  const loadOnce = async (broker: Broker) => {
    const { result, tries } = await undisturbed(bench, () => applyLoad(broker, load))
    if (broker === brokers.subject) for (const each of tries) acknowledged += each.acknowledged
    return result
  }
  for (let round = 1; round <= rounds; round++) {
    bench.say(`ingest, round ${round} of ${rounds}: bare Aedes`)
    floor.push(await loadOnce(brokers.floor))
    bench.say(`ingest, round ${round} of ${rounds}: Caracal`)
    subject.push(await loadOnce(brokers.subject))
    afterLoad = memoryOf()
    // The floor must have all cores again.
    bench.say(`ingest, round ${round} of ${rounds}: history takes the rest of the spool`)
    const samples = await caracal.spooled()
    backlogs.push({ samples, seconds: (await caracal.settle()) / 1000 })
  }
  const stored = await caracal.countSamples(installations)
  if (stored !== acknowledged) {
    throw new Error(`${acknowledged} were acknowledged and ${stored} are stored`)
  }
  await wait(2000)
  const settled = memoryOf()
  await close()
  const memory = (broker: 'subject' | 'floor'): Memory => ({
    atRest: atRest[broker],
    afterLoad: afterLoad[broker],
    settled: settled[broker]
  })
  const ingest = {
    subject,
    floor,
    rate: { subject: rateOf(subject), floor: rateOf(floor) },
    memory: { subject: memory('subject'), floor: memory('floor') }
  }
  bench.note('ingest', { inFlight, backlogs, acknowledged, stored, ...ingest })
  return ingest
}

export const ingestLine: Line = {
  name: 'ingest',
  about: 'MQTT QoS 1 from 50 clients, acknowledged = stored, to bare Aedes without storage',
  async run(bench) {
    const { rate } = await measureIngest(bench)
    const ratio = rate.subject / rate.floor
    const row = {
      line: 'ingest',
      subject: `${whole(rate.subject)} msg/s`,
      floor: `${whole(rate.floor)} msg/s`,
      ratio
    }
    return [
      {
        ...row,
        what: 'QoS 1, 50 clients, 500 topics',
        goal: `>= ${whole(GOAL_MESSAGES_PER_SECOND)} msg/s`,
        isMet: rate.subject >= GOAL_MESSAGES_PER_SECOND
      },
      {
        ...row,
        what: 'the same, to bare Aedes',
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ratio >= GOAL_RATIO
      }
    ]
  }
}
