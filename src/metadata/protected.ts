import { forbidden } from '../http/errors.ts'
import { type MetaOwner, protectedKeys } from '../registry/meta.ts'
import type { Registry } from '../registry/tables.ts'

/** What the caller may do with the protected metadata of one owner. */
export type MetaRights = { sees: boolean; edits: boolean }

type Maps = {
  meta?: Readonly<Record<string, string>>
  protected_meta?: Readonly<Record<string, string>>
}

type Map = Readonly<Record<string, string>>

/** Replaces the maps that are given. A key is in one map only; if both have it, protected wins. */
export function replacedMeta(
  current: { meta: Map; protected_meta: Map },
  { meta, protected_meta }: Maps
): { meta: Record<string, string>; protected_meta: Record<string, string> } {
  const hidden = protected_meta ?? without(current.protected_meta, meta ?? {})
  return { meta: without(meta ?? current.meta, hidden), protected_meta: { ...hidden } }
}

const without = (map: Map, keys: Map): Record<string, string> =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !Object.hasOwn(keys, key)))

/** On create: protected metadata needs the grant, but an empty map does not. */
export function checkNewMeta({ protected_meta = {} }: Maps, { edits }: MetaRights): void {
  if (!edits && Object.keys(protected_meta).length > 0) throw forbidden()
}

/**
 * On update without the grant, protected metadata stays as it is: `protected_meta` is ignored, and
 * a key in `meta` that is protected is refused.
 */
export function leaveProtected(
  fields: Maps,
  isProtected: (key: string) => boolean,
  { edits }: MetaRights
): void {
  if (edits) return
  delete fields.protected_meta
  if (Object.keys(fields.meta ?? {}).some(isProtected)) throw forbidden()
}

/** The same as `leaveProtected`, for keys that are rows of the registry. */
export async function keepProtected(
  registry: Registry,
  owner: { kind: MetaOwner; id: number },
  fields: Maps,
  rights: MetaRights
): Promise<void> {
  const keys = rights.edits ? [] : Object.keys(fields.meta ?? {})
  const taken = await protectedKeys(registry, owner.kind, owner.id, keys)
  leaveProtected(fields, (key) => taken.includes(key), rights)
}
