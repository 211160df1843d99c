/** Rows whose timestamp is in the window, both ends inclusive. */
export type Count = (from: number, to: number) => number

type Window = { from: number; to: number }

/** Reading this many rows too many costs less than another count. */
const SLACK = 1000

/**
 * A part of `all` that holds the wanted rows after `skip` rows in the given order; `before` is how
 * many of the skipped ones lie before it. Counting an index is an order of magnitude cheaper than
 * reading its rows, so pages far down cost a count, not a read.
 */
export function windowOfRows(
  all: Window & { rows: number },
  order: 'asc' | 'desc',
  { skip, wanted }: { skip: number; wanted: number },
  count: Count
): Window & { before: number } {
  // Distances in time from where the order begins, so that both orders are one search.
  const at = (from: number, to: number): Window =>
    order === 'asc'
      ? { from: all.from + from, to: all.from + to }
      : { from: all.to - to, to: all.to - from }
  const countAt: Count = (from, to) => {
    const window = at(from, to)
    return count(window.from, window.to)
  }
  const begin = { distance: -1, rows: 0 }
  const end = { distance: all.to - all.from, rows: all.rows }
  const [near] = bracket(begin, end, skip, (low) => skip - low.rows <= SLACK, countAt)
  const [, far] = bracket(
    near,
    end,
    skip + wanted,
    (_, high) => high.rows - skip - wanted <= SLACK,
    countAt
  )
  return { ...at(near.distance + 1, far.distance), before: near.rows }
}

/** `rows` lie at or before `distance`. */
type Mark = { distance: number; rows: number }

/** Two marks with the target between them, narrowed until one is near enough. */
function bracket(
  low: Mark,
  high: Mark,
  target: number,
  isNear: (low: Mark, high: Mark) => boolean,
  count: Count
): [Mark, Mark] {
  let halve = false
  while (high.distance - low.distance > 1 && !isNear(low, high)) {
    const share = halve ? 0.5 : (target - low.rows) / (high.rows - low.rows)
    const step = Math.round((high.distance - low.distance) * share)
    const distance = Math.min(Math.max(low.distance + step, low.distance + 1), high.distance - 1)
    const middle = { distance, rows: low.rows + count(low.distance + 1, distance) }
    // Samples that come evenly are found by the first guess; halving bounds the others.
    if (middle.rows <= target) low = middle
    if (middle.rows >= target) high = middle
    halve = !halve
  }
  return [low, high]
}
