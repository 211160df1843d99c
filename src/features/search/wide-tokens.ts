import { fold } from '../../lib/meta-filter.ts'
import type { Scope } from '../../lib/scope.ts'
import { fieldsOf, type SearchDocument } from './document.ts'
import type { SearchQuery } from './query.ts'

/**
 * The tokens of segments: a bucket, and 32 bits that tell the tokens of a bucket apart. Their last
 * bit is 1 for protected metadata. Together they are 44 bits of hash, so among 100 million tokens
 * another text has the token of a query with a probability of 1 to 170 000.
 */
export type WideToken = number
export const BUCKETS = 8192

/** Stands before and after every text, so that the index knows how a text begins and ends. */
const EDGE = '\uffff'
const MAX_GRAMS = 5

export function wideTokens(document: SearchDocument): WideToken[] {
  const { meta, protectedMeta, organizationId, installationId } = document
  const tokens = [organizationToken(organizationId), installationToken(installationId)]
  for (const text of fieldsOf(document)) addGrams(tokens, fold(text))
  addPairs(tokens, meta)
  const secret: WideToken[] = []
  addPairs(secret, protectedMeta)
  for (const token of secret) tokens.push(protectedToken(token))
  return tokens
}

function addPairs(tokens: WideToken[], meta: SearchDocument['meta']): void {
  for (const [key, value] of Object.entries(meta)) {
    const folded = fold(value)
    addGrams(tokens, folded)
    tokens.push(pairToken(fold(key), folded))
  }
}

/** All grams of three and four characters. */
function addGrams(tokens: WideToken[], folded: string): void {
  const edged = EDGE + folded + EDGE
  for (let at = 0; at + 3 <= edged.length; at++) {
    tokens.push(gramToken(edged, at, 3))
    if (at + 4 <= edged.length) tokens.push(gramToken(edged, at, 4))
  }
}

/**
 * How far a segment answers a query. `all`: it finds exactly the documents that match. `most`: what
 * it finds has all grams of a text, and nearly always the text. `some`: every document must be
 * compared.
 */
export type Trust = 'all' | 'most' | 'some'
const trusts: readonly Trust[] = ['some', 'most', 'all']

/** A document matches only if it has a token of each group. Without groups all documents may match. */
export type WideQuery = { groups: readonly (readonly WideToken[])[]; trust: Trust }

export function wideQuery({ wanted, filters }: Pick<SearchQuery, 'wanted' | 'filters'>): WideQuery {
  // Filters come first: mostly they leave fewer documents than a text.
  const parts: WideQuery[] = []
  for (const { key, patterns } of filters) {
    if (patterns.every((value) => !value.includes('*'))) {
      const tokens = patterns.map((value) => pairToken(key, fold(value)))
      parts.push({ groups: [tokens], trust: 'all' })
    } else if (patterns.length === 1) {
      const { groups } = textQuery(patterns[0] ?? '')
      parts.push({ groups, trust: 'some' })
    } else parts.push({ groups: [], trust: 'some' })
  }
  if (wanted.by === 'text') parts.push(textQuery(wanted.text))
  const lowest = Math.min(...parts.map(({ trust }) => trusts.indexOf(trust)), trusts.length - 1)
  return { groups: parts.flatMap(({ groups }) => groups), trust: trusts[lowest] ?? 'some' }
}

/** Text without `*` may be anywhere; a pattern begins and ends at the edges. */
function textQuery(text: string): WideQuery {
  const pattern = text.includes('*') ? EDGE + fold(text) + EDGE : fold(text)
  const runs = pattern.split('*').filter((run) => run !== '' && run !== EDGE)
  const grams = runs.flatMap(runGrams)
  const [run = ''] = runs
  const trust = runs.length > 1 || run.length < 3 ? 'some' : run.length <= 4 ? 'all' : 'most'
  return { groups: spread(grams, MAX_GRAMS).map((token) => [token]), trust }
}

function runGrams(run: string): WideToken[] {
  if (run.length < 3) return []
  const length = Math.min(run.length, 4)
  return Array.from({ length: run.length - length + 1 }, (_, at) => gramToken(run, at, length))
}

/** At most `most` tokens, spread over the whole list. */
const spread = (tokens: readonly WideToken[], most: number): readonly WideToken[] =>
  tokens.length <= most
    ? tokens
    : Array.from(
        { length: most },
        (_, i) => tokens[Math.round((i * (tokens.length - 1)) / (most - 1))] ?? 0
      )

export const withProtected = ({ groups, trust }: WideQuery): WideQuery => ({
  groups: groups.map((group) => group.flatMap((token) => [token, protectedToken(token)])),
  trust
})

/** Documents of these organizations and installations. */
export const scopeTokens = ({ organizationIds, installationIds }: Scope): WideToken[] => [
  ...organizationIds.map(organizationToken),
  ...installationIds.map(installationToken)
]

const organizationToken = (id: number): WideToken => pairToken('\uffffo', String(id))
const installationToken = (id: number): WideToken => pairToken('\uffffi', String(id))

export const bucketOf = (token: WideToken): number => Math.floor(token / 2 ** 32)

const protectedToken = (token: WideToken): WideToken => (token % 2 === 0 ? token + 1 : token)

function gramToken(text: string, at: number, length: number): WideToken {
  let one = length
  let two = length
  for (let i = at; i < at + length; i++) {
    const code = text.charCodeAt(i)
    one = Math.imul(one ^ code, 0x9e3779b1)
    one ^= one >>> 15
    two = Math.imul(two ^ code, 0x85ebca6b)
    two ^= two >>> 13
  }
  return wide(one, two)
}

/** Keys have no NUL, so no two pairs give the same text. */
function pairToken(key: string, value: string): WideToken {
  const text = `${key}\0${value}`
  let one = 0x811c9dc5
  let two = 0x9747b28c
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    two = Math.imul(two ^ code, 0x5bd1e995)
    two ^= two >>> 15
  }
  return wide(one, two)
}

const wide = (one: number, two: number): WideToken =>
  (mix(two) & (BUCKETS - 1)) * 2 ** 32 + ((mix(one) & ~1) >>> 0)

/** The last step of MurmurHash3. */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
