import type { Schemas } from '../../../tools/client/client.ts'
import type { Output } from './types.ts'

export type Added = { row: number; key: string; value: string }
/** Each value of the configuration is a field of its own, so that edits of two people can be joined. */
export type OutputDraft = {
  name: string
  /** Empty: none is chosen. */
  message: string
  executor: string
  added: readonly Added[]
  [value: `config.${string}`]: string | undefined
}

const PREFIX = 'config.'

/** The order of the values does not matter. */
export const textOf = (draft: OutputDraft): string =>
  JSON.stringify(
    Object.entries(draft)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )

export const outputDraftOf = (output: Output): OutputDraft => ({
  name: output.name,
  message: String(output.notification_message_id),
  executor: String(output.notification_output_executor_id),
  added: [],
  ...Object.fromEntries(
    Object.entries(output.config).map(([key, value]) => [`${PREFIX}${key}`, value])
  )
})

export const emptyOutput: OutputDraft = { name: '', message: '', executor: '', added: [] }

export const keyOf = (field: string): string | undefined =>
  field.startsWith(PREFIX) ? field.slice(PREFIX.length) : undefined

export const configValue = (draft: OutputDraft, key: string): string | undefined =>
  draft[`${PREFIX}${key}`]

/** Undefined removes it. */
export const withConfig = (
  draft: OutputDraft,
  key: string,
  value: string | undefined
): OutputDraft => ({ ...draft, [`${PREFIX}${key}`]: value })

/** The keys that the output has. */
export const keysOf = (draft: OutputDraft): string[] =>
  Object.entries(draft).flatMap(([field, value]) =>
    value === undefined ? [] : (keyOf(field) ?? [])
  )

/** What executors of a usual type need to know. */
export const usualKeys = (type: string): readonly string[] =>
  usual.get(type.trim().toLowerCase()) ?? []

const usual = new Map([
  ['smtp', ['recipients', 'subject']],
  ['mail', ['recipients', 'subject']],
  ['email', ['recipients', 'subject']],
  ['sms', ['recipients']],
  ['firebase', ['user_ids']]
])

export function withNewRow(draft: OutputDraft): OutputDraft {
  const row = Math.max(0, ...draft.added.map((one) => one.row)) + 1
  return { ...draft, added: [...draft.added, { row, key: '', value: '' }] }
}

export const withRow = (draft: OutputDraft, changed: Added): OutputDraft => ({
  ...draft,
  added: draft.added.map((one) => (one.row === changed.row ? changed : one))
})

export const withoutRow = (draft: OutputDraft, row: number): OutputDraft => ({
  ...draft,
  added: draft.added.filter((one) => one.row !== row)
})

/** Whether another row has the key. */
export const isTaken = (draft: OutputDraft, { row, key }: Added, shown: readonly string[]) =>
  shown.includes(key) || draft.added.some((one) => one.row !== row && one.key === key)

/** Undefined: something is missing. `shown`: the keys that have a field of their own. */
export function outputBody(
  draft: OutputDraft,
  shown: readonly string[]
): Schemas['NewOutput'] | undefined {
  const { name, message, executor, added } = draft
  const isReady = added.every((one) => one.key !== '' && !isTaken(draft, one, shown))
  if (message === '' || executor === '' || !isReady) return undefined
  const config = [
    ...keysOf(draft).map((key) => [key, configValue(draft, key) ?? '']),
    ...added.map(({ key, value }) => [key, value])
  ]
  return {
    name: name.trim(),
    notification_message_id: Number(message),
    notification_output_executor_id: Number(executor),
    config: Object.fromEntries(config)
  }
}
