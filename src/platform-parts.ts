import { join, sep } from 'node:path'
import type { Logger } from 'pino'
import type { Store } from './bus/store/store.ts'
import type { Config } from './config.ts'
import { keepPrivate, lockDataDir, refuseChdbHistory, refuseMovedRegistry } from './data-dir.ts'
import { FileStore } from './file-store.ts'
import type { History } from './history/history.ts'
import { type HistoryEngine, openHistory } from './history/open.ts'
import { Spool } from './history/spool.ts'
import type { Clock } from './lib/clock.ts'
import { postgresPlace } from './lib/postgres-url.ts'
import { SECOND } from './lib/unix-time.ts'
import { within } from './lib/within.ts'
import { openStore } from './platform-bus.ts'
import { type Claims, openClaims } from './registry/claims.ts'
import { openRegistry, sqliteFile } from './registry/open.ts'
import type { Registry } from './registry/tables.ts'
import { DiskSpace } from './workers/disk-space.ts'
import type { LineageParts } from './workers/lineage.ts'

/** How long a worker may take to finish what it is at: a server that hangs must not keep us. */
export const STOP_LIMIT = SECOND

/** Called in reverse order, also when a later part fails to open. */
export type Closers = (() => unknown)[]

export type Parts = {
  claims: Claims
  registry: Registry
  history: History
  engine: HistoryEngine
  spool: Spool
  store: Store | undefined
  files: FileStore
  names: LineageParts['names']
}

/** Everything that keeps data, open and locked for this process. `isAlone`: no other node may run. */
export async function openParts(
  config: Config,
  closers: Closers,
  { clock, log, isAlone }: { clock: Clock; log: Logger; isAlone: boolean }
): Promise<Parts> {
  const { DATA_DIR: dataDir, REGISTRY_URL } = config
  const lock = lockDataDir(dataDir)
  closers.push(() => lock.release())
  // Uploaded files may be many, and were private from the start.
  const fault = keepPrivate(dataDir, config.FILES_DIR)
  if (fault) log.warn({ fault }, 'CARACAL_DATA_DIR: others on this machine may read what is in it')
  refuseChdbHistory(dataDir)
  if (REGISTRY_URL === '') refuseMovedRegistry(dataDir)
  const claims = await openClaims(REGISTRY_URL, isAlone)
  closers.push(() => within(STOP_LIMIT, claims.close()))
  const registry = await openRegistry({ url: REGISTRY_URL, dataDir })
  closers.push(() => within(STOP_LIMIT, registry.destroy()))
  // These start threads, and none waits for another.
  const store = openStore(config, clock())
  closers.push(() => store?.close())
  const spoolOpening = Spool.open(dataDir)
  closers.push(() => spoolOpening.then((spool) => spool.close()))
  const { history, engine } = await openHistory({
    ...{ url: config.HISTORY_URL, dataDir, clock },
    ...{ cluster: config.HISTORY_CLUSTER, quorum: config.HISTORY_QUORUM }
  })
  closers.push(() => history.close())
  const spool = await spoolOpening
  const files = await openFiles(config, closers, log)
  return { claims, registry, history, engine, spool, store, files, names: namesOf(config) }
}

/** Uploads stop at twice the reserve, so that they never keep samples from being acknowledged. */
async function openFiles(
  { FILES_DIR, DISK_RESERVE_MB }: Config,
  closers: Closers,
  log: Logger
): Promise<FileStore> {
  const disk = new DiskSpace({ path: FILES_DIR, reserve: 2 * DISK_RESERVE_MB * 1024 * 1024, log })
  const files = new FileStore(FILES_DIR, disk)
  await files.open()
  await disk.start()
  closers.push(() => disk.stop())
  return files
}

/** Without users and passwords. */
function namesOf({ DATA_DIR: dataDir, ...config }: Config): LineageParts['names'] {
  const { REGISTRY_URL, HISTORY_URL, FILES_DIR } = config
  return {
    registry: `the registry ${REGISTRY_URL === '' ? sqliteFile(dataDir) : placeOf(REGISTRY_URL)}`,
    history: `the history ${HISTORY_URL === '' ? join(dataDir, 'history') : serverOf(HISTORY_URL)}`,
    spool: `the spool ${join(dataDir, 'spool.sqlite')}`,
    queue: `the MQTT queue ${join(dataDir, 'mqtt.sqlite')}`,
    files: `the files ${FILES_DIR}`
  }
}

function placeOf(registryUrl: string): string {
  const { server, database } = postgresPlace(registryUrl)
  return `${server}/${database}`
}

function serverOf(historyUrl: string): string {
  const { host, pathname } = new URL(historyUrl)
  return host + pathname
}

/** What is in this node's own directory others cannot read. */
export const keepsForItself = ({ HISTORY_URL, BUS_URL, FILES_DIR, DATA_DIR }: Config): boolean =>
  HISTORY_URL === '' || BUS_URL === '' || FILES_DIR.startsWith(DATA_DIR + sep)
