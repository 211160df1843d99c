import { Type } from 'typebox'
import { UnixTime } from '../../http/schema.ts'

export const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('degraded'), Type.Literal('draining')]),
    version: Type.String({ description: 'The version of Caracal' }),
    engines: Type.Record(Type.String(), Type.Object({ ok: Type.Boolean(), detail: Type.String() })),
    backup: Type.Optional(
      Type.Object(
        {
          ok: Type.Boolean(),
          made: Type.Union([Type.Integer(), Type.Null()], {
            description: 'When the last backup was made, in Unix seconds'
          }),
          detail: Type.String()
        },
        { description: 'How the last backup ended. It does not change the status' }
      )
    ),
    certificates: Type.Optional(
      Type.Object(
        {
          ok: Type.Boolean({ description: 'false while one has expired or ends within 30 days' }),
          expiring: Type.Integer(),
          expired: Type.Integer(),
          next: Type.Union([Type.Integer(), Type.Null()], {
            description: 'When the next one ends, in Unix seconds'
          }),
          detail: Type.String()
        },
        {
          description:
            'Client certificates that are not revoked, counted every minute. They do not change ' +
            'the status; missing if there are none'
        }
      )
    )
  },
  { title: 'Health' }
)

const LedgerPage = (maximum: number) =>
  Type.Object({
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only entries with a smaller id; default: the newest ones'
      })
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 0, maximum, default: 1000, description: '0 = the default, 1 000' })
    )
  })
export const LedgerQuery = LedgerPage(10_000)
/** Many callers may read these pages, so they are shorter. */
export const InstallationLedgerQuery = LedgerPage(1000)

export const LedgerEntry = Type.Object(
  {
    id: Type.Integer(),
    timestamp: UnixTime,
    reason: Type.String(),
    topic: Type.String(),
    sender: Type.String(),
    payload: Type.String({ description: 'The first 256 characters' })
  },
  { title: 'LedgerEntry' }
)
