import { isKind, type Kind, MAX_BYTES } from './topics.ts'

/** How many days a key works; 0 = for ever. */
export const spans = [0, 1, 90, 365] as const

/** What the address holds of the first step. The key is never in it. */
export type ConnectSearch = {
  name?: string
  kind?: Kind
  /** Only if it is not the proposed one. */
  topic?: string
  listen?: true
  days?: number
}

export const MAX_NAME_LENGTH = 200

const text = (value: unknown, length: number): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, length) : undefined

export const readConnectSearch = (search: Record<string, unknown>): ConnectSearch => ({
  name: text(search.name, MAX_NAME_LENGTH),
  kind: typeof search.kind === 'string' && isKind(search.kind) ? search.kind : undefined,
  topic: text(search.topic, MAX_BYTES),
  listen: search.listen === true ? true : undefined,
  days: spans.find((span) => span === search.days) || undefined
})
