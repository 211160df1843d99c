import { join } from 'node:path'
import { DAY } from '../../src/lib/unix-time.ts'
import { Caracal } from '../caracal.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import { median, ms, whole } from '../figures.ts'
import type { Line } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, brokerOf, topicsOf } from '../site.ts'
import { copyOf, filledStore } from '../store.ts'
import { measureIngest } from './ingest.ts'

const GOAL_RATIO = 1.5
const READERS = 8

export const mixedLine: Line = {
  name: 'mixed',
  about:
    'time to the acknowledgement at half rate while eight readers query, to the same without them',
  async run(bench) {
    const { rate } = await measureIngest(bench)
    const perSecond = Math.round(rate.subject / 2)
    const store = await filledStore(bench)
    const caracal = await Caracal.start(await copyOf(store.dataDir, join(bench.workDir, 'mixed')))
    const broker = await brokerOf(caracal)
    const topics = topicsOf(store.installations.slice(0, 10))
    const { rounds, warmMs, measureMs } = bench.sizes
    const load = { topics, warmMs, measureMs, pace: { perSecond } }
    const alone: LoadResult[] = []
    const beside: LoadResult[] = []
    const answers: number[] = []
    for (let round = 1; round <= rounds; round++) {
      bench.say(`mixed, round ${round} of ${rounds}: alone`)
      await whenQuiet(bench)
      alone.push(await applyLoad(broker, load))
      await caracal.settle()
      bench.say(`mixed, round ${round} of ${rounds}: with ${READERS} readers`)
      await whenQuiet(bench)
      const readers = await startReaders(caracal, store)
      beside.push(await applyLoad(broker, load))
      answers.push(...(await readers.stop()))
      await caracal.settle()
    }
    await caracal.stop()
    bench.note('mixed', {
      perSecond,
      alone,
      beside,
      answers: answers.length,
      median: median(answers)
    })
    const p99 = (results: readonly LoadResult[]) =>
      median(results.map(({ latency }) => latency?.p99 ?? Number.NaN))
    const ratio = p99(beside) / p99(alone)
    return [
      {
        line: 'mixed',
        what: `p99 of the ack at ${whole(perSecond)} msg/s beside ${READERS} readers, to alone`,
        subject: ms(p99(beside)),
        floor: ms(p99(alone)),
        ratio,
        goal: `ratio < ${GOAL_RATIO}`,
        isMet: ratio < GOAL_RATIO
      },
      {
        line: 'mixed',
        what: `median of ${whole(answers.length)} answers to the readers meanwhile`,
        subject: ms(median(answers)),
        floor: '',
        ratio: undefined,
        goal: '',
        isMet: undefined
      }
    ]
  }
}

/** Each reader queries a week of one installation by hours, one query right after the other. */
async function startReaders(
  caracal: Caracal,
  { installations, to }: Awaited<ReturnType<typeof filledStore>>
) {
  const headers = { 'x-api-key': await caracal.token() }
  const window = `from=${(to - 7 * DAY) / 1000}&to=${(to - 1) / 1000}`
  const times: number[] = []
  let isOver = false
  const read = async (reader: number) => {
    for (let i = reader; !isOver; i += READERS) {
      const { id } = installations[i % installations.length] ?? { id: 0 }
      const path = `/api/v3beta/log/${id}?${window}&aggr_interval=1h&aggr_method=mean`
      const start = performance.now()
      const response = await fetch(caracal.url + path, { headers })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      times.push(performance.now() - start)
    }
  }
  const reading = Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)))
  return {
    stop: async () => {
      isOver = true
      await reading
      return times
    }
  }
}
