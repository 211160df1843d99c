import { Type } from 'typebox'
import { checkedLater } from '../../http/described.ts'
import { Maybe, UnixTime } from '../../http/schema.ts'
import { MAX_TOPIC_BYTES, MAX_TOPIC_LEVELS } from '../../lib/topic.ts'

/** Of the bytes that the device gets. */
export const MAX_PAYLOAD_BYTES = 64 * 1024
/** Of the payload and the properties that the device answers with. */
export const MAX_ANSWER_BYTES = 64 * 1024
export const DEFAULT_TIMEOUT_S = 10
const MAX_TIMEOUT_S = 60

const sizes = `at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`

export const NewCommand = Type.Object(
  {
    topic: Type.String({
      ...checkedLater({ minLength: 1, maxLength: MAX_TOPIC_BYTES }),
      description: `Where the command is published, with or without client id; not \`obj/...\`; ${sizes}`
    }),
    payload: Type.Optional(
      Type.Unknown({
        description:
          'A text is sent as it is, everything else as JSON; missing or null: an empty payload. ' +
          `At most ${MAX_PAYLOAD_BYTES} bytes`
      })
    ),
    response_topic: Maybe(
      Type.String({
        ...checkedLater({ minLength: 1, maxLength: MAX_TOPIC_BYTES }),
        description:
          'Where the device answers, with or without client id. The first message there after the ' +
          'command is the answer. Missing: a topic that only this command has, which a device with ' +
          `MQTT 5 finds in the response topic of the command; ${sizes}`
      })
    ),
    timeout: Maybe(
      Type.Number({
        minimum: 0.1,
        maximum: MAX_TIMEOUT_S,
        default: DEFAULT_TIMEOUT_S,
        description: 'How many seconds to wait for the answer'
      })
    ),
    qos: Maybe(Type.Integer({ minimum: 0, maximum: 1, default: 1 })),
    content_type: Maybe(
      Type.String({
        pattern: '^[ -~]{1,255}$',
        description: '1 to 255 printable ASCII characters; devices with MQTT 5 get it'
      })
    )
  },
  { title: 'NewCommand', additionalProperties: false }
)

export const CommandAnswer = Type.Object(
  {
    topic: Type.String({ description: 'Where the answer came, with client id' }),
    timestamp: UnixTime,
    payload: Type.Optional(Type.String({ description: 'Missing if it is no UTF-8' })),
    payload_base64: Type.Optional(
      Type.String({ description: 'The payload if it is no UTF-8, as base64' })
    ),
    content_type: Type.Optional(Type.String({ description: 'If the device says it, by MQTT 5' })),
    user_properties: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
        description: 'If the device sends any, by MQTT 5, in their order'
      })
    )
  },
  { title: 'CommandAnswer' }
)
