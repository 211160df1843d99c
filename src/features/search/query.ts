import type { MetaFilter } from '../../lib/meta-filter.ts'
import type { Scope } from '../../lib/scope.ts'
import type { SearchKind } from '../../registry/tables.ts'

/** What `q` searches for. */
export type Wanted =
  | { by: 'everything' }
  | { by: 'id'; id: number }
  /** With `*` the pattern must match a whole field, without it a part of a field. */
  | { by: 'text'; text: string }

export type SearchQuery = {
  wanted: Wanted
  /** Each key occurs once and is folded. */
  filters: readonly MetaFilter[]
  limit: number
  offset: number
}

/** `everything` replaces a list of all organizations, which could be long. */
export type Reach = 'everything' | Scope

export const reachesSome = (reach: Reach): boolean =>
  reach === 'everything' ||
  (reach.organizationIds.length + reach.installationIds.length > 0 &&
    reachesSome(reach.within ?? 'everything'))

/** What the caller may see of one kind. */
export type KindReach = {
  visible: Reach
  /** Further installations, with the types that the caller sees there. */
  types: ReadonlyMap<number, 'all' | ReadonlySet<string>>
  /** Where the caller sees protected metadata. */
  seesProtected: Reach
}

/** Missing kinds are not searched. */
export type SearchReach = { readonly [kind in SearchKind]?: KindReach }

/** Only `*` characters search for everything, only digits for one id. [contract: Search] */
export function wantedBy(q: string): Wanted {
  if (/^\*+$/.test(q)) return { by: 'everything' }
  if (/^\d+$/.test(q)) return { by: 'id', id: Number(q) }
  return { by: 'text', text: q }
}
