import { fold, type MetaFilter } from './meta-filter.ts'
import { fieldsOf, pairsOf, type SearchDocument } from './search-document.ts'
import type { SearchQuery } from './search-query.ts'

/**
 * Tokens are 32-bit hashes. They only narrow a search down to candidates, each of which is compared
 * with its texts, so two texts that share a hash cost time and nothing else.
 */
export type Token = number

/** A candidate has all of `all`, and of each list in `any` at least one. */
export type TokenQuery = { all: readonly Token[]; any: ReadonlyArray<readonly Token[]> }

/** `rough` finds more than `fine`, and finds each faster. */
export type TokenQueries = { rough: TokenQuery; fine: TokenQuery }

/** The one token of a document with more than this: a candidate of every search. */
export const OVERSIZED: Token = 0
const MAX_TOKENS = 3000
const MAX_TEXT = 65_536

/** A trigram costs time for each candidate of the other tokens, so beside pairs a few are enough. */
const MAX_TRIGRAMS = { alone: 6, besidePairs: 3 }

/** Trigrams of every text, and every metadata pair as a whole, protected ones too. */
export function documentTokens(document: SearchDocument): Token[] {
  if (textLength(document) > MAX_TEXT) return [OVERSIZED]
  const tokens = new Set<Token>()
  const pairs = pairsOf(document, true)
  for (const text of [...fieldsOf(document), ...pairs.map(([, value]) => value)]) {
    const folded = fold(text)
    for (let at = 0; at + 3 <= folded.length; at++) {
      tokens.add(trigram(folded, at))
      if (tokens.size > MAX_TOKENS) return [OVERSIZED]
    }
  }
  for (const [key, value] of pairs) tokens.add(pairToken(fold(key), fold(value)))
  return tokens.size > MAX_TOKENS ? [OVERSIZED] : [...tokens]
}

/** Of everything that a search looks at, in characters. */
function textLength(document: SearchDocument): number {
  const texts = [...fieldsOf(document), ...pairsOf(document, true).flat()]
  return texts.reduce((sum, { length }) => sum + length, 0)
}

/** Undefined when nothing narrows the search down. */
export function queryTokens({
  wanted,
  filters
}: Pick<SearchQuery, 'wanted' | 'filters'>): TokenQueries | undefined {
  const pairs: Token[] = []
  const any: Token[][] = []
  const patterns = wanted.by === 'text' ? [wanted.text] : []
  for (const { key, patterns: values } of filters) {
    const [value = '', ...more] = values
    if (more.length > 0) {
      const group = values.map((value) => bestToken(key, value))
      if (group.every((token) => token !== undefined)) any.push(group)
    } else if (value.includes('*')) patterns.push(value)
    else pairs.push(pairToken(key, fold(value)))
  }
  const rough = { all: pairs, any }
  const hasPairs = pairs.length + any.length > 0
  const trigrams = spread(
    patterns.flatMap(patternTrigrams),
    hasPairs ? MAX_TRIGRAMS.besidePairs : MAX_TRIGRAMS.alone
  )
  const fine = { all: [...new Set([...pairs, ...trigrams])], any }
  if (hasPairs) return { rough, fine }
  return trigrams.length > 0 ? { rough: fine, fine } : undefined
}

const bestToken = (key: MetaFilter['key'], value: string): Token | undefined =>
  value.includes('*') ? patternTrigrams(value)[0] : pairToken(key, fold(value))

/** Of the literal runs between `*`; neighbours say nearly the same, so every third is enough. */
const patternTrigrams = (pattern: string): Token[] =>
  fold(pattern)
    .split('*')
    .filter((run) => run.length >= 3)
    .flatMap((run) => [
      ...Array.from({ length: Math.floor(run.length / 3) }, (_, i) => trigram(run, i * 3)),
      ...(run.length % 3 === 0 ? [] : [trigram(run, run.length - 3)])
    ])

/** At most so many, from all over the list. */
const spread = (tokens: readonly Token[], most: number): readonly Token[] =>
  tokens.filter((_, i) => tokens.length <= most || isStep(i, tokens.length / most))

const isStep = (i: number, width: number): boolean =>
  Math.floor(i / width) > Math.floor((i - 1) / width)

const trigram = (text: string, at: number): Token =>
  mix(
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
      Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
      Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35)
  )

/** Both folded. FNV-1a; keys hold no NUL, so no two pairs run together. */
function pairToken(key: string, value: string): Token {
  const text = `${key}\0${value}`
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return mix(hash)
}

/** The last step of MurmurHash3, as a signed number: PostgreSQL has no other. */
function mix(hash: number): Token {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
