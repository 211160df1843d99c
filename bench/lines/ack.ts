import type { LoadResult } from '../children/mqtt-load.ts'
import { median, ms, whole } from '../figures.ts'
import type { Line } from '../line.ts'
import { undisturbed } from '../quiet.ts'
import { applyLoad, type Broker, openSite } from '../site.ts'
import { measureIngest } from './ingest.ts'

const GOAL_MS = 50

export const ackLine: Line = {
  name: 'ack',
  about: 'time to the acknowledgement at half of the measured ingest rate',
  async run(bench) {
    const { rate } = await measureIngest(bench)
    const perSecond = Math.round(rate.subject / 2)
    const { rounds, warmMs, measureMs } = bench.sizes
    const { caracal, topics, brokers, close } = await openSite(bench, 'ack')
    const load = { topics, warmMs, measureMs, pace: { perSecond } }
    const loadOnce = async (broker: Broker) =>
      (await undisturbed(bench, () => applyLoad(broker, load))).result
    const subject: LoadResult[] = []
    const floor: LoadResult[] = []
    for (let round = 1; round <= rounds; round++) {
      bench.say(`ack, round ${round} of ${rounds}: bare Aedes at ${whole(perSecond)} msg/s`)
      floor.push(await loadOnce(brokers.floor))
      bench.say(`ack, round ${round} of ${rounds}: Caracal at ${whole(perSecond)} msg/s`)
      subject.push(await loadOnce(brokers.subject))
      await caracal.settle()
    }
    await close()
    bench.note('ack', { perSecond, subject, floor })
    const [ours, bare] = [latencyOf(subject), latencyOf(floor)]
    const row = (name: 'p50' | 'p99' | 'max') => ({
      line: 'ack',
      what: `${name} at ${whole(perSecond)} msg/s`,
      subject: ms(ours[name]),
      floor: ms(bare[name]),
      ratio: ours[name] / bare[name],
      goal: '',
      isMet: undefined
    })
    return [
      row('p50'),
      { ...row('p99'), goal: `< ${GOAL_MS} ms`, isMet: ours.p99 < GOAL_MS },
      row('max')
    ]
  }
}

/** The medians of the rounds, and the greatest of the maxima. */
export function latencyOf(results: readonly LoadResult[]) {
  const all = (name: 'p50' | 'p99' | 'max') =>
    results.map((result) => result.latency?.[name] ?? Number.NaN)
  return { p50: median(all('p50')), p99: median(all('p99')), max: Math.max(...all('max')) }
}
