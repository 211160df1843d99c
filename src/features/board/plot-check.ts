import type { Static } from 'typebox'
import { badRequest } from '../../http/errors.ts'
import { isTopicName, isWithinTopicLimits } from '../../lib/topic.ts'
import type { Board } from './schema.ts'

/** What the schema does not say. `i` is the place of the plot on its board. */
export function checkPlot(
  { topics, span, from, to }: Static<typeof Board>['plots'][number],
  i: number
): void {
  const isWindow = from !== undefined && to !== undefined && from < to
  const isBoth = span !== undefined && (from !== undefined || to !== undefined)
  if (isBoth || (span === undefined && !isWindow)) {
    throw badRequest(`plots/${i} must have span, or from and a later to`)
  }
  const at = topics.findIndex((topic) => !isTopicName(topic) || !isWithinTopicLimits(topic))
  if (at >= 0) throw badRequest(`plots/${i}/topics/${at} must be an MQTT topic without wildcards`)
}
