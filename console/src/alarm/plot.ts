import { DAY_S, HOUR_S, MAX_SPAN_S, type PlotSearch } from '../plot/range.ts'
import type { Alarm } from './api.ts'

/** The plot of an alarm: what led to it, and what came after. An open one follows the present. */
export function plotOf(
  { raised_at, cleared_at }: Pick<Alarm, 'raised_at' | 'cleared_at'>,
  topic: string,
  now: number
): PlotSearch {
  const end = cleared_at ?? now
  const around = Math.max(HOUR_S, (end - raised_at) / 2)
  const begin = Math.floor(Math.max(0, raised_at - around))
  const topics = [topic]
  if (cleared_at !== null) return { topics, from: begin, to: Math.ceil(end + around) }
  const last = Math.ceil(Math.max(now - begin, DAY_S))
  return { topics, last: Math.min(last, MAX_SPAN_S) }
}
