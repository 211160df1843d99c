import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row } from './line.ts'
import type { machineFacts } from './machine.ts'
import { table } from './report.ts'

/** The last run of a line that was kept. docs/benchmarks.md shows these. */
export type Measured = {
  date: string
  machine: Pick<ReturnType<typeof machineFacts>, 'cpu' | 'cores' | 'memory_gib' | 'node'>
  /** With `--quick`. */
  isQuick: boolean
  /** The load average of the last minute before the run. */
  loadBefore: number
  /** How many cores other programs used in the rounds that they disturbed. */
  disturbances: number[]
  rows: (Omit<Row, 'line' | 'ratio' | 'isMet'> & {
    ratio: number | null
    isMet: boolean | null
  })[]
}
type AllMeasured = Record<string, Measured>

const file = new URL('./measured.json', import.meta.url)
const formatter = new URL('../node_modules/.bin/biome', import.meta.url)
const read = (): AllMeasured => JSON.parse(readFileSync(file, 'utf8'))

/** Puts the rows of a run in place of what was kept of the same lines. */
export function keep(run: Omit<Measured, 'rows'>, rows: readonly Row[]): void {
  const all = read()
  for (const [name, ofLine] of Map.groupBy(rows, ({ line }) => line)) {
    all[name] = {
      ...run,
      rows: ofLine.map(({ what, subject, floor, ratio, goal, isMet }) => ({
        ...{ what, subject, floor, goal },
        ratio: ratio === undefined ? null : Number(ratio.toFixed(2)),
        isMet: isMet ?? null
      }))
    }
  }
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
  // Lists of numbers would not be as `npm run check` wants them.
  execFileSync(fileURLToPath(formatter), ['format', '--write', fileURLToPath(file)])
}

/** One table for each run, the newest first. Markdown. */
export function measuredTables(): string {
  const lines = Object.entries(read())
  const runs = Map.groupBy(lines, ([, { rows: _, ...run }]) => JSON.stringify(run))
  const dates = (text: string): string => (JSON.parse(text) as Measured).date
  return [...runs]
    .toSorted(([a], [b]) => dates(b).localeCompare(dates(a)))
    .map(([run, ofRun]) => `${headOf(JSON.parse(run))}\n\n${table(ofRun.flatMap(rowsOf))}`)
    .join('\n\n')
}

const rowsOf = ([line, { rows }]: [string, Measured]): Row[] =>
  rows.map((row) => ({
    ...row,
    line,
    ratio: row.ratio ?? undefined,
    isMet: row.isMet ?? undefined
  }))

function headOf({ date, machine, isQuick, loadBefore, disturbances }: Measured): string {
  const { cpu, cores, memory_gib, node } = machine
  const facts = [
    `${date}, ${cpu}, ${cores} cores, ${memory_gib} GiB, Node ${node}`,
    `load average before the run ${loadBefore}`,
    ...(isQuick ? ['`--quick`'] : []),
    ...(disturbances.length > 0
      ? [`other programs used ${disturbances.join(', ')} cores in as many rounds`]
      : [])
  ]
  return `${facts.join('; ')}.`
}
