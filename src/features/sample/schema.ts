import { Type } from 'typebox'
import { checkedLater } from '../../http/described.ts'
import { Id } from '../../http/schema.ts'
import { precisions } from '../../lib/line-protocol.ts'
import { MAX_TOPIC_BYTES, MAX_TOPIC_LEVELS } from '../../lib/topic.ts'
import { MAX_SAMPLES } from './samples.ts'

/** The route checks it, and names the first sample that is wrong. */
export const NewSamples = Type.Array(
  Type.Object({
    topic: Type.String({
      ...checkedLater({ maxLength: MAX_TOPIC_BYTES }),
      description: `\`obj/...\`, with or without client id; at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
    }),
    value: Type.Number(),
    timestamp: Type.Optional(
      Type.Union([Type.Number({ description: 'Unix time in seconds; missing: now' }), Type.Null()])
    ),
    msg: Type.Optional(
      Type.Union([Type.String({ description: 'At most 64 KiB; missing: empty' }), Type.Null()])
    )
  }),
  { title: 'NewSamples', maxItems: MAX_SAMPLES }
)

export const WriteQuery = Type.Object({
  bucket: Type.Integer({ ...Id, description: 'The id of an installation' }),
  org: Type.Optional(Type.String({ description: 'Ignored' })),
  orgID: Type.Optional(Type.String({ description: 'Ignored' })),
  precision: Type.Optional(
    Type.Union(
      precisions.map((precision) => Type.Literal(precision)),
      { default: 'ns', description: 'The unit of the timestamps' }
    )
  )
})

/** What was stored before the line that is wrong. */
export const WriteFault = Type.Object(
  {
    message: Type.String(),
    line: Type.Optional(Type.Integer({ description: 'The line that is wrong, from 1' })),
    stored: Type.Optional(Type.Integer({ description: 'How many values are stored' }))
  },
  { title: 'WriteFault' }
)
