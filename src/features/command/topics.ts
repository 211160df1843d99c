import { randomBytes } from 'node:crypto'
import { ApiError, badRequest } from '../../http/errors.ts'
import {
  everyBrokerTakes,
  isObjectTopic,
  isWithinTopicLimits,
  MAX_TOPIC_BYTES,
  MAX_TOPIC_LEVELS
} from '../../lib/topic.ts'
import type { InstallationRef } from '../../registry/installations.ts'

/** Mappings do not read messages below this level, and nothing below it is stored. */
const ANSWERS = 'answer'
const RANDOM_BYTES = 16

type Given = { topic: string; response_topic?: string | null | undefined }
type Topics = { topic: string; responseTopic: string }

/** Full topics, which are always those of the installation. */
export function topicsOf(
  { topic: given, response_topic }: Given,
  installation: InstallationRef,
  blacklist: { blocks(topic: string): boolean }
): Topics {
  const fullTopic = (name: string, text: string) => {
    const prefix = `${installation.client_id}/`
    const topic = text.startsWith(prefix) ? text : prefix + text
    if (!isWithinTopicLimits(topic)) {
      const most = `${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
      throw badRequest(`${name} must have at most ${most}`)
    }
    if (topic === prefix) throw badRequest(`${name} must not be empty`)
    if (!everyBrokerTakes(topic) || !topic.isWellFormed()) {
      throw badRequest(`${name} must not contain +, # or control characters`)
    }
    if (blacklist.blocks(topic)) throw new ApiError(403, `${name} is on the blacklist`)
    return topic
  }
  const topic = fullTopic('topic', given)
  if (isObjectTopic(topic)) {
    throw badRequest('topic must not be obj/...: that is where values are, not commands')
  }
  const responseTopic = fullTopic(
    'response_topic',
    response_topic ?? `${ANSWERS}/${randomBytes(RANDOM_BYTES).toString('base64url')}`
  )
  if (responseTopic === topic) throw badRequest('response_topic must not be the topic')
  return { topic, responseTopic }
}
