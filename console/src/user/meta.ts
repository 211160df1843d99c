type Meta = Readonly<Record<string, string>>

/** Metadata as fields of a draft, so that each key is compared alone. Undefined: it is removed. */
export type MetaDraft = {
  [field: `meta ${string}` | `protected ${string}`]: string | undefined
}
export type MetaField = keyof MetaDraft & string

const entriesOf = (kind: 'meta' | 'protected', meta: Meta): [MetaField, string][] =>
  Object.entries(meta).map(([key, value]) => [`${kind} ${key}`, value])

export function metaDraftOf({
  meta,
  protected_meta = {}
}: {
  meta: Meta
  protected_meta?: Meta
}): MetaDraft {
  const entries = [...entriesOf('meta', meta), ...entriesOf('protected', protected_meta)]
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

export const isMetaField = (field: string): field is MetaField => /^(meta|protected) /.test(field)
export const isProtected = (field: MetaField): boolean => field.startsWith('protected ')
export const keyOf = (field: MetaField): string => field.slice(field.indexOf(' ') + 1)

/** The fields that are there, by key. */
export const metaFieldsIn = (draft: object): MetaField[] =>
  Object.entries(draft)
    .flatMap(([field, value]) => (isMetaField(field) && value !== undefined ? [field] : []))
    .sort((a, b) => keyOf(a).localeCompare(keyOf(b)))

function mapOf(draft: MetaDraft, wantsProtected: boolean): Record<string, string> {
  const fields = metaFieldsIn(draft).filter((field) => isProtected(field) === wantsProtected)
  return Object.fromEntries(fields.map((field) => [keyOf(field), draft[field] ?? '']))
}

/** Without the right, protected metadata is not sent: it stays as it is. */
export const metaBodyOf = (
  draft: MetaDraft,
  mayProtect: boolean
): { meta: Record<string, string>; protected_meta?: Record<string, string> } => ({
  meta: mapOf(draft, false),
  ...(mayProtect && { protected_meta: mapOf(draft, true) })
})
