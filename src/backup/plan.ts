import type { Config } from '../config.ts'
import { postgresPlace } from '../lib/postgres-url.ts'
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
