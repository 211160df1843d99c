import { Type } from 'typebox'
import { Id, Meta, UnixSeconds } from '../../http/schema.ts'
import { METADATA_PREFIX } from '../../lib/meta-filter.ts'

export const MAX_SEARCH_RESULTS = 10_000
/** The same as for filters: comparing takes up to the length of `q` times the length of a value. */
const MAX_QUERY_LENGTH = 255

const Kind = Type.Union([
  Type.Literal('installation'),
  Type.Literal('device'),
  Type.Literal('function')
])
const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      maxLength: MAX_QUERY_LENGTH,
      description: 'Text; `*` is a wildcard; `*` alone finds everything; only digits find an id'
    }),
    types: Type.Optional(
      Type.Array(Kind, { description: 'Default: every type that the caller may see' })
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_SEARCH_RESULTS,
        default: MAX_SEARCH_RESULTS,
        description: '0 = the default, 10 000'
      })
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })
    )
  },
  {
    'x-prefix': METADATA_PREFIX,
    description: 'Metadata filters: `metadata.<key>=<value>`, repeatable'
  }
)

/** [contract: SearchResult] */
const SearchResult = Type.Object(
  {
    type: Kind,
    id: Id,
    name: Type.String(),
    description: OrNull(Type.String()),
    notes: OrNull(Type.String()),
    created: UnixSeconds,
    updated: OrNull(UnixSeconds),
    clientID: OrNull(Type.String()),
    installationID: OrNull(Type.Integer()),
    organizationID: OrNull(Type.Integer()),
    metaMatches: OrNull(Meta),
    allMetadata: Meta
  },
  { title: 'SearchResult' }
)

export const SearchPage = Type.Object(
  {
    total: Type.Integer({
      description:
        'All matches, not only those of this page. If more than 500 objects may contain a text of five or more characters, it may also count objects that have all parts of the text, but not in one piece; a page never shows these'
    }),
    limit: Type.Integer(),
    offset: Type.Integer(),
    results: Type.Array(SearchResult)
  },
  { title: 'SearchPage' }
)

export const SearchError = Type.Object({ error: Type.String() }, { title: 'SearchError' })
