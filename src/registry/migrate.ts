import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../lib/unix-time.ts'
import { hasTable, lockForMigration } from './dialect.ts'
import type { Migration } from './migration.ts'
import { foundation } from './migrations/0001-foundation.ts'
import { identity } from './migrations/0002-identity.ts'
import { objects } from './migrations/0003-objects.ts'
import { automation } from './migrations/0004-automation.ts'
import { edge } from './migrations/0005-edge.ts'
import { search } from './migrations/0006-search.ts'
import { sigma } from './migrations/0007-sigma.ts'
import { broker } from './migrations/0008-broker.ts'
import { notifications } from './migrations/0009-notifications.ts'
import { files } from './migrations/0010-files.ts'
import { trace } from './migrations/0011-trace.ts'
import { registration } from './migrations/0012-registration.ts'
import { blacklist } from './migrations/0013-blacklist.ts'
import { lineage } from './migrations/0014-lineage.ts'
import { roles } from './migrations/0015-roles.ts'
import { quotas } from './migrations/0016-quotas.ts'
import { modelx } from './migrations/0017-modelx.ts'
import { ledgerGrants } from './migrations/0018-ledger-grants.ts'
import { traceAddress } from './migrations/0019-trace-address.ts'
import { boards } from './migrations/0020-boards.ts'
import { logPatterns } from './migrations/0021-log-patterns.ts'
import { sharedLimits } from './migrations/0022-shared-limits.ts'
import { additive } from './migrations/0023-additive.ts'
import { searchSegments } from './migrations/0024-search-segments.ts'
import { mounts } from './migrations/0025-mounts.ts'
import { mappings } from './migrations/0026-mappings.ts'
import { sampleGrants } from './migrations/0027-sample-grants.ts'
import { alarms } from './migrations/0028-alarms.ts'
import { alarmMessages } from './migrations/0029-alarm-messages.ts'
import { commandGrants } from './migrations/0030-command-grants.ts'
import { certificates } from './migrations/0031-certificates.ts'
import type { Registry } from './tables.ts'

/** In this order, forward only. A released migration is never edited. */
export const migrations: readonly Migration[] = [
  foundation,
  identity,
  objects,
  automation,
  edge,
  search,
  sigma,
  broker,
  notifications,
  files,
  trace,
  registration,
  blacklist,
  lineage,
  roles,
  quotas,
  modelx,
  ledgerGrants,
  traceAddress,
  boards,
  logPatterns,
  sharedLimits,
  additive,
  searchSegments,
  mounts,
  mappings,
  sampleGrants,
  alarms,
  alarmMessages,
  commandGrants,
  certificates
]

export type Upgrade = { from: number; to: number }

/** The migrations that this start applied. */
export type Migrated = { number: number; name: string }[]

export type MigrationHooks = {
  /** Called before anything of an older schema is changed. */
  before?: (upgrade: Upgrade) => Promise<void>
  /** Called if a newer program has changed the schema in a way that this one can live with. */
  onNewer?: (schema: number) => void
  /** Whether other nodes use the registry. */
  isShared?: () => Promise<boolean>
  othersLimitMs?: number
}

/** Another node may be about to end, or may be applying the same migrations. */
const OTHERS_LIMIT_MS = 15 * SECOND
const LOOK_EVERY_MS = SECOND / 2

/**
 * Each migration is one transaction. A schema that is newer than this program is refused and left
 * untouched, unless all that is newer is additive. A migration that is not additive waits until no
 * other node uses the registry. [ADR-0059]
 */
export async function migrate(
  registry: Registry,
  steps = migrations,
  hooks: MigrationHooks = {}
): Promise<Migrated> {
  const done: Migrated = []
  const applied = await schemaNumber(registry)
  if (applied > steps.length) {
    await refuseUnlessAdditive(registry, applied, steps.length)
    hooks.onNewer?.(applied)
    return done
  }
  if (applied > 0 && applied < steps.length) {
    await untilOthersAllow(registry, steps, hooks)
    await hooks.before?.({ from: applied, to: steps.length })
  }
  for (const [index, { name, isAdditive, up }] of steps.entries()) {
    const number = index + 1
    if (number <= applied) continue
    await registry.transaction().execute(async (registry) => {
      await lockForMigration(registry)
      if ((await schemaNumber(registry)) >= number) return
      await up(registry)
      await registry
        .insertInto('schema_migrations')
        .values({ number, name, applied: Date.now(), ...(isAdditive && { is_additive: 1 }) })
        .execute()
      done.push({ number, name })
    })
  }
  return done
}

async function refuseUnlessAdditive(
  registry: Registry,
  applied: number,
  known: number
): Promise<void> {
  const breaking = await registry
    .selectFrom('schema_migrations')
    .select('number')
    .where('number', '>', known)
    .where('is_additive', '=', 0)
    .executeTakeFirst()
  if (!breaking) return
  throw new Error(
    `the registry has schema ${applied}, but this program knows only ${known}: start a newer Caracal`
  )
}

/** Older nodes that run could not live with what this program is about to change. */
async function untilOthersAllow(
  registry: Registry,
  steps: readonly Migration[],
  { isShared, othersLimitMs = OTHERS_LIMIT_MS }: MigrationHooks
): Promise<void> {
  const end = performance.now() + othersLimitMs
  for (;;) {
    const applied = await schemaNumber(registry)
    if (steps.slice(applied).every(({ isAdditive }) => isAdditive)) return
    if (!(await isShared?.())) return
    if (performance.now() > end) {
      throw new Error(
        `the registry has schema ${applied} and other nodes use it: schema ${steps.length} of this program does not suit them, so stop them first`
      )
    }
    await wait(LOOK_EVERY_MS)
  }
}

async function schemaNumber(registry: Registry): Promise<number> {
  if (!(await hasTable(registry, 'schema_migrations'))) return 0
  const { number } = await registry
    .selectFrom('schema_migrations')
    .select((eb) => eb.fn.max('number').as('number'))
    .executeTakeFirstOrThrow()
  return number ?? 0
}
