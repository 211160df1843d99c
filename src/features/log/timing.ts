import type { FastifyReply } from 'fastify'
import type { Shared } from '../../access/shares.ts'
import type { Deps } from '../../deps.ts'
import { isLong } from '../../history/history.ts'
import { SECOND, type UnixMs } from '../../lib/unix-time.ts'
import type { Aggregation } from './aggregation.ts'

/** What a query was like, without anything of what it asked for. */
export type Shape = {
  installation_id: number
  span_seconds: number
  /** Undefined: all of the installation. */
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
  ...(aggregation && { method: aggregation.method.name, interval: textOf(aggregation) })
})

/** Which places such a query takes. */
export const queriesOf = (asked: Pick<Asked, 'from' | 'to'>): Shared =>
  isLong(asked) ? 'log queries of long times' : 'log queries'

const textOf = ({ interval }: Aggregation): string =>
  'ms' in interval ? `${interval.ms / SECOND}s` : `${interval.count}${interval.unit}`

/** Tells the caller how long history took, and the operator when that was long. */
export async function timed<T>(
  reply: FastifyReply,
  { log, slowQueryMs }: Pick<Deps, 'log' | 'slowQueryMs'>,
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
