import { Type } from 'typebox'
import { UnixSeconds } from '../../http/schema.ts'
import { type FigureName, figures } from './figures.ts'

const OrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

const broker = Type.Union([Type.Literal('embedded'), Type.Literal('external')])

/** Of the node that answers. */
export const SystemState = Type.Object(
  {
    version: Type.String({ description: 'The version of Caracal' }),
    started: UnixSeconds,
    broker,
    disk: Type.Object({
      free: Type.Integer({ description: 'Bytes' }),
      reserve: Type.Integer({ description: 'Bytes that values leave free' })
    }),
    spool: Type.Union(
      [
        Type.Object({
          samples: Type.Integer({ description: 'Stored values on their way to history' }),
          bytes: Type.Integer(),
          oldest_seconds: Type.Integer({ description: 'How long the oldest one has waited' })
        }),
        Type.Null()
      ],
      { description: 'null: it does not answer' }
    ),
    connections: Type.Object({ http: Type.Integer(), mqtt: Type.Integer() }),
    certificate_expires: OrNull('When the TLS certificate ends, in Unix seconds; null: none'),
    problems: Type.Array(Type.String(), { description: 'What is wrong, in words; empty: nothing' })
  },
  { title: 'SystemState' }
)

export const FiguresQuery = Type.Object({
  hours: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 168, default: 24, description: 'How far back' })
  )
})

const Column = (description: string) =>
  Type.Array(Type.Union([Type.Number(), Type.Null()]), { description })

/** Of the node that answers. */
export const SystemFigures = Type.Object(
  {
    step: Type.Integer({ description: 'Seconds from one point to the next' }),
    times: Type.Array(Type.Integer(), {
      description: 'The start of each point, in Unix seconds; at most 721'
    }),
    figures: Type.Object(
      Object.fromEntries(
        figures.map(({ name, joined, help }) => [name, Column(`${help}; ${joined} of a point`)])
      ) as Record<FigureName, ReturnType<typeof Column>>,
      { description: 'One for each point; null: not known, or the platform did not run' }
    )
  },
  { title: 'SystemFigures' }
)

export const MAX_CLIENTS = 200
export const DEFAULT_CLIENTS = 50

export const ClientQuery = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Found anywhere in the client id, the address, and the names of account and installation'
    })
  ),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only clients with a greater id'
    })
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_CLIENTS,
      default: DEFAULT_CLIENTS,
      description: '0 = the default, 50'
    })
  )
})

export const ConnectedClients = Type.Object(
  {
    broker,
    total: Type.Integer({ description: 'Connected to this node; 0 with an external broker' }),
    found: Type.Integer({ description: 'As many fit the search, on all pages' }),
    clients: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Rises with each connection since the start' }),
        client_id: Type.String({ description: 'As the client sent it' }),
        account: Type.Object(
          {
            kind: Type.Union([Type.Literal('user'), Type.Literal('gateway')]),
            id: Type.Integer({ description: 'Of the user, or of the installation of the gateway' }),
            name: Type.String(),
            key: Type.Optional(
              Type.Integer({ description: 'The id of the API key, if it has a mount' })
            ),
            certificate: Type.Optional(Type.Integer())
          },
          { description: 'Who has signed in' }
        ),
        installation: Type.Union(
          [Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()],
          { description: 'Of the gateway or of the mount; null: it is for no single one' }
        ),
        protocol: Type.Union([Type.Literal('3.1'), Type.Literal('3.1.1'), Type.Literal('5')]),
        address: Type.String(),
        since: UnixSeconds
      })
    )
  },
  { title: 'ConnectedClients' }
)

const Place = Type.String({ description: 'The name of the backup' })

/** Of the node that answers. */
export const BackupState = Type.Object(
  {
    directory: Type.Union([Type.String(), Type.Null()], {
      description: 'CARACAL_BACKUP_DIR; null: it is not set, and no backup is made here'
    }),
    every: OrNull('Seconds from one backup to the next'),
    keep: OrNull('So many backups stay in the folder'),
    count: Type.Integer({ description: 'Complete backups in the folder now' }),
    next: OrNull('When the next one is due, in Unix seconds'),
    made: Type.Union([
      Type.Object({
        name: Place,
        started: UnixSeconds,
        ended: UnixSeconds,
        bytes: Type.Integer(),
        new_bytes: Type.Integer({ description: 'What this backup added to the disk' })
      }),
      Type.Null()
    ]),
    failed: Type.Union([Type.Object({ at: UnixSeconds, error: Type.String() }), Type.Null()], {
      description: 'How the last one failed, if it came after `made`'
    }),
    task: Type.Union(
      [
        Type.Object({
          what: Type.Union([Type.Literal('make'), Type.Literal('verify')]),
          since: UnixSeconds,
          done: Type.Number({ description: 'The finished part, 0 to 1' })
        }),
        Type.Null()
      ],
      { description: 'What is done now' }
    ),
    verified: Type.Union(
      [
        Type.Object({
          name: Place,
          at: UnixSeconds,
          values: Type.Integer(),
          files: Type.Integer(),
          faults: Type.Integer({ description: '0: everything is whole' }),
          findings: Type.Array(
            Type.Object({
              file: Type.String(),
              fault: Type.String(),
              lost: Type.Optional(Type.String())
            }),
            { description: 'The first ones' }
          ),
          error: Type.Union([Type.String(), Type.Null()], {
            description: 'Why it could not be read to its end'
          })
        }),
        Type.Null()
      ],
      { description: 'The last backup that was read because somebody asked for it' }
    )
  },
  { title: 'BackupState' }
)
