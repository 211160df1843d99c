import { DAY, endOfMonth, type UnixMs } from '../../lib/unix-time.ts'
import type { Pack } from './pack.ts'

/** Files of about the same size are merged when there are so many. */
const FAN_IN = 8
/** A month that ended so long ago gets few late samples. */
const SETTLED_MS = DAY

export type Merge = { month: string; names: string[] }

/**
 * Which files to merge next; undefined when it is not worth it. Eight files become one of the next
 * size, so that a sample is written once for each size, not once for each new file. A month that is
 * over becomes one file, unless what came late is too little.
 */
export function nextMerge(packs: readonly Pack[], now: UnixMs): Merge | undefined {
  for (const [month, own] of Map.groupBy(packs, (pack) => pack.month)) {
    const names = endOfMonth(month) + SETTLED_MS <= now ? settled(own) : crowded(own)
    if (names) return { month, names }
  }
  return undefined
}

const namesOf = (packs: readonly Pack[]): string[] => packs.map(({ name }) => name)

function crowded(packs: readonly Pack[]): string[] | undefined {
  const sizeOf = ({ samples }: Pack) => Math.floor(Math.log(samples) / Math.log(FAN_IN))
  for (const same of Map.groupBy(packs, sizeOf).values())
    if (same.length >= FAN_IN) return namesOf(same)
  return undefined
}

function settled(packs: readonly Pack[]): string[] | undefined {
  const samples = packs.map((pack) => pack.samples)
  const all = samples.reduce((sum, count) => sum + count, 0)
  const largest = Math.max(...samples)
  const isWorthIt = packs.length > 1 && (all - largest) * FAN_IN >= largest
  return isWorthIt || packs.length >= FAN_IN ? namesOf(packs) : undefined
}
