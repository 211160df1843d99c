import { forbidden } from '../http/errors.ts'
import { type MetaOwner, protectedKeys } from '../registry/meta.ts'
import type { Registry } from '../registry/tables.ts'

/** What the caller may do with the protected metadata of one owner. */
export type MetaRights = { sees: boolean; edits: boolean }

type Maps = {
  meta?: Readonly<Record<string, string>>
  protected_meta?: Readonly<Record<string, string>>
}

/** On create: protected metadata without the grant is refused, an empty map is nothing. */
export function checkNewMeta({ protected_meta = {} }: Maps, { edits }: MetaRights): void {
  if (!edits && Object.keys(protected_meta).length > 0) throw forbidden()
}

/**
 * On update: without the grant protected metadata stays as it is. A map of it is ignored, and a
 * plain key that is protected is refused.
 */
export async function keepProtected(
  registry: Registry,
  owner: { kind: MetaOwner; id: number },
  fields: Maps,
  { edits }: MetaRights
): Promise<void> {
  if (edits) return
  delete fields.protected_meta
  const keys = Object.keys(fields.meta ?? {})
  const taken = await protectedKeys(registry, owner.kind, owner.id, keys)
  if (taken.length > 0) throw forbidden()
}
