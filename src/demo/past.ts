import type { History } from '../history/history.ts'
import { encodeSample, type Sample } from '../lib/sample.ts'
import { DAY, MINUTE, type UnixMs, unixMs } from '../lib/unix-time.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { DemoTopic } from './sites.ts'

export const STEP_MS = 10 * MINUTE
export const SPAN_MS = 365 * DAY
const STEPS_PER_BATCH = 1000
/** As in history/sample-ids.ts: an old sample sorts as if it had arrived at its time. */
const IDS_PER_MS = 1000

export type Past = {
  installation: InstallationRef
  /** Full topics, with the client id. */
  topics: readonly DemoTopic[]
  from: UnixMs
  to: UnixMs
}

export const countSteps = ({ from, to }: Pick<Past, 'from' | 'to'>): number =>
  Math.floor((to - from) / STEP_MS) + 1

/**
 * Writes one sample per topic and step, both ends included. Batches depend only on `past`, so a
 * repeat after a crash stores nothing twice. Answers false when it was stopped before the end.
 */
export async function writePast(
  history: History,
  past: Past,
  { signal, onSteps }: { signal?: AbortSignal; onSteps?: (done: number) => void } = {}
): Promise<boolean> {
  const { installation, from } = past
  const steps = countSteps(past)
  let stored = Promise.resolve()
  for (let first = 0; first < steps; first += STEPS_PER_BATCH) {
    const count = Math.min(STEPS_PER_BATCH, steps - first)
    // The next batch is built while the engine, in its own thread, stores the one before.
    const rows = batchOf(past, first, count)
    await stored
    if (signal?.aborted) return false
    onSteps?.(first)
    stored = history.append(rows, `demo:${installation.id}:${from + first * STEP_MS}`)
  }
  await stored
  onSteps?.(steps)
  return true
}

/** Sorted by time, then topic, so that a batch touches few months. */
function batchOf(past: Past, first: number, count: number): Buffer {
  const rows: string[] = []
  for (let step = first; step < first + count; step++) {
    for (const sample of samplesAt(past, unixMs(past.from + step * STEP_MS))) {
      rows.push(encodeSample(sample))
    }
  }
  return Buffer.from(rows.join(''))
}

export function samplesAt(
  { installation: { id, client_id }, topics }: Omit<Past, 'from' | 'to'>,
  timestamp: UnixMs
): Sample[] {
  return topics.map(({ topic, valueAt }, index) => ({
    id: timestamp * IDS_PER_MS + index,
    installation_id: id,
    client_id,
    topic,
    timestamp,
    value: valueAt(timestamp),
    msg: ''
  }))
}
