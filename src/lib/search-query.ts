import type { MetaFilter } from './meta-filter.ts'
import type { Scope } from './scope.ts'

/** In the order of the results. [contract: Search] */
export const searchKinds = ['device', 'function', 'installation'] as const
export type SearchKind = (typeof searchKinds)[number]

/** What `q` asks for. */
export type Wanted =
  | { by: 'everything' }
  | { by: 'id'; id: number }
  /** With `*` a pattern that covers a whole field, without it a part of one. */
  | { by: 'text'; text: string }

export type SearchQuery = {
  wanted: Wanted
  /** Each key once, folded. */
  filters: readonly MetaFilter[]
  limit: number
  offset: number
}

/** `everything` spares long lists; it is what the lists would come to. */
export type Reach = 'everything' | Scope

export const reachesSome = (reach: Reach): boolean =>
  reach === 'everything' ||
  (reach.organizationIds.length + reach.installationIds.length > 0 &&
    reachesSome(reach.within ?? 'everything'))

/** What a caller may see of one kind. */
export type KindReach = {
  visible: Reach
  /** Installations beyond `visible`, with the types that are seen there. */
  types: ReadonlyMap<number, 'all' | ReadonlySet<string>>
  /** Where protected metadata is seen. */
  seesProtected: Reach
}

/** Kinds that are absent are not searched. */
export type SearchReach = { readonly [kind in SearchKind]?: KindReach }

/** `*`, however often, asks for everything; digits alone for one id. [contract: Search] */
export function wantedBy(q: string): Wanted {
  if (/^\*+$/.test(q)) return { by: 'everything' }
  if (/^\d+$/.test(q)) return { by: 'id', id: Number(q) }
  return { by: 'text', text: q }
}
