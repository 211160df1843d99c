import { badRequest } from '../../http/errors.ts'
import { MAX_MSG_BYTES, type Refusal, readingOf } from '../../lib/sample.ts'
import {
  everyBrokerTakes,
  isObjectTopic,
  isWithinTopicLimits,
  MAX_TOPIC_BYTES,
  MAX_TOPIC_LEVELS
} from '../../lib/topic.ts'
import { Turns } from '../../lib/turns.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { TopicReading } from '../../samples/together.ts'

/** In one request. They are stored together. */
export const MAX_SAMPLES = 5000

const faults: Partial<Record<Refusal, string>> = {
  'no numeric value': 'value must be a number',
  'bad timestamp': 'timestamp must be seconds since 1970, at most a day ahead',
  'bad msg': 'msg must be text',
  'msg too long': `msg must have at most ${MAX_MSG_BYTES} bytes`
}

type Given = { topic?: unknown; value?: unknown; timestamp?: unknown; msg?: unknown }

/** Checks all samples of a body. The first one that is wrong is answered with its place. */
export async function checkSamples(
  body: unknown,
  clientId: number,
  now: UnixMs
): Promise<TopicReading[]> {
  if (!Array.isArray(body)) throw badRequest('body must be a list of samples')
  if (body.length > MAX_SAMPLES) {
    throw badRequest(`body must be a list of at most ${MAX_SAMPLES} samples`)
  }
  const prefix = `${clientId}/`
  const turns = new Turns()
  const readings: TopicReading[] = []
  for (let i = 0; i < body.length; i++) {
    const given: unknown = body[i]
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw badRequest(`[${i}] must be an object`)
    }
    const { topic: text, value, timestamp, msg } = given as Given
    const topic = fullTopic(text, prefix)
    if (topic === undefined) throw badRequest(`[${i}].${topicFault(text, prefix)}`)
    const reading = readingOf({ value, timestamp, msg }, now)
    if (typeof reading === 'string') throw badRequest(`[${i}].${faults[reading] ?? reading}`)
    readings.push({ topic, ...reading })
    if (turns.isOver()) await turns.next()
  }
  return readings
}

/** Undefined: it is not a topic of values. */
function fullTopic(text: unknown, prefix: string): string | undefined {
  if (typeof text !== 'string') return undefined
  const topic = text.startsWith(prefix) ? text : prefix + text
  return isObjectTopic(topic) && everyBrokerTakes(topic) && topic.isWellFormed() ? topic : undefined
}

function topicFault(text: unknown, prefix: string): string {
  if (text === undefined) return 'topic is required'
  if (typeof text !== 'string') return 'topic must be text'
  const topic = text.startsWith(prefix) ? text : prefix + text
  if (!isWithinTopicLimits(topic)) {
    return `topic must have at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
  }
  if (!isObjectTopic(topic)) return `topic must be obj/... or ${prefix}obj/...`
  return 'topic must not contain +, # or control characters'
}
