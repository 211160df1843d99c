import { fold, metaMatcher, wildcard } from '../../lib/meta-filter.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import type { SearchKind } from '../../registry/tables.ts'
import type { SearchQuery, Wanted } from './query.ts'

type TextMap = Readonly<Record<string, string>>
type Pair = [key: string, value: string]

/** A device, a function or an installation, with the fields that search uses. */
export type SearchDocument = {
  kind: SearchKind
  id: number
  name: string
  /** Null for an installation. */
  type: string | null
  notes: string
  /** Null for a device or function. */
  clientId: number | null
  /** For an installation its own id. */
  installationId: number
  organizationId: number
  meta: TextMap
  protectedMeta: TextMap
  created: number
  updated: number
}

export const modelxName = (type: string, id: number, meta: TextMap): string =>
  meta['name'] || `${type} ${id}`

/** The texts that `q` is compared with, besides metadata. */
export const fieldsOf = ({ name, type, notes, clientId }: SearchDocument): string[] => {
  const fields = [name, notes]
  if (type !== null) fields.push(type)
  if (clientId !== null) fields.push(String(clientId))
  return fields
}

export const pairsOf = (document: SearchDocument, seesProtected: boolean): Pair[] =>
  seesProtected
    ? [...Object.entries(document.meta), ...Object.entries(document.protectedMeta)]
    : Object.entries(document.meta)

export type Matcher = {
  matches(document: SearchDocument, seesProtected: boolean): boolean
  /** The pairs that matched `q` or a filter; null if there are none. */
  metaMatches(document: SearchDocument, seesProtected: boolean): TextMap | null
}

export function matcherOf({ wanted, filters }: Pick<SearchQuery, 'wanted' | 'filters'>): Matcher {
  const isWanted = textTest(wanted)
  const passes = metaMatcher(filters)
  const tests = filters.map(({ key, patterns }) => ({ key, tests: patterns.map(wildcard) }))
  const isFiltered = (key: string, value: string) => {
    const folded = fold(key)
    return tests.some(
      (filter) => filter.key === folded && filter.tests.some((test) => test(fold(value)))
    )
  }
  return {
    matches(document, seesProtected) {
      const { meta, protectedMeta } = document
      if (filters.length > 0 && !passes(meta, seesProtected ? protectedMeta : {})) return false
      if (wanted.by === 'everything') return true
      if (wanted.by === 'id') return document.id === wanted.id
      return (
        fieldsOf(document).some(isWanted) ||
        Object.values(meta).some(isWanted) ||
        (seesProtected && Object.values(protectedMeta).some(isWanted))
      )
    },
    metaMatches(document, seesProtected) {
      const matched = pairsOf(document, seesProtected).filter(
        ([key, value]) => isWanted(value) || (tests.length > 0 && isFiltered(key, value))
      )
      return matched.length > 0 ? Object.fromEntries(matched) : null
    }
  }
}

/** A search for everything or for an id compares no texts, so no pair matches. */
function textTest(wanted: Wanted): (text: string) => boolean {
  if (wanted.by !== 'text') return () => false
  const part = fold(wanted.text)
  const test = part.includes('*') ? wildcard(part) : (folded: string) => folded.includes(part)
  return (text) => test(fold(text))
}

/** [contract: SearchResult] Every key is always present; it is null if it does not apply. */
export const resultOf = (
  document: SearchDocument,
  { metaMatches }: Matcher,
  seesProtected: boolean
) => {
  const { kind, id, type, notes, meta } = document
  const isObject = kind !== 'installation'
  return {
    type: kind,
    id,
    name: document.name,
    description: isObject ? meta['description'] || type : null,
    notes: notes || null,
    created: toWholeSeconds(document.created),
    updated: isObject ? toWholeSeconds(document.updated) : null,
    clientID: document.clientId === null ? null : String(document.clientId),
    installationID: isObject ? document.installationId : null,
    organizationID: isObject ? null : document.organizationId,
    metaMatches: metaMatches(document, seesProtected),
    allMetadata: Object.fromEntries(pairsOf(document, seesProtected))
  }
}
