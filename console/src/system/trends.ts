import type { Schemas } from '../../../tools/client/client.ts'

type FigureName = keyof Schemas['SystemFigures']['figures']
export type Kind = 'rate' | 'count' | 'seconds' | 'bytes'
export type TrendName = (typeof trends)[number]['name']

/** What is drawn, in this order. A second line has the same unit. */
export const trends = [
  { name: 'messages', kind: 'rate', lines: ['messages_per_second', 'stored_per_second'] },
  { name: 'refused', kind: 'rate', lines: ['refused_per_second'] },
  { name: 'requests', kind: 'rate', lines: ['requests_per_second'] },
  { name: 'answers', kind: 'seconds', lines: ['request_p50', 'request_p99'] },
  { name: 'connections', kind: 'count', lines: ['mqtt_connections'] },
  { name: 'waiting', kind: 'count', lines: ['spool_samples'] },
  { name: 'oldest', kind: 'seconds', lines: ['spool_oldest_seconds'] },
  { name: 'late', kind: 'seconds', lines: ['loop_delay_p99'] },
  { name: 'memory', kind: 'bytes', lines: ['memory_bytes'] },
  { name: 'disk', kind: 'bytes', lines: ['disk_free_bytes'] }
] as const satisfies readonly { name: string; kind: Kind; lines: readonly FigureName[] }[]

export type Line = readonly (number | null)[]

export const WIDTH = 320
export const HEIGHT = 72

/** From zero to the greatest value of all lines; 1 if there is none above zero. */
export const topOf = (lines: readonly Line[]): number => {
  let top = 0
  for (const line of lines) for (const value of line) if (value !== null && value > top) top = value
  return top || 1
}

/** The path of a line. Where a value is missing there is a gap, and a lonely value is a dot. */
export function pathOf(line: Line, top: number): string {
  const step = WIDTH / Math.max(1, line.length - 1)
  const at = (i: number, value: number) =>
    `${(i * step).toFixed(1)} ${(HEIGHT - 2 - (value / top) * (HEIGHT - 6)).toFixed(1)}`
  return line
    .map((value, i) => {
      if (value === null) return ''
      if ((line[i - 1] ?? null) !== null) return `L${at(i, value)}`
      return (line[i + 1] ?? null) === null ? `M${at(i, value)}h0.1` : `M${at(i, value)}`
    })
    .join('')
}

/** The newest value and the greatest; undefined if there is none. */
export function summaryOf(line: Line): { newest: number; most: number } | undefined {
  const known = line.filter((value) => value !== null)
  const newest = known.at(-1)
  if (newest === undefined) return undefined
  return { newest, most: known.reduce((most, value) => Math.max(most, value), newest) }
}
