import type { Sample } from '../../lib/sample.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import { isNewer } from '../newest.ts'

/** The sample that is the latest value of its topic. */
export function newestOf(samples: readonly Sample[], now: UnixMs): Sample | undefined {
  let newest: Sample | undefined
  for (const sample of samples) {
    const isLatest = newest === undefined || sample.timestamp === newest.timestamp
    if (isLatest || (newest && isNewer(sample, newest, now))) newest = sample
  }
  return newest
}

/** Sorted by time and id. Of samples with the same time, value and msg the last one stays. */
export function withoutRepeats(samples: readonly Sample[]): Sample[] {
  const compare = (a: Sample, b: Sample) => a.timestamp - b.timestamp || a.id - b.id
  const isSorted = samples.every(
    (sample, i) => i === 0 || compare(samples[i - 1] as Sample, sample) <= 0
  )
  const sorted = isSorted ? [...samples] : samples.toSorted(compare)
  const later = new Set<string>()
  for (let at = sorted.length - 2; at >= 0; at--) {
    const { timestamp, value, msg } = sorted[at] as Sample
    const next = sorted[at + 1] as Sample
    if (timestamp !== next.timestamp) {
      if (later.size > 0) later.clear()
      continue
    }
    later.add(`${next.value} ${next.msg}`)
    if (later.has(`${value} ${msg}`)) sorted.splice(at, 1)
  }
  return sorted
}
