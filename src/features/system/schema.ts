import { Type } from 'typebox'
import { UnixTime } from '../../http/schema.ts'

export const Health = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('degraded')]),
  engines: Type.Record(Type.String(), Type.Object({ ok: Type.Boolean(), detail: Type.String() }))
})

export const LedgerQuery = Type.Object({
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Entries with a smaller id' })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description: '0 = 1 000' }))
})

export const LedgerEntry = Type.Object({
  id: Type.Integer(),
  timestamp: UnixTime,
  reason: Type.String(),
  topic: Type.String(),
  sender: Type.String(),
  payload: Type.String({ description: 'The first 256 characters' })
})
