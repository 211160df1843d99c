/** Which functions or devices a selector offers: texts by `type` or by a key of the metadata. */
export type Filter = Readonly<Record<string, readonly string[]>>
export type Selected = 'function' | 'device' | 'notification_output'

type Base = {
  key: string
  name: string
  description: string
  isRequired: boolean
  /** What a new configuration begins with; undefined: nothing. */
  initial: unknown
}
/** A value that an app wants to know, as its app.json describes it. */
export type Field = Base &
  (
    | { kind: 'number'; min: number | undefined; max: number | undefined }
    | { kind: 'text'; isLong: boolean }
    | { kind: 'toggle'; on: unknown; off: unknown }
    | { kind: 'selector'; of: Selected; isMany: boolean; filter: Filter; hasTexts: boolean }
    | { kind: 'repeat'; fields: readonly Field[] }
    | { kind: 'json' }
  )
export type Section = { title: string; description: string; fields: readonly Field[] }
export type Config = Readonly<Record<string, unknown>>

/** A text that is no number or no JSON yet. */
export class Unread {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

/** The fields in the order of the app's guide, then those that it does not name. */
export function sectionsOf(appJson: unknown): Section[] {
  const { input, guide } = isMap(appJson) ? appJson : {}
  const fields = fieldsOf(input)
  const rest = new Map(fields.map((field) => [field.key, field]))
  const sections = (Array.isArray(guide) ? guide : []).filter(isMap).map((part) => {
    const names: unknown[] = Array.isArray(part['input_fields']) ? part['input_fields'] : []
    const named = names.flatMap((name) => {
      const field = typeof name === 'string' ? rest.get(name) : undefined
      if (field) rest.delete(field.key)
      return field ?? []
    })
    return {
      title: textIn(part['title']),
      description: textIn(part['description']),
      fields: named
    }
  })
  return [...sections, { title: '', description: '', fields: [...rest.values()] }].filter(
    ({ title, description, fields }) => fields.length > 0 || title !== '' || description !== ''
  )
}

const fieldsOf = (input: unknown): Field[] =>
  Object.entries(isMap(input) ? input : {}).flatMap(([key, field]) =>
    isMap(field) ? fieldOf(key, field) : []
  )

function fieldOf(key: string, field: Record<string, unknown>): Field {
  const base = {
    key,
    name: textIn(field['name']) || key,
    description: textIn(field['description']),
    isRequired: field['required'] === true,
    initial: field['default'] ?? undefined
  }
  const type = textIn(field['type'])
  if (type === 'number') {
    return { ...base, kind: 'number', min: numberIn(field['min']), max: numberIn(field['max']) }
  }
  if (type === 'text') return { ...base, kind: 'text', isLong: field['multiline'] === true }
  if (type === 'toggle') {
    const { true_value: on = true, false_value: off = false } = field
    return { ...base, kind: 'toggle', on, off }
  }
  if (type === 'repeat') return { ...base, kind: 'repeat', fields: fieldsOf(field['input_fields']) }
  const [, count, of] =
    /^(single|multi)_(function|device|notification_output)_selector$/.exec(type) ?? []
  if (of === undefined) return { ...base, kind: 'json' }
  return {
    ...base,
    kind: 'selector',
    of: of as Selected,
    isMany: count === 'multi',
    filter: filterOf(field['filter']),
    hasTexts: field['value'] === true
  }
}

function filterOf(value: unknown): Filter {
  const entries = Object.entries(isMap(value) ? value : {}).map(
    ([key, wanted]): [string, string[]] => [
      key,
      (Array.isArray(wanted) ? wanted : [wanted]).map(String)
    ]
  )
  return Object.fromEntries(entries)
}

type Model = { type: string; meta: Readonly<Record<string, string>> }

/** Each key must have one of its texts. A text may end with `*`. */
export const isWanted = ({ type, meta }: Model, filter: Filter): boolean =>
  Object.entries(filter).every(([key, wanted]) => {
    const value = key === 'type' ? type : meta[key]
    return wanted.some((one) =>
      one.endsWith('*') ? value?.startsWith(one.slice(0, -1)) : value === one
    )
  })

export type Fault =
  | { kind: 'required' | 'number' | 'json' }
  | { kind: 'min' | 'max'; limit: number }

/** What the platform would refuse. */
export function faultOf(field: Field, value: unknown): Fault | undefined {
  if (value instanceof Unread) return { kind: field.kind === 'number' ? 'number' : 'json' }
  // A toggle is off until it is turned on.
  if (value === undefined || value === null || value === '')
    return field.isRequired && field.kind !== 'toggle' ? { kind: 'required' } : undefined
  if (field.kind !== 'number') return undefined
  if (typeof value !== 'number') return { kind: 'number' }
  const { min, max } = field
  if (min !== undefined && value < min) return { kind: 'min', limit: min }
  if (max !== undefined && value > max) return { kind: 'max', limit: max }
  return undefined
}

export const isFitting = (fields: readonly Field[], config: Config): boolean =>
  fields.every((field) => {
    const value = config[field.key]
    if (faultOf(field, value)) return false
    if (field.kind !== 'repeat' || !Array.isArray(value)) return true
    return value.every((row) => !isMap(row) || isFitting(field.fields, row))
  })

/** A required toggle that nobody touched is off. */
export function filled(fields: readonly Field[], config: Config): Record<string, unknown> {
  const result = { ...config }
  for (const field of fields) {
    const value = config[field.key]
    if (field.kind === 'toggle' && field.isRequired) result[field.key] = value ?? field.off
    if (field.kind === 'repeat' && Array.isArray(value)) {
      result[field.key] = value.map((row) => (isMap(row) ? filled(field.fields, row) : row))
    }
  }
  return result
}

export const beginning = (fields: readonly Field[]): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap(({ key, initial }) => (initial === undefined ? [] : [[key, initial]]))
  )
