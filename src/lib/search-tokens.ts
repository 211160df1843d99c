import { fold, type MetaFilter } from './meta-filter.ts'
import { fieldsOf, pairsOf, type SearchDocument } from './search-document.ts'
import type { SearchQuery } from './search-query.ts'

/**
 * Tokens are 32-bit hashes, odd ones of protected metadata, even ones of everything else. They only narrow a search down to candidates, each of which is compared
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

/** Trigrams of every text, and every metadata pair as a whole. */
export function documentTokens(document: SearchDocument): Token[] {
  if (textLength(document) > MAX_TEXT) return [OVERSIZED]
  const { meta, protectedMeta } = document
  const tokens = new Set<Token>()
  for (const token of tokensOf(fieldsOf(document), meta)) {
    tokens.add(token)
    if (tokens.size > MAX_TOKENS) return [OVERSIZED]
  }
  for (const token of tokensOf([], protectedMeta)) {
    tokens.add(protectedToken(token))
    if (tokens.size > MAX_TOKENS) return [OVERSIZED]
  }
  return [...tokens]
}

function* tokensOf(fields: readonly string[], meta: SearchDocument['meta']): Generator<Token> {
  for (const text of [...fields, ...Object.values(meta)]) {
    const folded = fold(text)
    for (let at = 0; at + 3 <= folded.length; at++) yield trigram(folded, at)
  }
  for (const [key, value] of Object.entries(meta)) yield pairToken(fold(key), fold(value))
}

/** Of everything that a search looks at, in characters. */
function textLength(document: SearchDocument): number {
  const texts = [...fieldsOf(document), ...pairsOf(document, true).flat()]
  return texts.reduce((sum, { length }) => sum + length, 0)
}

type Asked = Pick<SearchQuery, 'wanted' | 'filters'>

/**
 * Undefined when nothing narrows the search down. Protected metadata are asked for only where some
 * are seen: how long a search takes must not tell the others what there is.
 */
export function queryTokens(asked: Asked, seesProtected: boolean): TokenQueries | undefined {
  const tokens = openTokens(asked)
  if (!tokens || !seesProtected) return tokens
  return { rough: orProtected(tokens.rough), fine: orProtected(tokens.fine) }
}

const orProtected = ({ all, any }: TokenQuery): TokenQuery => ({
  all: [],
  any: [...all.map((token) => [token]), ...any].map((group) =>
    group.flatMap((token) => [token, protectedToken(token)])
  )
})

function openTokens({ wanted, filters }: Asked): TokenQueries | undefined {
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

/** No text that is not protected has it, so nobody can ask for it in another way. */
const protectedToken = (token: Token): Token => token | 1

/** The last step of MurmurHash3, even, as a signed number: PostgreSQL has no other. */
function mix(hash: number): Token {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) & ~1
}
