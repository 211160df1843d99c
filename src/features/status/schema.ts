import { Type } from 'typebox'
import { TopicsQuery, UnixTime } from '../../http/schema.ts'

export const Status = Type.Object({
  client_id: Type.Integer(),
  installation_id: Type.Integer(),
  timestamp: UnixTime,
  value: Type.Number(),
  msg: Type.String(),
  topic: Type.String()
})

export const StatusQuery = Type.Object({ topics: TopicsQuery })
