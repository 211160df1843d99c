/** Counts the rows with a timestamp in the window, both ends inclusive. */
export type Count = (from: number, to: number) => number

type Window = { from: number; to: number }

/** Reading so many extra rows costs less than another count. */
const SLACK_ROWS = 1000

/**
 * A part of `all` that holds the wanted rows after `skip` rows in the given order; `before` is the
 * number of skipped rows before it. Counting is much cheaper than reading rows, so a page far down
 * costs a count instead of a read.
 */
export function windowOfRows(
  all: Window & { rows: number },
  order: 'asc' | 'desc',
  { skip, wanted }: { skip: number; wanted: number },
  count: Count
): Window & { before: number } {
  // Times are distances from the start of the order, so one search works for both orders.
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
  const [near] = bracket(begin, end, skip, (low) => skip - low.rows <= SLACK_ROWS, countAt)
  const [, far] = bracket(
    near,
    end,
    skip + wanted,
    (_, high) => high.rows - skip - wanted <= SLACK_ROWS,
    countAt
  )
  return { ...at(near.distance + 1, far.distance), before: near.rows }
}

/** So many `rows` lie at or before `distance`. */
type Mark = { distance: number; rows: number }

/** Two marks with the target between them. They move closer until one is near enough. */
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
    // When samples come evenly, the first guess is right. Halving limits the steps in other cases.
    if (middle.rows <= target) low = middle
    if (middle.rows >= target) high = middle
    halve = !halve
  }
  return [low, high]
}
