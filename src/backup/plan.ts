import type { Config } from '../config.ts'
import { durationOf } from '../lib/duration.ts'
import { postgresPlace } from '../lib/postgres-url.ts'
import { SECOND } from '../lib/unix-time.ts'
import { VERSION } from '../lib/version.ts'
import type { Manifest, PartName } from './manifest.ts'
import type { Plan } from './work.ts'

export type Wanted = { directory: string; keep: number | undefined; started: number }

/** What of a platform with these settings is backed up here, and what servers keep. */
export function planOf(config: Config, wanted: Wanted): Plan {
  const { DATA_DIR: dataDir, FILES_DIR: filesDir, DISK_RESERVE_MB } = config
  return {
    ...{ dataDir, filesDir, ...wanted, version: VERSION },
    parts: partsOf(config),
    elsewhere: elsewhereOf(config),
    reserve: DISK_RESERVE_MB * 1024 * 1024
  }
}

/** Seconds from one backup to the next; null if none is made without a command. */
export const backupEvery = ({ BACKUP_DIR, BACKUP_EVERY }: Config): number | null =>
  BACKUP_DIR === '' ? null : Math.floor((durationOf(BACKUP_EVERY) ?? 0) / SECOND)

/** The parts that are in the data directory. */
export const partsOf = ({ REGISTRY_URL, HISTORY_URL, BUS_URL }: Config): PartName[] => [
  'spool',
  ...(HISTORY_URL === '' ? (['history'] as const) : []),
  ...(BUS_URL === '' ? (['queue'] as const) : []),
  ...(REGISTRY_URL === '' ? (['registry'] as const) : []),
  'files'
]

/** Places are named without users and passwords. */
function elsewhereOf({ REGISTRY_URL, HISTORY_URL, BUS_URL }: Config): Manifest['elsewhere'] {
  const elsewhere: Manifest['elsewhere'] = []
  if (HISTORY_URL !== '') {
    const { host, pathname } = new URL(HISTORY_URL)
    elsewhere.push({ part: 'history', place: `ClickHouse ${host}${pathname}` })
  }
  if (BUS_URL !== '') {
    elsewhere.push({ part: 'queue', place: `the broker ${new URL(BUS_URL).host}` })
  }
  if (REGISTRY_URL !== '') {
    const { server, database } = postgresPlace(REGISTRY_URL)
    elsewhere.push({ part: 'registry', place: `PostgreSQL ${server}/${database}` })
  }
  return elsewhere
}
