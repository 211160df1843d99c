import type { Schemas } from '../../../tools/client/client.ts'

/** A function or a device: both have the same fields. */
export type Model = Schemas['Function']

/** What becomes of one function or device. A key without a value is removed. */
export type Change = {
  model: Model
  type?: string
  meta: ReadonlyMap<string, string | undefined>
}

/** A function or device that is made. */
export type Creation = { type: string; meta: Record<string, string> }

export const isEmpty = ({ type, meta }: Change): boolean => type === undefined && meta.size === 0

/** Only what differs from what is there. */
export function changeOf(
  model: Model,
  wanted: { type?: string; meta?: ReadonlyMap<string, string | undefined> }
): Change {
  const { type, meta = new Map() } = wanted
  const differs = [...meta].filter(([key, value]) => (model.meta[key] ?? '') !== (value ?? ''))
  return {
    model,
    ...(type !== undefined && type !== model.type && { type }),
    meta: new Map(differs)
  }
}
