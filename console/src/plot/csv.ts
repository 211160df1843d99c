import type { Cell } from './lines.ts'
import { isoText } from './zone.ts'

export type CsvColumn = { name: string; cells: readonly Cell[] }

/** Times in the zone and as Unix time, then a column for each line and method. */
export function csvOf(
  times: readonly number[],
  columns: readonly CsvColumn[],
  zone: string
): string {
  const head = ['time', 'unix', ...columns.map(({ name }) => field(name))]
  const rows = times.flatMap((time, i) => {
    const cells = columns.map(({ cells }) => cells[i] ?? '')
    if (cells.every((cell) => cell === '')) return []
    return [[isoText(zone, time * 1000), time, ...cells].join(',')]
  })
  return `${[head.join(','), ...rows].join('\r\n')}\r\n`
}

/** A program for tables would calculate a name that looks like a formula. */
function field(name: string): string {
  const text = /^[=+\-@\t\r]/.test(name) ? `'${name}` : name
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
