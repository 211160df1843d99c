import { MAX_PATH_CHARACTERS, MAX_PATH_KEYS, MAX_PATH_WILDCARDS } from './rule.ts'

/** A key of an object, which may also be a place in a list. */
type Key = { readonly key: string; readonly place: number }
/** Null stands for `*`. */
type Segment = Key | null
export type Path = readonly Segment[]

/** Limits the work for one message. `take` is false when all is used up. */
export type Steps = { take(count: number): boolean }

const NO_PLACE = -1

/** Reads `ENERGY.Power` or `*.rooms.0.a\.b`. A text is the reason why the path is wrong. */
export function parsePath(text: string): Path | string {
  if (text.length > MAX_PATH_CHARACTERS) return `has more than ${MAX_PATH_CHARACTERS} characters`
  if (text === '') return []
  const path: Segment[] = []
  let key = ''
  let isEscaped = false
  for (let i = 0; i <= text.length; i++) {
    const character = text[i]
    if (character === '\\') {
      const next = text[++i]
      if (next === undefined) return 'ends with a backslash'
      key += next
      isEscaped = true
    } else if (character === '.' || character === undefined) {
      if (key === '') return 'has an empty key'
      path.push(key === '*' && !isEscaped ? null : { key, place: placeOf(key) })
      key = ''
      isEscaped = false
    } else key += character
  }
  if (path.length > MAX_PATH_KEYS) return `has more than ${MAX_PATH_KEYS} keys`
  if (wildcardsOf(path) > MAX_PATH_WILDCARDS) return `has more than ${MAX_PATH_WILDCARDS} wildcards`
  return path
}

export const wildcardsOf = (path: Path): number => path.filter((segment) => !segment).length

const placeOf = (key: string): number => (/^(0|[1-9]\d{0,5})$/.test(key) ? Number(key) : NO_PLACE)

/** Undefined: the message has no such key. Only own keys count, so `constructor` is no key. */
export function keyOf(found: unknown, { key, place }: Key): unknown {
  if (typeof found !== 'object' || found === null) return undefined
  if (Array.isArray(found)) return place === NO_PLACE ? undefined : found[place]
  return Object.hasOwn(found, key) ? (found as Record<string, unknown>)[key] : undefined
}

/**
 * What is at the path. `met` are the keys that stand for its wildcards, in order. Undefined: it is
 * not in the message.
 */
export function findAt(found: unknown, path: Path, met: readonly string[] = []): unknown {
  let [at, wildcard] = [found, 0]
  for (const segment of path) {
    if (at === undefined) return undefined
    at = keyOf(at, segment ?? keyMet(met[wildcard++] ?? ''))
  }
  return at
}

const keyMet = (key: string): Key => ({ key, place: placeOf(key) })

/**
 * Calls `visit` for everything that the path finds, with the keys that its wildcards met. False: it
 * was too much work, or `visit` said so.
 */
export function visitAt(
  found: unknown,
  path: Path,
  steps: Steps,
  visit: (found: unknown, met: readonly string[]) => boolean
): boolean {
  const met: string[] = []
  const walk = (at: unknown, i: number): boolean => {
    const segment = path[i]
    if (segment === undefined) return visit(at, met)
    if (segment) {
      const next = keyOf(at, segment)
      return next === undefined || walk(next, i + 1)
    }
    if (typeof at !== 'object' || at === null) return true
    // Listing the keys of a large object is work as well.
    if (!steps.take(Array.isArray(at) ? at.length : 1)) return false
    const keys = Object.keys(at)
    if (!Array.isArray(at) && !steps.take(keys.length)) return false
    for (const key of keys) {
      met.push(key)
      const isDone = walk((at as Record<string, unknown>)[key], i + 1)
      met.pop()
      if (!isDone) return false
    }
    return true
  }
  return steps.take(path.length + 1) && walk(found, 0)
}
