import { DAY } from '../../src/lib/unix-time.ts'
import { Caracal } from '../caracal.ts'
import { median, ms, whole } from '../figures.ts'
import type { Line, Row } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { filledStore, type Store } from '../store.ts'

const GOAL_RATIO = 1.3
const TIMES_AS_MANY = 10
/** Two days of samples; the queries read one of them. */
const MINUTES_OF_SAMPLES = 2 * 1440

export const installationsLine: Line = {
  name: 'installations',
  about: 'an aggregate among ten times more installations',
  async run(bench) {
    const stores = [
      await filledStore(bench, { minutes: MINUTES_OF_SAMPLES }),
      await filledStore(bench, { minutes: MINUTES_OF_SAMPLES, times: TIMES_AS_MANY })
    ] as const
    const [few, many] = [await open(stores[0]), await open(stores[1])]
    const rows: Row[] = []
    for (const method of ['mean', 'median']) {
      await whenQuiet(bench)
      const subject: number[] = []
      const floor: number[] = []
      // The first two rounds do not count; they fill caches and compile code.
      for (let round = -1; round <= bench.sizes.pageRepeats; round++) {
        if (round % 10 === 0) bench.say(`installations, ${method}: ${round}`)
        const [ours, theirs] = [await many.ask(method, round), await few.ask(method, round)]
        if (round < 1) continue
        subject.push(ours)
        floor.push(theirs)
      }
      bench.note(`installations, ${method}`, { subject, floor })
      const ratio = median(subject) / median(floor)
      rows.push({
        line: 'installations',
        what: `${method} per minute of a day, ${whole(many.installations)} installations, to ${whole(few.installations)}`,
        subject: ms(median(subject)),
        floor: ms(median(floor)),
        ratio,
        goal: `ratio <= ${GOAL_RATIO}`,
        isMet: ratio <= GOAL_RATIO
      })
    }
    await many.caracal.stop()
    await few.caracal.stop()
    return rows
  }
}

/** Each round queries another installation, so that neither side answers from its cache. */
async function open(store: Store) {
  const caracal = await Caracal.start(store.dataDir)
  const headers = { 'x-api-key': await caracal.token() }
  const { installations, to } = store
  const window = `from=${(to - DAY) / 1000}&to=${(to - 1) / 1000}&limit=100000`
  const ask = async (method: string, round: number): Promise<number> => {
    const { id = 0 } = installations[(7 * (round + 1)) % installations.length] ?? {}
    const path = `/api/v3beta/log/${id}?${window}&aggr_interval=1m&aggr_method=${method}`
    const start = performance.now()
    const response = await fetch(caracal.url + path, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text}`)
    return performance.now() - start
  }
  return { caracal, installations: installations.length, ask }
}
