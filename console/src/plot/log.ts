import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../session/session.ts'
import type { Interval } from './interval.ts'
import type { Point } from './lines.ts'
import type { Span } from './range.ts'

/** The most entries that the platform sends in one page. */
const PAGE = 100_000

/** The points of each topic, by its full name, and what was asked. */
export type Log = {
  points: ReadonlyMap<string, Point[]>
  from: number
  upTo: number
  seconds: number
}
export type Asked = { topics: readonly string[]; span: Span; zone: string }

/** Without an interval: the samples as they are. */
export const plotLog = (installation_id: number, asked: Asked, interval?: Interval) =>
  queryOptions({
    queryKey: ['plot', installation_id, asked, interval?.text ?? 'raw'],
    enabled: asked.topics.length > 0,
    // The old picture stays until the new one is there.
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    queryFn: () => readLog(installation_id, asked, interval)
  })

async function readLog(
  installation_id: number,
  { topics, span, zone }: Asked,
  interval?: Interval
): Promise<Log> {
  const page = await call((caracal) =>
    caracal.post('/api/v3beta/log/{installation_id}', {
      path: { installation_id },
      query: {
        ...span,
        order: 'asc',
        limit: PAGE,
        tz: zone,
        ...(interval && { aggr_method: 'mean,min,max,count', aggr_interval: interval.text })
      },
      body: [...topics]
    })
  )
  const points = new Map<string, Point[]>()
  for (const { topic, timestamp: time, value, values } of page.data) {
    const point = { time, value, min: value, max: value, count: 1, ...values }
    const list = points.get(topic)
    if (list) list.push(point)
    else points.set(topic, [point])
  }
  return { points, from: span.from, upTo: span.to, seconds: interval?.seconds ?? 0 }
}
