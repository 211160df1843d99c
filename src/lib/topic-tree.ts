/**
 * A part of a tree of topics or filters. Levels without a fork between them are one branch. So a
 * tree has at most two branches for each topic, however many levels the topic has.
 */
export type Branch<T> = {
  /** One or more levels. */
  label: string
  values: T | Set<T> | undefined
  /** By the first level of the label. */
  next: Map<string, Branch<T>> | undefined
}

const HASH = 35
const DOLLAR = 36
const PLUS = 43
const SLASH = 47

/**
 * Values by topic filter. The cost of a match depends on what it finds, not on the size of the
 * tree.
 */
export class TopicTree<T extends object> {
  readonly #root: Branch<T> = newBranch('')

  add(filter: string, value: T): void {
    const branch = grow(this.#root, filter)
    const { values } = branch
    // Most filters have one value, and a set needs ten times the memory.
    if (values === undefined) branch.values = value
    else if (values instanceof Set) values.add(value)
    else if (values !== value) branch.values = new Set([values, value])
  }

  remove(filter: string, value: T): void {
    const branch = find(this.#root, filter)
    if (!branch) return
    if (branch.values === value) branch.values = undefined
    else if (branch.values instanceof Set) {
      branch.values.delete(value)
      if (branch.values.size === 0) branch.values = undefined
    }
    if (branch.values === undefined) prune(this.#root, filter)
  }

  match(topic: string): T[] {
    const found: T[] = []
    if (this.#root.next) fork(this.#root, topic, 0, found)
    return found
  }
}

export const newBranch = <T>(label: string): Branch<T> => ({
  label,
  values: undefined,
  next: undefined
})

/** The branch at the end of a path. It is created when it is missing. */
export function grow<T>(root: Branch<T>, path: string): Branch<T> {
  let branch = root
  let at = 0
  while (at <= path.length) {
    const level = levelAt(path, at)
    branch.next ??= new Map()
    let next = branch.next.get(level)
    if (!next) {
      next = newBranch(path.slice(at))
      branch.next.set(level, next)
      return next
    }
    const common = commonLength(next.label, path, at)
    if (common < next.label.length) {
      const upper = newBranch<T>(next.label.slice(0, common))
      next.label = next.label.slice(common + 1)
      upper.next = new Map([[levelAt(next.label, 0), next]])
      branch.next.set(level, upper)
      next = upper
    }
    branch = next
    at += common + 1
  }
  return branch
}

export function find<T>(root: Branch<T>, path: string): Branch<T> | undefined {
  let branch = root
  for (let at = 0; at <= path.length; at += branch.label.length + 1) {
    const next = branch.next?.get(levelAt(path, at))
    if (!next || !continues(next.label, path, at)) return undefined
    branch = next
  }
  return branch
}

/** Removes the branch at the end of a path when it has no value. Keeps what other paths need. */
export function prune<T>(root: Branch<T>, path: string): void {
  let [above, branch] = [root, root]
  let key = ''
  for (let at = 0; at <= path.length; at += branch.label.length + 1) {
    key = levelAt(path, at)
    const next = branch.next?.get(key)
    if (!next) return
    above = branch
    branch = next
  }
  if (branch.next) {
    join(branch)
    return
  }
  above.next?.delete(key)
  if (above.next?.size === 0) above.next = undefined
  if (above !== root && above.values === undefined) join(above)
}

/** Merges a branch without a value with its only child. */
function join<T>(branch: Branch<T>): void {
  if (branch.next?.size !== 1) return
  for (const only of branch.next.values()) {
    branch.label = `${branch.label}/${only.label}`
    branch.values = only.values
    branch.next = only.next
  }
}

/** The level that begins at this index. */
export function levelAt(path: string, at: number): string {
  const end = path.indexOf('/', at)
  return end < 0 ? path.slice(at) : path.slice(at, end)
}

/** The index where the next level begins; after the end when there is none. */
export function nextLevel(path: string, at: number): number {
  const end = path.indexOf('/', at)
  return end < 0 ? path.length + 1 : end + 1
}

/** Whether the path continues with this label, up to the end of a level. */
function continues(label: string, path: string, at: number): boolean {
  const end = at + label.length
  return path.startsWith(label, at) && (end === path.length || path.charCodeAt(end) === SLASH)
}

/** The length of the whole levels that label and path share. The first level is always shared. */
function commonLength(label: string, path: string, at: number): number {
  let common = 0
  for (let i = 0; ; i++) {
    const isEnd = i === label.length || label.charCodeAt(i) === SLASH
    const isPathEnd = at + i >= path.length || path.charCodeAt(at + i) === SLASH
    if (isEnd && isPathEnd) common = i
    else if (isEnd || isPathEnd || label.charCodeAt(i) !== path.charCodeAt(at + i)) return common
    if (i === label.length || at + i >= path.length) return common
  }
}

/** Call it when the branch's label has matched and the next level of the topic begins at `at`. */
function fork<T>(branch: Branch<T>, topic: string, at: number, found: T[]): void {
  const { next, values } = branch
  // [MQTT 4.7.2-1] A leading wildcard does not match topics that begin with `$`.
  const isWild = at > 0 || topic.charCodeAt(0) !== DOLLAR
  const rest = isWild && next?.get('#')
  if (rest) collect(rest.values, found)
  if (at > topic.length) {
    collect(values, found)
    return
  }
  const same = next?.get(levelAt(topic, at))
  if (same) follow(same, topic, at, found)
  const any = isWild && next?.get('+')
  if (any) follow(any, topic, at, found)
}

function follow<T>(branch: Branch<T>, topic: string, begin: number, found: T[]): void {
  const { label, values } = branch
  let at = begin
  for (let i = 0; i <= label.length; i++) {
    const first = label.charCodeAt(i)
    if (first === HASH) {
      collect(values, found)
      return
    }
    if (at > topic.length) return
    if (first === PLUS) {
      i++
      at = nextLevel(topic, at)
      continue
    }
    for (; i < label.length && label.charCodeAt(i) !== SLASH; i++, at++) {
      if (label.charCodeAt(i) !== topic.charCodeAt(at)) return
    }
    if (at < topic.length && topic.charCodeAt(at) !== SLASH) return
    at++
  }
  fork(branch, topic, at, found)
}

function collect<T>(values: T | Set<T> | undefined, found: T[]): void {
  if (values instanceof Set) for (const value of values) found.push(value)
  else if (values !== undefined) found.push(values)
}
