import { Type } from 'typebox'
import { Maybe, UnixTime } from '../../http/schema.ts'
import { MAX_TOPIC_BYTES } from '../../lib/topic.ts'
import { DAY, SECOND } from '../../lib/unix-time.ts'

const MAX_PLOTS = 24
const MAX_TOPICS = 20
const MAX_SPAN_S = (3653 * DAY) / SECOND

const Topic = Type.String({
  minLength: 1,
  maxLength: MAX_TOPIC_BYTES,
  description: 'Without wildcards, with or without the client id'
})

const BoardPlot = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 100 }),
    topics: Type.Array(Topic, { minItems: 1, maxItems: MAX_TOPICS }),
    span: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: MAX_SPAN_S,
        description: 'Shows the last so many seconds; in place of `from` and `to`'
      })
    ),
    from: Type.Optional(UnixTime),
    to: Type.Optional(UnixTime),
    compare: Type.Optional(
      Type.Boolean({ description: 'Shows the time before beside it; default: false' })
    )
  },
  { title: 'BoardPlot', additionalProperties: false }
)

export const Board = Type.Object(
  {
    installation_id: Type.Integer(),
    plots: Type.Array(BoardPlot),
    updated: Type.Number({ description: 'Unix time of the last change; 0 = never' })
  },
  { title: 'Board' }
)

export const BoardUpdate = Type.Object(
  {
    plots: Type.Array(BoardPlot, { maxItems: MAX_PLOTS }),
    updated: Maybe(
      Type.Number({
        description: '`updated` of the board that was read: 409 if somebody changed it since'
      })
    )
  },
  { title: 'BoardUpdate' }
)
