import { createHash } from 'node:crypto'
import type { History, MonthPart, SamplePlace } from '../history/history.ts'
import { firstIndex } from '../lib/first-index.ts'
import { encodeSample } from '../lib/sample.ts'
import type { Checkpoint } from './checkpoint.ts'

/** Bounds of one batch: a good size for a server, and small enough to hold two in memory. */
const BATCH_ROWS = 200_000
const BATCH_BYTES = 32 * 1024 * 1024

type Copy = {
  from: History
  to: History
  checkpoint: Checkpoint
  save: (checkpoint: Checkpoint) => void
  /** Takes the finished part, 0 to 1. */
  onProgress: (done: number) => void
}

/** Goes on from the checkpoint. An interrupted batch is sent again and stored only once. */
export async function copyHistory({ from, to, checkpoint, save, onProgress }: Copy): Promise<void> {
  const { months } = await from.sizes()
  const placeOf = await placesOf(from, months)
  for (const { name } of months) {
    if (checkpoint.months.includes(name)) continue
    const begin = checkpoint.month === name ? checkpoint.next : undefined
    const store = async ({ rows, next }: MonthPart) => {
      await to.append(rows, tokenOf(rows))
      save({ ...checkpoint, month: name, next })
      onProgress(placeOf(name, next))
    }
    let storing: Promise<void> = Promise.resolve()
    for await (const batch of batchesOf(from.readMonth(name, begin))) {
      await storing
      storing = store(batch)
      // The promise is awaited after the next batch was read. Until then an error must not end the
      // process.
      storing.catch(() => {})
    }
    await storing
    checkpoint.months.push(name)
    save({ target: checkpoint.target, lastId: checkpoint.lastId, months: checkpoint.months })
  }
  // Latest values go last: they are right even when samples of one moment arrived in another order.
  for await (const samples of from.latest()) {
    const rows = Buffer.from(samples.map(encodeSample).join(''))
    await to.keepLatest(rows, tokenOf(rows))
  }
  onProgress(1)
}

/** The same rows have the same token, so that a repeated batch is stored once. */
const tokenOf = (rows: Buffer): string => createHash('sha256').update(rows).digest('hex')

async function* batchesOf(parts: AsyncIterable<MonthPart>): AsyncGenerator<MonthPart> {
  let [gathered, count, bytes]: [Buffer[], number, number] = [[], 0, 0]
  let end: SamplePlace | undefined
  for await (const { rows, next, ...part } of parts) {
    gathered.push(rows)
    count += part.count
    bytes += rows.length
    end = next
    if (count < BATCH_ROWS && bytes < BATCH_BYTES) continue
    yield { rows: Buffer.concat(gathered), count, next }
    ;[gathered, count, bytes] = [[], 0, 0]
  }
  if (end && count > 0) yield { rows: Buffer.concat(gathered), count, next: end }
}

type Month = { name: string; bytes: number }

/** Estimates the progress: months by their size, and within a month by installation. */
export async function placesOf(
  history: History,
  months: readonly Month[]
): Promise<(month: string, place: { installation_id: number }) => number> {
  const found = new Set<number>()
  for await (const samples of history.latest()) {
    for (const { installation_id } of samples) found.add(installation_id)
  }
  const installations = [...found].sort((a, b) => a - b)
  const total = months.reduce((sum, { bytes }) => sum + bytes, 0) || 1
  return (name, { installation_id }) => {
    const at = months.findIndex((month) => month.name === name)
    const before = months.slice(0, at).reduce((sum, { bytes }) => sum + bytes, 0)
    const passed = rankOf(installations, installation_id) / Math.max(installations.length, 1)
    return (before + (months[at]?.bytes ?? 0) * passed) / total
  }
}

/** How many ids come before this one. */
function rankOf(sorted: readonly number[], id: number): number {
  return firstIndex(sorted.length, (i) => (sorted[i] ?? 0) < id)
}
