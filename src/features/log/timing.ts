import type { FastifyReply } from 'fastify'
import type { Deps } from '../../deps.ts'
import { isLong } from '../../history/history.ts'
import { SECOND, type UnixMs } from '../../lib/unix-time.ts'
import type { Shared } from '../../quota/shares.ts'
import type { Aggregation } from './aggregation.ts'
import type { LogDeps } from './deps.ts'

/** Describes a query for the log, without topics and values. */
export type Shape = {
  installation_id: number
  span_seconds: number
  /** Undefined means all topics of the installation. */
  topics: number | undefined
  method?: string
  interval?: string
}

type Asked = {
  installation_id: number
  from: UnixMs
  to: UnixMs
  topics: readonly string[] | undefined
}

export const shapeOf = (
  { installation_id, from, to, topics }: Asked,
  aggregation?: Aggregation
): Shape => ({
  installation_id,
  span_seconds: (to - from) / SECOND,
  topics: topics?.length,
  ...(aggregation && { method: methodsOf(aggregation), interval: textOf(aggregation) })
})

/** The group of shared slots that the query uses. */
export const queriesOf = (asked: Pick<Asked, 'from' | 'to'>): Shared =>
  isLong(asked) ? 'log queries of long times' : 'log queries'

const methodsOf = ({ method, several }: Aggregation): string =>
  several ? several.map(({ method }) => method.name).join() : method.name

const textOf = ({ interval }: Aggregation): string =>
  'ms' in interval ? `${interval.ms / SECOND}s` : `${interval.count}${interval.unit}`

/** Tells the caller how long history took, and logs slow queries. */
export async function timed<T>(
  reply: FastifyReply,
  { log, slowQueryMs }: Pick<Deps & LogDeps, 'log' | 'slowQueryMs'>,
  shape: Shape,
  read: () => Promise<T>
): Promise<T> {
  const start = performance.now()
  try {
    return await read()
  } finally {
    const ms = performance.now() - start
    reply.header('server-timing', `history;dur=${ms.toFixed(1)}`)
    if (ms >= slowQueryMs) log.warn({ ...shape, ms: Math.round(ms) }, 'slow log query')
  }
}
