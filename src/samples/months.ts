import type { MonthSize } from '../history/history.ts'
import { endOfMonth, startOfMonth, type UnixMs, unixMs } from '../lib/unix-time.ts'

type Stretch = { from: UnixMs; to: UnixMs }

/** Cuts a stretch, oldest part first, at the borders of the months that history has. */
export function* cutAtMonths(
  { from, to }: Stretch,
  months: readonly MonthSize[]
): Generator<Stretch> {
  const borders = months.flatMap(({ name }) => [startOfMonth(name), endOfMonth(name)])
  const cuts = [...new Set(borders)].filter((at) => at > from && at <= to)
  let begin = from
  for (const cut of cuts.sort((a, b) => a - b)) {
    yield { from: begin, to: unixMs(cut - 1) }
    begin = cut
  }
  yield { from: begin, to }
}
