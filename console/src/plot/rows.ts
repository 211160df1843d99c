import type { Schemas } from '../../../tools/client/client.ts'
import { type Row, rowsOf, shownValue } from '../live/shown.ts'

/** A function with named states keeps its value until the next one, so its line has steps. */
export const isState = (meta: Row['meta']): boolean =>
  Object.keys(meta).some((key) => key.startsWith('state_'))

/** The unit of the axis; functions with named states share one without a unit. */
export const unitOf = ({ meta }: Row): string =>
  isState(meta) ? '' : shownValue(0, meta, 'en').unit

/** All topics that can be plotted: those of functions, and those that have a value. */
export function plotRows(
  clientId: number,
  functions: readonly Schemas['Function'][],
  withValues: readonly string[]
): Row[] {
  const full = (topic: string) =>
    topic.startsWith(`${clientId}/`) ? topic : `${clientId}/${topic}`
  const read = functions.flatMap(({ meta }) => (meta.topic_read ? [full(meta.topic_read)] : []))
  const topics = new Set([...read, ...withValues])
  return rowsOf([...topics], functions, clientId).filter(({ topic }) => topics.has(topic))
}

/** The rows of an address, in its order. A topic that nobody knows is shown by its name. */
export function chosenRows(
  clientId: number,
  topics: readonly string[],
  all: readonly Row[]
): Row[] {
  const byTopic = new Map(all.map((row) => [row.short, row]))
  return topics.map(
    (short) => byTopic.get(short) ?? (rowsOf([`${clientId}/${short}`], [], clientId)[0] as Row)
  )
}
