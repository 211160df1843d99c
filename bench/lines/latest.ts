import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import { median, mib, ms, quantile, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { residentMemory } from '../machine.ts'
import { whenQuiet } from '../quiet.ts'
import { type Store, topicsStore } from '../store.ts'

const COLD_GOAL_MS = 20
/** Of the installations that are asked for. */
const MAX_ASKED = 1000

export const latestLine: Line = {
  name: 'latest',
  about: 'latest values of many installations: memory, start, first and second status of 40 topics',
  async run(bench) {
    const store = await topicsStore(bench)
    const empty = await startOf(bench, join(bench.workDir, 'latest-empty'))
    await empty.caracal.stop()
    const { caracal, readyMs, atRest } = await startOf(bench, store.dataDir)
    const cold = await askAll(caracal, store)
    const warm = await askAll(caracal, store)
    bench.say('latest: all installations')
    await askAll(caracal, store, store.installations.length)
    const after = residentMemory(caracal.pid).now
    await caracal.stop()
    bench.note('latest', { readyMs, empty: empty.readyMs, atRest, after, cold, warm })
    const topics = store.installations.length * store.topics
    const size = `${whole(topics)} topics of ${whole(store.installations.length)} installations`
    const compared = (
      what: string,
      [a, b]: [number, number],
      text: (n: number) => string
    ): Row => ({
      ...{ line: 'latest', what, subject: text(a), floor: text(b), ratio: a / b },
      ...{ goal: '', isMet: undefined }
    })
    const [sortedCold, sortedWarm] = [cold, warm].map((all) => all.toSorted((a, b) => a - b))
    const p99 = (all: number[] = []) => quantile(all, 0.99)
    return [
      compared(`start with ${size}, to an empty one`, [readyMs, empty.readyMs], ms),
      compared('resident memory at rest, to an empty one', [atRest, empty.atRest], mib),
      compared('the same after the status of all was read', [after, empty.atRest], mib),
      {
        ...compared(
          'the first status of 40 topics, to the second',
          [median(cold), median(warm)],
          ms
        ),
        ...{ goal: `< ${COLD_GOAL_MS} ms`, isMet: median(cold) < COLD_GOAL_MS }
      },
      compared('p99 of the same', [p99(sortedCold), p99(sortedWarm)], ms)
    ]
  }
}

async function startOf(bench: Bench, dataDir: string) {
  await whenQuiet(bench)
  bench.say(`latest: start of ${dataDir}`)
  const caracal = await Caracal.start(dataDir)
  // The topics of organizations are counted after the start.
  await new Promise((resolve) => setTimeout(resolve, 5000))
  return { caracal, readyMs: caracal.readyMs, atRest: residentMemory(caracal.pid).now }
}

/** Milliseconds of each, one after the other. */
async function askAll(caracal: Caracal, store: Store, most = MAX_ASKED): Promise<number[]> {
  const times: number[] = []
  for (const { id } of store.installations.slice(0, most)) {
    const start = performance.now()
    const text = await caracal.request(`GET /api/v2/status/${id}`)
    times.push(performance.now() - start)
    const found = JSON.parse(text).length
    if (found !== store.topics) throw new Error(`${found} topics instead of ${store.topics}`)
  }
  return times
}
