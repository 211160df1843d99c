import type { Static } from 'typebox'
import { badRequest } from '../../http/errors.ts'
import {
  everyBrokerTakes,
  isTopicName,
  MAX_TOPIC_BYTES,
  MAX_TOPIC_LEVELS,
  withClientId
} from '../../lib/topic.ts'
import { flag } from '../../registry/meta.ts'
import { cronFields, parseField } from './cron.ts'
import type { ScheduleFields, ScheduleRow } from './schedules.ts'
import type { ScheduleUpdate } from './schema.ts'

/** For a new schedule; its topic and value are always in the body. */
const nothing = { active: 1, topic: '', value: 0 } as const

/**
 * The new schedule. Required fields that the body leaves out keep their old value [ADR-0032]; every
 * other missing field gets its default.
 */
export function fieldsOf(
  body: Static<typeof ScheduleUpdate>,
  current: Pick<ScheduleRow, 'active' | 'topic' | 'value'> = nothing
): ScheduleFields {
  const fields: ScheduleFields = {
    active: body.active === undefined || body.active === null ? current.active : flag(body.active),
    topic: body.topic ?? current.topic,
    value: body.value ?? current.value,
    minute: body.minute || '*',
    hour: body.hour || '*',
    day_of_month: body.day_of_month || '*',
    day_of_week: body.day_of_week || '*',
    month: body.month || '*',
    executor: body.executor || 'gateway'
  }
  const faults = [
    ...topicFaults(fields.topic),
    ...cronFields
      .filter((field) => !parseField(field, fields[field]))
      .map((field) => `${field} must be *, numbers, ranges or steps within ${rangeText[field]}`)
  ]
  if (faults.length > 0) throw badRequest(faults.join('; '))
  return fields
}

function topicFaults(topic: string): string[] {
  if (!isTopicName(topic)) return ['topic must be a topic to publish to, without + and #']
  const published = withClientId(Number.MAX_SAFE_INTEGER, topic)
  if (everyBrokerTakes(published)) return []
  return [
    `topic must have no control characters, and with the client id at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
  ]
}

const rangeText = {
  minute: '0 to 59',
  hour: '0 to 23',
  day_of_month: '0 to 30',
  day_of_week: '0 to 7',
  month: '0 to 11'
}
