import { type Branch, levelAt, nextLevel } from './topic-tree.ts'

type Qos = 0 | 1 | 2
/** A filter, how far it was followed, and what was granted. */
type Asked = { filter: string; at: number; qos: Qos }
type Place<T> = { branches: Iterator<Branch<T>>; asked: Asked[] }

export type Found<T> = { value: T; qos: Qos }

/** Behind the end of every filter: all that is below matches. */
const ALL = Number.MAX_SAFE_INTEGER

/**
 * Every topic that one of the filters matches, once, with the greatest QoS of those that do. Only
 * branches that can match are followed. Yields the number of steps after each branch, too, so that
 * the caller can let others work. The tree may change meanwhile.
 */
export function* walkRetained<T>(
  root: Branch<T>,
  filters: Iterable<readonly [filter: string, qos: Qos]>
): Generator<Found<T> | number> {
  const asked = Array.from(filters, ([filter, qos]) => ({ filter, at: 0, qos }))
  const places: Place<T>[] = [{ branches: branchesFor(root, asked), asked }]
  for (let place = places.at(-1); place; place = places.at(-1)) {
    const { value: branch, done } = place.branches.next()
    if (done) {
      places.pop()
      continue
    }
    yield 1 + place.asked.length
    const left = follow(branch.label, place.asked)
    const qos = grantedHere(left)
    if (branch.values !== undefined && !(branch.values instanceof Set) && qos !== undefined) {
      yield { value: branch.values, qos }
    }
    if (branch.next && left.length > 0) {
      places.push({ branches: branchesFor(branch, left), asked: left })
    }
  }
}

function branchesFor<T>({ next }: Branch<T>, asked: Asked[]): Iterator<Branch<T>> {
  if (!next) return [].values()
  const levels = new Set<string>()
  for (const { filter, at } of asked) {
    const level = at > filter.length ? '' : levelAt(filter, at)
    if (at === ALL || level === '+' || level === '#') return next.values()
    if (at <= filter.length) levels.add(level)
  }
  const found = Array.from(levels, (level) => next.get(level))
  return found.filter((branch) => branch !== undefined).values()
}

/** The filters that still match behind the label. */
function follow(label: string, asked: Asked[]): Asked[] {
  const left: Asked[] = []
  let all: Qos | undefined
  for (const { filter, at, qos } of asked) {
    const end = at === ALL ? ALL : followOne(label, filter, at)
    if (end === ALL) all = all === undefined || all < qos ? qos : all
    else if (end !== undefined) left.push({ filter, at: end, qos })
  }
  if (all === undefined) return left
  const stronger = left.filter(({ qos }) => qos > all)
  return [{ filter: '', at: ALL, qos: all }, ...stronger]
}

function followOne(label: string, filter: string, begin: number): number | undefined {
  let at = begin
  for (let i = 0; i <= label.length; i = nextLevel(label, i)) {
    if (at > filter.length) return undefined
    const want = levelAt(filter, at)
    if (want === '#') return ALL
    if (want !== '+' && want !== levelAt(label, i)) return undefined
    at = nextLevel(filter, at)
  }
  return at
}

/** Of the filters that end here; `a/#` also matches `a`. */
function grantedHere(asked: Asked[]): Qos | undefined {
  let granted: Qos | undefined
  for (const { filter, at, qos } of asked) {
    const isHere = at > filter.length || (at === filter.length - 1 && filter.endsWith('#'))
    if (isHere && (granted === undefined || granted < qos)) granted = qos
  }
  return granted
}
