import type { SampleCounts } from '../history.ts'
import { rowsOf } from './rows.ts'

type CountRow = { month: number; installation_id: number; samples: number }

/** The rows of months have installation 0, and those of installations month 0. */
export const countSql = `
  SELECT toYYYYMM(fromUnixTimestamp64Milli(timestamp, 'UTC')) AS month, installation_id,
    count() AS samples
  FROM samples FINAL
  GROUP BY GROUPING SETS ((month), (installation_id))
  ORDER BY month, installation_id`

export function countsOf(lines: string): SampleCounts {
  const counts: SampleCounts = { months: {}, installations: {} }
  const rows: CountRow[] = rowsOf(lines)
  for (const { month, installation_id, samples } of rows) {
    if (month > 0) counts.months[monthOfPartition(String(month))] = samples
    else counts.installations[installation_id] = samples
  }
  return counts
}

/** `202511` is `2025-11`. */
export const monthOfPartition = (partition: string): string =>
  `${partition.slice(0, -2)}-${partition.slice(-2)}`
