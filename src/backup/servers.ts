import type { History, SampleCounts } from '../history/history.ts'
import { countText } from '../lib/count-text.ts'
import type { Lineage, RegistryLineage } from '../lib/lineage.ts'
import { MINUTE } from '../lib/unix-time.ts'
import { countTable } from '../registry/count-table.ts'
import { readRegistryLineage } from '../registry/platform.ts'
import type { Registry, Tables } from '../registry/tables.ts'
import type { Findings } from './findings.ts'
import type { Manifest } from './manifest.ts'

/** A part is undefined if it is in the data directory. */
export type Servers = {
  registry?: RegistryLineage & { rows: Record<string, number> | undefined }
  history?: Lineage & { samples: SampleCounts | undefined }
}

/** Counts that take longer are left out: a backup must end. */
const COUNT_LIMIT_MS = MINUTE
/** So many tables, months or installations are named in a finding. */
const MAX_NAMED = 20

/** Rows stay in these tables until somebody deletes them. Others lose rows by themselves. */
const lastingTables: readonly (keyof Tables)[] = [
  'alarm_settings',
  'boards',
  'certificate_authority',
  'edge_app_instances',
  'edge_app_versions',
  'edge_apps',
  'files',
  'gateways',
  'installation_meta',
  'installations',
  'mappings',
  'modelx',
  'notification_executors',
  'notification_messages',
  'notification_outputs',
  'organization_meta',
  'organizations',
  'quotas',
  'roles',
  'rules',
  'schedules',
  'topic_blacklist',
  'user_installations',
  'user_meta',
  'user_organizations',
  'users'
]

/** What the servers of a platform hold. A server that does not answer in time is not counted. */
export async function readServers({
  registry,
  history
}: {
  registry: Registry | undefined
  history: History | undefined
}): Promise<Servers> {
  const signal = AbortSignal.timeout(COUNT_LIMIT_MS)
  const counted = <T>(count: Promise<T> | undefined) => count?.catch(() => undefined)
  return {
    ...(registry && {
      registry: {
        ...(await readRegistryLineage(registry)),
        rows: await counted(countRows(registry, signal))
      }
    }),
    ...(history && {
      history: {
        ...(await history.lineage()),
        samples: await counted(history.countSamples?.(signal))
      }
    })
  }
}

async function countRows(registry: Registry, signal: AbortSignal): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of lastingTables) {
    signal.throwIfAborted()
    rows[table] = await countTable(registry, table)
  }
  return rows
}

/** What the manifest says about parts that are elsewhere. */
export const countedOf = ({ registry, history }: Servers): NonNullable<Manifest['servers']> => ({
  ...(registry?.rows && { registry: registry.rows }),
  ...(history?.samples && { history: history.samples })
})

/**
 * Servers are backed up after the nodes, so they must have at least what they had then. Answers
 * what could not be compared.
 */
export function compareServers(
  { servers = {}, elsewhere }: Pick<Manifest, 'servers' | 'elsewhere'>,
  found: Servers,
  findings: Findings
): string[] {
  const notes: string[] = []
  const isElsewhere = (part: string) => elsewhere.some((other) => other.part === part)
  if (isElsewhere('registry') && found.registry) {
    const [wanted, now] = [servers.registry, found.registry.rows]
    if (wanted && now) {
      const less = shortOf(wanted, now)
      if (less.length > 0) findings.add('CARACAL_REGISTRY_URL', fewer('rows', less))
    } else notes.push(uncounted('rows of the registry', wanted))
  }
  if (isElsewhere('history') && found.history) {
    const [wanted, now] = [servers.history, found.history.samples]
    if (wanted && now) {
      const [months, of] = [
        shortOf(wanted.months, now.months),
        shortOf(wanted.installations, now.installations)
      ]
      if (months.length > 0 || of.length > 0)
        findings.add(
          'CARACAL_HISTORY_URL',
          fewer('values', months),
          `values of the installations ${named(of.map(({ name }) => name))}`
        )
    } else notes.push(uncounted('values of history', wanted))
  }
  return notes
}

type Short = { name: string; wanted: number; now: number }

const shortOf = (
  wanted: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>
): Short[] =>
  Object.entries(wanted)
    .map(([name, count]) => ({ name, wanted: count, now: now[name] ?? 0 }))
    .filter(({ wanted, now }) => now < wanted)

const fewer = (what: string, less: readonly Short[]): string => {
  const counts = less.map(
    ({ name, wanted, now }) => `${name} ${countText(now)} instead of ${countText(wanted)}`
  )
  return `it has fewer ${what} than when the backup was made, so they were deleted since then or are lost: ${named(counts)}`
}

const named = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMED
  const some = names.slice(0, MAX_NAMED).join(', ')
  return more > 0 ? `${some} and ${more} more` : some
}

const uncounted = (what: string, wanted: unknown): string =>
  wanted
    ? `the ${what} could not be counted now, so they were not compared`
    : `the ${what} were not counted when the backup was made, so they were not compared`
