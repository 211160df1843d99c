import type { Schemas } from '../../../tools/client/client.ts'
import { Drafts } from '../drafts.ts'
import { readNumber } from '../numbers.ts'

/** A mapping of either. */
export type Mapping = Omit<Schemas['Mapping'], 'installation_id'>
/** Empty: the values are declared. */
export type Make = NonNullable<Schemas['NewMapping']['make']>
export type MappingBody = Omit<Mapping, 'id' | 'make'> & { make: Make }
type Value = Mapping['values'][number]
type Format = NonNullable<Value['timestamp']>['format']

/** A value as it is typed. `row` tells rows apart. */
export type ValueDraft = {
  row: number
  path: string
  topic: string
  table: string
  factor: string
  offset: string
  unit: string
  timePath: string
  /** Empty: the arrival is the time. */
  format: Format | ''
}
export type Draft = Omit<MappingBody, 'values'> & { values: readonly ValueDraft[] }

const emptyValue = {
  ...{ path: '', topic: '', table: '', factor: '', offset: '', unit: '' },
  ...{ timePath: '', format: '' as const }
}
export const emptyDraft: Draft = {
  ...{ name: '', active: true, make: '', filter: '', create_missing: true },
  values: [{ row: 1, ...emptyValue }]
}

export const drafts = new Drafts<Draft>()

export const { drop: dropDraft, has: hasDraft } = drafts

export function withNewValue(draft: Draft): Draft {
  const row = Math.max(0, ...draft.values.map((one) => one.row)) + 1
  return { ...draft, values: [...draft.values, { row, ...emptyValue }] }
}

export const withValue = (draft: Draft, changed: ValueDraft): Draft => ({
  ...draft,
  values: draft.values.map((one) => (one.row === changed.row ? changed : one))
})

export const withoutValue = (draft: Draft, row: number): Draft => ({
  ...draft,
  values: draft.values.filter((one) => one.row !== row)
})

export const draftOf = ({
  name,
  active,
  make,
  filter,
  create_missing,
  values
}: Mapping): Draft => ({
  ...{ name, active, make: make as Make, filter, create_missing },
  values: values.map((value, i) => ({
    row: i + 1,
    path: value.path,
    topic: value.topic,
    table: tableText(value.table),
    factor: value.factor === 1 ? '' : String(value.factor),
    offset: value.offset === 0 ? '' : String(value.offset),
    unit: value.unit,
    timePath: value.timestamp?.path ?? '',
    format: value.timestamp?.format ?? ''
  }))
})

const tableText = (table: Readonly<Record<string, number>>): string =>
  Object.entries(table)
    .map(([word, number]) => `${word}=${number}`)
    .join(', ')

/** `ON=1, OFF=0`. Undefined: it cannot be read. */
export function readTable(text: string): Record<string, number> | undefined {
  const parts = text.split(/[,\n]/).filter((part) => part.trim() !== '')
  const entries = parts.map((part): [string, number] => {
    const at = part.lastIndexOf('=')
    const number = part.slice(at + 1).trim()
    return [part.slice(0, Math.max(at, 0)).trim(), number === '' ? Number.NaN : Number(number)]
  })
  return entries.every(([word, number]) => word !== '' && Number.isFinite(number))
    ? Object.fromEntries(entries)
    : undefined
}

/** Undefined: a field cannot be read, or a topic is missing. */
export function bodyOf(draft: Draft): MappingBody | undefined {
  const { name, active, make, filter, create_missing } = draft
  const values: Value[] = []
  for (const value of make === '' ? draft.values : []) {
    const table = readTable(value.table)
    const factor = readNumber(value.factor, 1)
    const offset = readNumber(value.offset, 0)
    if (!table || factor === undefined || offset === undefined || value.topic === '') {
      return undefined
    }
    const { path, topic, unit, timePath, format } = value
    const timestamp = format === '' ? null : { path: timePath, format }
    values.push({ path, topic, table, factor, offset, unit, timestamp })
  }
  return { name, active, make, filter, create_missing, values }
}
