import Papa from 'papaparse'
import { type Change, type Creation, changeOf, isEmpty, type Model } from './changes.ts'

const FIRST = ['id', 'type', 'name']

/** A program for tables would calculate what looks like a formula. A plain number is none. */
const isFormula = (text: string): boolean => /^'*[=+\-@\t\r]/.test(text) && !isNumber(text)
const isNumber = (text: string): boolean => /^[+-]?\d+([.,]\d+)?$/.test(text)
const guarded = (text: string): string => (isFormula(text) ? `'${text}` : text)
const unguarded = (text: string): string =>
  /^'/.test(text) && isFormula(text.slice(1)) ? text.slice(1) : text

/**
 * One row for each, and a column for each key of the metadata. Protected metadata stay out, and so do
 * keys called `id` and `type`.
 */
export function csvOf(models: readonly Model[]): string {
  const keys = new Set(models.flatMap(({ meta }) => Object.keys(meta)))
  const rest = [...keys].filter((key) => !FIRST.includes(key)).sort()
  const columns = [...FIRST, ...rest.map(guarded)]
  const rows = models.map(({ id, type, meta }) => [
    String(id),
    guarded(type),
    guarded(meta['name'] ?? ''),
    ...rest.map((key) => guarded(meta[key] ?? ''))
  ])
  return `${Papa.unparse([columns, ...rows])}\r\n`
}

/** A row that cannot be used, and why. `line` is counted as in a program for tables. */
export type RowFault = {
  line: number
  fault: 'no such id' | 'twice' | 'no type' | 'too many cells'
}

export type Plan = {
  changes: readonly Change[]
  creations: readonly Creation[]
  /** Rows that are as they were. */
  same: number
  faults: readonly RowFault[]
}

export type Unreadable = 'empty' | 'no id' | 'column twice'

/** What a file would change. Columns and rows that are not in it stay as they are. */
export function planOf(text: string, models: readonly Model[]): Plan | Unreadable {
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), { skipEmptyLines: 'greedy' })
  const [head = [], ...rows] = data
  const columns = head.map(readColumn)
  if (columns.length === 0) return 'empty'
  if (!columns.includes('id')) return 'no id'
  if (new Set(columns).size < columns.length) return 'column twice'
  const known = new Map(models.map((model) => [String(model.id), model]))
  const seen = new Set<string>()
  const changes: Change[] = []
  const creations: Creation[] = []
  const faults: RowFault[] = []
  let same = 0
  for (const [i, cells] of rows.entries()) {
    const line = i + 2
    const row = new Map(columns.map((name, at) => [name, unguarded(cells[at] ?? '')]))
    const id = row.get('id')?.trim() ?? ''
    const type = row.get('type')?.trim() ?? ''
    const model = known.get(id)
    row.delete('id')
    row.delete('type')
    if (cells.length > columns.length) faults.push({ line, fault: 'too many cells' })
    else if (id === '' && type === '') faults.push({ line, fault: 'no type' })
    else if (id === '') creations.push({ type, meta: filled(row) })
    else if (!model) faults.push({ line, fault: 'no such id' })
    else if (seen.has(id)) faults.push({ line, fault: 'twice' })
    else {
      seen.add(id)
      const meta = new Map([...row].map(([key, value]) => [key, value === '' ? undefined : value]))
      const change = changeOf(model, { ...(type !== '' && { type }), meta })
      if (isEmpty(change)) same++
      else changes.push(change)
    }
  }
  return { changes, creations, same, faults }
}

/** Spaces around the names of our own columns mean nothing. */
const readColumn = (name: string): string =>
  FIRST.includes(name.trim()) ? name.trim() : unguarded(name)

const filled = (row: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...row].filter(([, value]) => value !== ''))
