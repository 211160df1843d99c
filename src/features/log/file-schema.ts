import { Type } from 'typebox'
import { Moment, TopicsQuery } from '../../http/schema.ts'

export const FILE_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

export const ExportQuery = Type.Object({
  from: Type.Optional(Moment('Unix time, inclusive; default: the oldest value')),
  to: Type.Optional(Moment('Unix time, inclusive; default: the newest value')),
  topics: TopicsQuery,
  format: Type.Optional(
    Type.Union([Type.Literal('csv'), Type.Literal('ndjson')], {
      description: 'Default: the type in the Accept header, else csv'
    })
  )
})

export const ImportResult = Type.Object(
  {
    imported: Type.Integer({ description: 'Samples that were stored' }),
    rejected: Type.Integer({ description: 'Lines that were rejected' }),
    errors: Type.Array(Type.Object({ line: Type.Integer(), message: Type.String() }), {
      description: 'The first 100 rejected lines'
    })
  },
  { title: 'ImportResult' }
)
