import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { NewEntry } from '../features/blacklist/schema.ts'
import { BoardUpdate } from '../features/board/schema.ts'
import { EdgeAppInstanceBody, NamedVersion, NewEdgeApp } from '../features/edge/schema.ts'
import { MAX_CAPABILITIES, MAX_CAPABILITY_CHARACTERS } from '../features/gateway/schema.ts'
import { NewInstallation } from '../features/installation/schema.ts'
import { NewMapping } from '../features/mapping/schema.ts'
import { schemas } from '../features/modelx/schema.ts'
import { NewMessage, NewOutput } from '../features/notification/schema.ts'
import { QuotaUpdate } from '../features/quota/schema.ts'
import { NewRule } from '../features/rule/schema.ts'
import { NewSchedule } from '../features/schedule/schema.ts'
import { faultText } from '../http/faults.ts'
import { Id, Meta } from '../http/schema.ts'
import { BadSite } from './bad-site.ts'

/** Unix milliseconds. */
const Time = Type.Integer({ minimum: 0, maximum: 8.64e15 })
const times = { created: Time, updated: Time }
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'a SHA-256' })
const Name = Type.String({ maxLength: 255 })
const exactly = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

/** The fields are those of the API, with the same bounds. */
const { name, notes, timezone } = NewInstallation.properties
const { type } = schemas.Function.NewModelX.properties
const schedule = NewSchedule.properties
const app = NewEdgeApp.properties
const mapping = NewMapping.properties
const rule = NewRule.properties
const instance = EdgeAppInstanceBody.properties

const Modelx = exactly({ id: Id, type, meta: Meta, protected_meta: Meta, ...times })

/** Each line of a record frame is one of these, in this order. */
export const recordSchemas = {
  head: exactly({
    program: Type.String({ maxLength: 100 }),
    exported: Time,
    installation_id: Id,
    client_id: Id
  }),
  installation: exactly({
    ...{ name, notes, timezone, meta: Meta, protected_meta: Meta, created: Time },
    capabilities: Type.Array(Type.String({ maxLength: MAX_CAPABILITY_CHARACTERS }), {
      maxItems: MAX_CAPABILITIES
    }),
    quotas: QuotaUpdate
  }),
  device: Modelx,
  function: Modelx,
  schedule: exactly({
    id: Id,
    active: Type.Boolean(),
    topic: schedule.topic,
    value: schedule.value,
    minute: schedule.minute,
    hour: schedule.hour,
    day_of_month: schedule.day_of_month,
    day_of_week: schedule.day_of_week,
    month: schedule.month,
    executor: schedule.executor,
    ...times
  }),
  message: exactly({ id: Id, ...NewMessage.properties, ...times }),
  output: exactly({
    id: Id,
    name: Name,
    message: Id,
    /** Executors belong to organizations and have secrets, so only their names are here. */
    executor: exactly({ type: Type.String({ maxLength: 100 }), name: Name }),
    config: NewOutput.properties.config,
    ...times
  }),
  app: exactly({
    id: Id,
    name: app.name,
    publisher: Name,
    category: app.category,
    tags: app.tags,
    short_description: app.short_description,
    description: app.description,
    source_url: app.source_url
  }),
  version: exactly({
    app: Id,
    hash: Hash,
    name: Type.Union([NamedVersion.properties.name, Type.Null()]),
    uploaded: Time,
    /** Missing: the app belongs to others. */
    files: Type.Optional(exactly({ app_json: Type.String(), app_lua: Type.String() }))
  }),
  instance: exactly({
    id: Id,
    app: Id,
    version: instance.version,
    hash: Hash,
    name: instance.name,
    config: Type.Object({}, { additionalProperties: true }),
    ...times
  }),
  board: exactly({ plots: BoardUpdate.properties.plots, updated: Time }),
  mapping: exactly({
    id: Id,
    name: mapping.name,
    active: Type.Boolean(),
    make: mapping.make,
    filter: mapping.filter,
    create_missing: Type.Boolean(),
    values: mapping.values
  }),
  rule: exactly({
    id: Id,
    name: rule.name,
    active: Type.Boolean(),
    severity: rule.severity,
    on: rule.on,
    when: rule.when,
    for: rule.for,
    hysteresis: rule.hysteresis,
    schedule: rule.schedule,
    message: rule.message
  }),
  blacklist: exactly({
    topic: NewEntry.properties.topic,
    mode: Type.Union([Type.Literal('block'), Type.Literal('ignore')]),
    enabled: Type.Boolean(),
    reason: Type.String({ maxLength: 1000 })
  }),
  file: exactly({
    id: Id,
    hash: Hash,
    name: Type.String({ maxLength: 255 }),
    mime: Type.String({ maxLength: 300 }),
    size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    ...times
  }),
  /** The frames that follow have the bytes. */
  content: exactly({ hash: Hash, size: Type.Integer({ minimum: 0 }) })
} as const satisfies Record<string, TObject>

export type RecordKind = keyof typeof recordSchemas
export type RecordOf<Kind extends RecordKind> = Static<(typeof recordSchemas)[Kind]>
export type SiteRecord = {
  [Kind in RecordKind]: { kind: Kind; record: RecordOf<Kind> }
}[RecordKind]

export const recordKinds = Object.keys(recordSchemas) as RecordKind[]

/** How many records of a kind one file may have; functions and devices are bounded together. */
export const maxRecords: Readonly<Record<RecordKind, number>> = {
  head: 1,
  installation: 1,
  device: 1_000_000,
  function: 1_000_000,
  schedule: 50_000,
  message: 1000,
  output: 1000,
  app: 1000,
  version: 2000,
  instance: 10_000,
  board: 1,
  mapping: 200,
  rule: 10_000,
  blacklist: 1000,
  file: 100_000,
  content: 100_000
}

const checks = new Map(recordKinds.map((kind) => [kind, Compile(recordSchemas[kind])] as const))

/** Finds `\u0000` where the backslash is not itself escaped. PostgreSQL cannot store it. */
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/

/** One line of a record frame. `line` is its number, for messages. */
export function parseRecord(text: string, line: number): SiteRecord {
  const wrong = (why: string) => new BadSite(`record ${line}: ${why}`)
  if (text.includes('\0') || ESCAPED_NUL.test(text)) throw wrong('it has a NUL character')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw wrong('it is not JSON')
  }
  const [kind, record] = Array.isArray(parsed) && parsed.length === 2 ? parsed : []
  if (typeof kind !== 'string' || !Object.hasOwn(recordSchemas, kind)) {
    throw wrong('it is of no kind that this version of Caracal knows')
  }
  if (!checks.get(kind as RecordKind)?.Check(record)) {
    const schema = recordSchemas[kind as RecordKind]
    throw wrong(faultText([{ name: kind, schema, value: record }]).slice(0, 500))
  }
  return { kind, record } as SiteRecord
}

export const recordLine = <Kind extends RecordKind>(kind: Kind, record: RecordOf<Kind>): string =>
  `${JSON.stringify([kind, record])}\n`
