import { type Branch, levelAt, nextLevel } from '../../lib/topic-tree.ts'

type Qos = 0 | 1 | 2
/** A filter, how far it was followed, and the QoS that was granted for it. */
type Asked = { filter: string; at: number; qos: Qos }
type WalkPosition<T> = { branches: Iterator<Branch<T>>; asked: Asked[] }

export type RetainedMatch<T> = { value: T; qos: Qos }

/** In place of a position in a filter: the filter ended with `#`, so everything below matches. */
const ALL_BELOW = Number.MAX_SAFE_INTEGER

/**
 * Every value whose topic one of the filters matches, once, with the highest QoS of these filters.
 * Only branches that can match are followed. It also yields a number of steps after each branch, so
 * that the caller can let others work. The tree may change in the meantime.
 */
export function* walkRetained<T>(
  root: Branch<T>,
  filters: Iterable<readonly [filter: string, qos: Qos]>
): Generator<RetainedMatch<T> | number> {
  const asked = Array.from(filters, ([filter, qos]) => ({ filter, at: 0, qos }))
  const positions: WalkPosition<T>[] = [{ branches: branchesFor(root, asked), asked }]
  for (let position = positions.at(-1); position; position = positions.at(-1)) {
    const { value: branch, done } = position.branches.next()
    if (done) {
      positions.pop()
      continue
    }
    yield 1 + position.asked.length
    const left = follow(branch.label, position.asked)
    const qos = grantedHere(left)
    if (branch.values !== undefined && !(branch.values instanceof Set) && qos !== undefined) {
      yield { value: branch.values, qos }
    }
    if (branch.next && left.length > 0) {
      positions.push({ branches: branchesFor(branch, left), asked: left })
    }
  }
}

function branchesFor<T>({ next }: Branch<T>, asked: Asked[]): Iterator<Branch<T>> {
  if (!next) return [].values()
  const levels = new Set<string>()
  for (const { filter, at } of asked) {
    const level = at > filter.length ? '' : levelAt(filter, at)
    if (at === ALL_BELOW || level === '+' || level === '#') return next.values()
    if (at <= filter.length) levels.add(level)
  }
  const found = Array.from(levels, (level) => next.get(level))
  return found.filter((branch) => branch !== undefined).values()
}

/** The filters that can still match after the label. */
function follow(label: string, asked: Asked[]): Asked[] {
  const left: Asked[] = []
  let all: Qos | undefined
  for (const { filter, at, qos } of asked) {
    const end = at === ALL_BELOW ? ALL_BELOW : followOne(label, filter, at)
    if (end === ALL_BELOW) all = all === undefined || all < qos ? qos : all
    else if (end !== undefined) left.push({ filter, at: end, qos })
  }
  if (all === undefined) return left
  const stronger = left.filter(({ qos }) => qos > all)
  return [{ filter: '', at: ALL_BELOW, qos: all }, ...stronger]
}

function followOne(label: string, filter: string, begin: number): number | undefined {
  let at = begin
  for (let i = 0; i <= label.length; i = nextLevel(label, i)) {
    if (at > filter.length) return undefined
    const want = levelAt(filter, at)
    if (want === '#') return ALL_BELOW
    if (want !== '+' && want !== levelAt(label, i)) return undefined
    at = nextLevel(filter, at)
  }
  return at
}

/** The highest QoS of the filters that end here; `a/#` also matches `a`. */
function grantedHere(asked: Asked[]): Qos | undefined {
  let granted: Qos | undefined
  for (const { filter, at, qos } of asked) {
    const isHere = at > filter.length || (at === filter.length - 1 && filter.endsWith('#'))
    if (isHere && (granted === undefined || granted < qos)) granted = qos
  }
  return granted
}
