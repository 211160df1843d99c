import type { Turns } from './turns.ts'

/** Filters with the same first levels share nodes. */
type FilterNode = {
  /** By the text of the level. */
  next: Map<string, FilterNode>
  /** The node after `+`. */
  plus: FilterNode | undefined
  /** A filter ends here. */
  isEnd: boolean
  /** `#` follows. */
  isRest: boolean
}

/**
 * Topics of a sorted list from index `from` up to, not including, `to`. Their first `length`
 * characters are equal.
 */
type Group = { from: number; to: number; length: number; nodes: readonly FilterNode[] }

/**
 * A level in a group: the index of the topic that ends with it, if any, and the topics that go on.
 */
type Place = { level: string; at: number | undefined; from: number; to: number }

const SLASH = '/'
/** Steps of one walk, about two seconds. Filters that share levels need a hundredth of this. */
const MAX_STEPS = 5_000_000

/** There are too many ways to follow the filters along the topics. */
export class WalkTooLong extends Error {}

/**
 * The topics that match a filter (see `topicMatches`), in order. A sorted list is already a tree:
 * the topics under a level lie together. So a level that no filter follows costs one step.
 */
export async function matchingTopics(
  topics: readonly string[],
  filters: readonly string[],
  turns: Turns
): Promise<string[]> {
  let steps = 0
  const hits = new Uint8Array(topics.length)
  const groups: Group[] = [{ from: 0, to: topics.length, length: 0, nodes: [compile(filters)] }]
  for (let group = groups.pop(); group; group = groups.pop()) {
    for (const { level, at, from, to } of placesIn(topics, group)) {
      const { nodes, isHit, isAll } = step(group, level)
      if (at !== undefined && isHit) hits[at] = 1
      if (isAll) hits.fill(1, from, to)
      else if (from < to && nodes.length > 0) {
        groups.push({ from, to, length: group.length + level.length + 1, nodes })
      }
      steps += group.nodes.length + 2
      if (steps > MAX_STEPS) throw new WalkTooLong()
      if (turns.isOver(group.nodes.length + 2)) await turns.next()
    }
  }
  const found: string[] = []
  for (const [at, topic] of topics.entries()) {
    if (hits[at] === 1) found.push(topic)
    if (turns.isOver()) await turns.next()
  }
  return found
}

function compile(filters: readonly string[]): FilterNode {
  const root = newNode()
  for (const filter of filters) {
    const levels = filter.split(SLASH)
    const rest = levels.indexOf('#')
    let node = root
    for (const level of rest === -1 ? levels : levels.slice(0, rest)) node = nodeBehind(node, level)
    if (rest === -1) node.isEnd = true
    else node.isRest = true
  }
  return root
}

const newNode = (): FilterNode => ({
  next: new Map(),
  plus: undefined,
  isEnd: false,
  isRest: false
})

function nodeBehind(node: FilterNode, level: string): FilterNode {
  if (level === '+') {
    node.plus ??= newNode()
    return node.plus
  }
  let next = node.next.get(level)
  if (!next) {
    next = newNode()
    node.next.set(level, next)
  }
  return next
}

/** The filter nodes after a level; `isAll`: everything under the level matches. */
function step({ nodes, length }: Group, level: string) {
  // [MQTT 4.7.2-1] A leading wildcard does not match topics that begin with `$`.
  const isHidden = length === 0 && level.startsWith('$')
  const behind: FilterNode[] = []
  for (const { next, plus } of nodes) {
    const exact = next.get(level)
    if (exact) behind.push(exact)
    if (plus && !isHidden) behind.push(plus)
  }
  const isAll =
    behind.some(({ isRest }) => isRest) || (!isHidden && nodes.some(({ isRest }) => isRest))
  return { nodes: behind, isAll, isHit: isAll || behind.some(({ isEnd }) => isEnd) }
}

/** One place per level. When filters name only a few levels, only these. */
function* placesIn(topics: readonly string[], group: Group): Generator<Place> {
  const { from, to, length } = group
  const named = levelsNamed(group)
  const prefix = named ? (topics[from] ?? '').slice(0, length) : ''
  for (const level of named ?? []) {
    const at = firstFrom(topics, prefix + level, from, to)
    const under = prefix + level + SLASH
    const start = firstFrom(topics, under, at, to)
    const isTopic = at < to && topics[at] === prefix + level
    yield {
      ...{ level, at: isTopic ? at : undefined },
      ...{ from: start, to: endOf(topics, under, start, to) }
    }
  }
  for (let i = named ? to : from; i < to; ) {
    const topic = topics[i] ?? ''
    const slash = topic.indexOf(SLASH, length)
    if (slash === -1) {
      yield { level: topic.slice(length), at: i, from: i, to: i }
      i++
    } else {
      const end = endOf(topics, topic.slice(0, slash + 1), i, to)
      yield { level: topic.slice(length, slash), at: undefined, from: i, to: end }
      i = end
    }
  }
}

function levelsNamed({ nodes, from, to }: Group): Set<string> | undefined {
  if (nodes.some(({ plus, isRest }) => plus || isRest)) return undefined
  const count = nodes.reduce((sum, { next }) => sum + next.size, 0)
  return count > to - from ? undefined : new Set(nodes.flatMap(({ next }) => [...next.keys()]))
}

/** The first index from `from` with a text that is not before `text`; `to` when there is none. */
function firstFrom(topics: readonly string[], text: string, from: number, to: number): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((topics[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The end of the topics that begin with `prefix`. The step doubles, because most groups are small.
 */
function endOf(topics: readonly string[], prefix: string, from: number, to: number): number {
  let [low, high, width] = [from, to, 1]
  while (low < high) {
    const middle = Math.min(low + width, high) - 1
    if (topics[middle]?.startsWith(prefix)) {
      low = middle + 1
      width *= 2
    } else {
      high = middle
      width = Math.max(1, (high - low) >>> 1)
    }
  }
  return low
}
