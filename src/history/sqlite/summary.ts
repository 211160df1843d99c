import { packValues, unpack } from '../../lib/packed.ts'
import { DAY } from '../../lib/unix-time.ts'
import { beginsOf } from './slots.ts'

/** What most methods need to know about neighbouring samples of a topic. */
export type Summary = {
  count: number
  firstTime: number
  firstValue: number
  lastTime: number
  lastValue: number
  min: number
  max: number
  sum: number
  /** The sum of the squares of the distances from the mean. */
  squares: number
  /** Twice the area below the lines between the samples, in value times milliseconds. */
  area: number
}

/** A summary of fewer samples would save nothing. */
const SAMPLES_PER_SUMMARY = 64

/** Sums up the samples from `begin` to before `end`; there is at least one. */
export function summaryOf(
  times: Float64Array,
  values: Float64Array,
  begin: number,
  end: number
): Summary {
  const first = values[begin] as number
  let [min, max, sum, shifted, squares, area] = [first, first, 0, 0, 0, 0]
  for (let i = begin; i < end; i++) {
    const value = values[i] as number
    if (value < min) min = value
    if (value > max) max = value
    sum += value
    // Subtracting one of the values keeps precision when all values are large.
    const distance = value - first
    shifted += distance
    squares += distance * distance
    if (i > begin) {
      const length = (times[i] as number) - (times[i - 1] as number)
      area += (value + (values[i - 1] as number)) * length
    }
  }
  return {
    count: end - begin,
    firstTime: times[begin] as number,
    firstValue: first,
    lastTime: times[end - 1] as number,
    lastValue: values[end - 1] as number,
    min,
    max,
    sum,
    squares: Math.max(squares - (shifted * shifted) / (end - begin), 0),
    area
  }
}

/** A summary for each UTC day, or one for everything if a day has few samples. */
export function summariesOf(times: Float64Array, values: Float64Array): Summary[] {
  const count = times.length
  if (count < SAMPLES_PER_SUMMARY) return []
  const begins = beginsOf(times, DAY, count / SAMPLES_PER_SUMMARY) ?? [0, count]
  return Array.from({ length: begins.length - 1 }, (_, day) =>
    summaryOf(times, values, begins[day] as number, begins[day + 1] as number)
  )
}

const fields = [
  'count',
  'firstTime',
  'firstValue',
  'lastTime',
  'lastValue',
  'min',
  'max',
  'sum',
  'squares',
  'area'
] as const satisfies (keyof Summary)[]

export function packSummaries(summaries: readonly Summary[]): Buffer {
  const columns = fields.flatMap((field) => summaries.map((summary) => summary[field]))
  return packValues(Float64Array.from(columns))
}

export function unpackSummaries(packed: Buffer, count: number): Summary[] {
  const numbers = unpack(packed, count * fields.length)
  const at = (row: number, field: keyof Summary) =>
    numbers[fields.indexOf(field) * count + row] as number
  return Array.from({ length: count }, (_, row) => ({
    count: at(row, 'count'),
    firstTime: at(row, 'firstTime'),
    firstValue: at(row, 'firstValue'),
    lastTime: at(row, 'lastTime'),
    lastValue: at(row, 'lastValue'),
    min: at(row, 'min'),
    max: at(row, 'max'),
    sum: at(row, 'sum'),
    squares: at(row, 'squares'),
    area: at(row, 'area')
  }))
}
