import { Type } from 'typebox'
import { TopicsQuery } from '../../http/schema.ts'

export const StatusQuery = Type.Object({ topics: TopicsQuery })
