import { SECOND, type UnixMs } from '../../lib/unix-time.ts'
import type { Aggregation } from './aggregation.ts'

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

const methodsOf = ({ method, several }: Aggregation): string =>
  several ? several.map(({ method }) => method.name).join() : method.name

const textOf = ({ interval }: Aggregation): string =>
  'ms' in interval ? `${interval.ms / SECOND}s` : `${interval.count}${interval.unit}`
