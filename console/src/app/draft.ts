import type { Schemas } from '../../../tools/client/client.ts'
import { Drafts } from '../drafts.ts'
import { beginning, type Config, type Field, filled, Unread } from './fields.ts'

export type Instance = Schemas['EdgeAppInstance']
export type InstanceBody = Schemas['EdgeAppInstanceUpdate']
/** Each value of the configuration is a field of its own, so that edits of two people can be joined. */
export type Draft = { name: string; version: string; [value: `config.${string}`]: unknown }

const PREFIX = 'config.'

/** The order of the values does not matter. */
const textOf = (draft: Draft): string =>
  JSON.stringify(Object.entries(draft).sort(([a], [b]) => (a < b ? -1 : 1)))

export const drafts = new Drafts<Draft>((draft) => textOf(JSON.parse(JSON.stringify(draft))))

export const { drop: dropDraft, has: hasDraft } = drafts

const valuesOf = (config: Config) =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [`${PREFIX}${key}`, value]))

export const draftOf = ({ name, version, config }: Instance): Draft => ({
  ...{ name, version },
  ...valuesOf(config)
})

export const newDraft = (name: string, version: string, fields: readonly Field[]): Draft => ({
  ...{ name, version },
  ...valuesOf(beginning(fields))
})

export const keyOf = (field: string): string | undefined =>
  field.startsWith(PREFIX) ? field.slice(PREFIX.length) : undefined

export const configOf = (draft: Draft): Config =>
  Object.fromEntries(
    Object.entries(draft).flatMap(([field, value]) => {
      const key = keyOf(field)
      return key === undefined || value === undefined ? [] : [[key, value]]
    })
  )

export const withValue = (draft: Draft, key: string, value: unknown): Draft => ({
  ...draft,
  [`${PREFIX}${key}`]: value
})

/** Values that the app.json does not name are kept. They are edited as JSON. */
export function othersOf(fields: readonly Field[], draft: Draft): Field[] {
  const named = new Set(fields.map(({ key }) => key))
  const others = Object.keys(draft).flatMap((field) => keyOf(field) ?? [])
  return others
    .filter((key) => !named.has(key))
    .map((key) => ({
      ...{ key, name: key, description: '', isRequired: false, initial: undefined },
      kind: 'json'
    }))
}

export const bodyOf = (app_id: number, draft: Draft, fields: readonly Field[]): InstanceBody => ({
  ...{ app_id, name: draft.name.trim(), version: draft.version },
  config: filled(fields, configOf(draft))
})

export const isReadable = (draft: Draft): boolean =>
  Object.values(draft).every((value) => !(value instanceof Unread))
