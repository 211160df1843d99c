import { createHash, type Hash } from 'node:crypto'
import type { History } from '../history/history.ts'
import { encodeSample } from '../lib/sample.ts'
import { placesOf } from './history.ts'

/**
 * The samples of an installation in a month: their number, and the SHA-256 of all of them in order.
 */
export type MonthSum = { installation_id: number; samples: number; sha256: string }

export type Compared = { samples: number; topics: number }

/** Reads both sides completely. Throws at the first difference and says where it is. */
export async function compareHistory(
  from: History,
  to: History,
  onProgress: (done: number) => void
): Promise<Compared> {
  const [source, target] = await Promise.all([from.sizes(), to.sizes()])
  const names = new Set([...source.months, ...target.months].map(({ name }) => name))
  const placeOf = await placesOf(from, source.months)
  let samples = 0
  for (const name of [...names].sort()) {
    const [here, there] = [monthSums(from, name), monthSums(to, name)]
    while (true) {
      const [a, b] = await Promise.all([here.next(), there.next()])
      if (a.done && b.done) break
      assertSame(name, a.value || undefined, b.value || undefined)
      samples += a.value?.samples ?? 0
      if (a.value) onProgress(placeOf(name, a.value))
    }
  }
  const [mine, theirs] = await Promise.all([latestSum(from), latestSum(to)])
  if (mine.sum !== theirs.sum) {
    throw new Error(
      `the latest values differ: ${mine.topics} topics in the source, ${theirs.topics} in the target; ${startAgain}`
    )
  }
  onProgress(1)
  return { samples, topics: mine.topics }
}

function assertSame(month: string, a: MonthSum | undefined, b: MonthSum | undefined): void {
  if (a && b && a.installation_id === b.installation_id && a.sha256 === b.sha256) return
  const id = Math.min(...[a, b].map((sum) => sum?.installation_id ?? Number.POSITIVE_INFINITY))
  const [here, there] = [a, b].map((sum) => (sum?.installation_id === id ? sum.samples : 0))
  throw new Error(
    `installation ${id} differs in ${month}: ${here} samples in the source, ${there} in the target; ${startAgain}`
  )
}

const startAgain = 'empty the target database and start again'

/** Sorted by installation id. */
export async function* monthSums(history: History, month: string): AsyncGenerator<MonthSum> {
  let open: { id: number; samples: number; hash: Hash } | undefined
  for await (const { rows } of history.readMonth(month)) {
    for (const run of runsOf(rows)) {
      if (open?.id !== run.id) {
        if (open) yield closed(open)
        open = { id: run.id, samples: 0, hash: createHash('sha256') }
      }
      open.samples += run.samples
      open.hash.update(run.rows)
    }
  }
  if (open) yield closed(open)
}

const closed = ({ id, samples, hash }: { id: number; samples: number; hash: Hash }): MonthSum => ({
  installation_id: id,
  samples,
  sha256: hash.digest('hex')
})

const [TAB, LINE_END] = [9, 10]

/** Consecutive lines of one installation. Its id is the second column. */
function* runsOf(rows: Buffer): Generator<{ id: number; samples: number; rows: Buffer }> {
  let [begin, samples, id] = [0, 0, -1]
  for (let line = 0; line < rows.length; ) {
    const column = rows.indexOf(TAB, line) + 1
    const own = Number(rows.toString('latin1', column, rows.indexOf(TAB, column)))
    if (own !== id) {
      if (samples > 0) yield { id, samples, rows: rows.subarray(begin, line) }
      ;[begin, samples, id] = [line, 0, own]
    }
    samples++
    line = rows.indexOf(LINE_END, column) + 1
  }
  if (samples > 0) yield { id, samples, rows: rows.subarray(begin) }
}

/** Engines list topics in different orders, so the hashes are added up. */
async function latestSum(history: History): Promise<{ topics: number; sum: string }> {
  let [topics, sum] = [0, 0n]
  for await (const samples of history.latest()) {
    for (const sample of samples) {
      const digest = createHash('sha256').update(encodeSample(sample)).digest('hex')
      sum += BigInt(`0x${digest.slice(0, 32)}`)
      topics++
    }
  }
  return { topics, sum: `${topics}:${BigInt.asUintN(128, sum).toString(16)}` }
}
