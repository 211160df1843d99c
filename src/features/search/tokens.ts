import { fold, type MetaFilter } from '../../lib/meta-filter.ts'
import { fieldsOf, pairsOf, type SearchDocument } from './document.ts'
import type { SearchQuery } from './query.ts'

/**
 * Tokens are 32-bit hashes: odd for protected metadata, even for everything else. They only find
 * candidates, and each candidate is compared with the query. So two texts with the same hash cost
 * time but give no wrong result.
 */
export type SearchToken = number

/** A candidate has all tokens of `all`, and at least one of each list in `any`. */
export type TokenQuery = { all: readonly SearchToken[]; any: ReadonlyArray<readonly SearchToken[]> }

/**
 * The only token of a document that is too large. Such a document is a candidate of every search.
 */
export const OVERSIZED: SearchToken = 0
const MAX_TOKENS_PER_DOCUMENT = 3000
const MAX_TEXT_LENGTH = 65_536

/** Each trigram costs time for every candidate, so together with pairs a few are enough. */
const MAX_TRIGRAMS = { alone: 6, besidePairs: 3 }

/** The trigrams of every text, and one token for every metadata pair. */
export function documentTokens(document: SearchDocument): SearchToken[] {
  if (textLength(document) > MAX_TEXT_LENGTH) return [OVERSIZED]
  const { meta, protectedMeta } = document
  const tokens = new Set<SearchToken>()
  for (const token of tokensOf(fieldsOf(document), meta)) {
    tokens.add(token)
    if (tokens.size > MAX_TOKENS_PER_DOCUMENT) return [OVERSIZED]
  }
  for (const token of tokensOf([], protectedMeta)) {
    tokens.add(protectedToken(token))
    if (tokens.size > MAX_TOKENS_PER_DOCUMENT) return [OVERSIZED]
  }
  return [...tokens]
}

function* tokensOf(
  fields: readonly string[],
  meta: SearchDocument['meta']
): Generator<SearchToken> {
  for (const text of [...fields, ...Object.values(meta)]) {
    const folded = fold(text)
    for (let at = 0; at + 3 <= folded.length; at++) yield trigram(folded, at)
  }
  for (const [key, value] of Object.entries(meta)) yield pairToken(fold(key), fold(value))
}

/** The length of all texts that a search compares, in characters. */
export function textLength(document: SearchDocument): number {
  const texts = [...fieldsOf(document), ...pairsOf(document, true).flat()]
  return texts.reduce((sum, { length }) => sum + length, 0)
}

type Asked = Pick<SearchQuery, 'wanted' | 'filters'>

/**
 * Undefined if no token narrows the search. Tokens of protected metadata are used only if the
 * caller sees some: the time of a search must not reveal protected values.
 */
export function queryTokens(asked: Asked, seesProtected: boolean): TokenQuery | undefined {
  const tokens = openTokens(asked)
  return tokens && seesProtected ? orProtected(tokens) : tokens
}

const orProtected = ({ all, any }: TokenQuery): TokenQuery => ({
  all: [],
  any: [...all.map((token) => [token]), ...any].map((group) =>
    group.flatMap((token) => [token, protectedToken(token)])
  )
})

function openTokens({ wanted, filters }: Asked): TokenQuery | undefined {
  const pairs: SearchToken[] = []
  const any: SearchToken[][] = []
  const patterns = wanted.by === 'text' ? [wanted.text] : []
  for (const { key, patterns: values } of filters) {
    const [value = '', ...more] = values
    if (more.length > 0) {
      const group = values.map((value) => bestToken(key, value))
      if (group.every((token) => token !== undefined)) any.push(group)
    } else if (value.includes('*')) patterns.push(value)
    else pairs.push(pairToken(key, fold(value)))
  }
  const hasPairs = pairs.length + any.length > 0
  const trigrams = spread(
    patterns.flatMap(patternTrigrams),
    hasPairs ? MAX_TRIGRAMS.besidePairs : MAX_TRIGRAMS.alone
  )
  if (!hasPairs && trigrams.length === 0) return undefined
  return { all: [...new Set([...pairs, ...trigrams])], any }
}

const bestToken = (key: MetaFilter['key'], value: string): SearchToken | undefined =>
  value.includes('*') ? patternTrigrams(value)[0] : pairToken(key, fold(value))

/** Trigrams of the text between `*`. Neighbours are nearly the same, so every third is enough. */
const patternTrigrams = (pattern: string): SearchToken[] =>
  fold(pattern)
    .split('*')
    .filter((run) => run.length >= 3)
    .flatMap((run) => [
      ...Array.from({ length: Math.floor(run.length / 3) }, (_, i) => trigram(run, i * 3)),
      ...(run.length % 3 === 0 ? [] : [trigram(run, run.length - 3)])
    ])

/** At most `most` tokens, spread over the whole list. */
const spread = (tokens: readonly SearchToken[], most: number): readonly SearchToken[] =>
  tokens.filter((_, i) => tokens.length <= most || isStep(i, tokens.length / most))

const isStep = (i: number, width: number): boolean =>
  Math.floor(i / width) > Math.floor((i - 1) / width)

const trigram = (text: string, at: number): SearchToken =>
  mix(
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
      Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
      Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35)
  )

/** FNV-1a of a folded key and value. Keys have no NUL, so no two pairs give the same text. */
function pairToken(key: string, value: string): SearchToken {
  const text = `${key}\0${value}`
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return mix(hash)
}

/** Only protected metadata has odd tokens, so an open query can never find it. */
const protectedToken = (token: SearchToken): SearchToken => token | 1

/**
 * The last step of MurmurHash3, made even, as a signed number because PostgreSQL has only those.
 */
function mix(hash: number): SearchToken {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) & ~1
}
