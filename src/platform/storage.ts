import { join, sep } from 'node:path'
import type { Config } from '../config.ts'
import { FileStore } from '../features/file/store.ts'
import { openHistory } from '../history/open.ts'
import { Spool } from '../history/spool/spool.ts'
import { Outage } from '../lib/outage.ts'
import { postgresPlace } from '../lib/postgres-url.ts'
import { SECOND } from '../lib/unix-time.ts'
import { openClaims, openRegistry, sqliteFile } from '../registry/open.ts'
import { tellBroken } from './broken-files.ts'
import { openStore } from './bus.ts'
import {
  keepPrivate,
  lockDataDir,
  refuseChdbHistory,
  refuseHalfRestored,
  refuseMovedRegistry
} from './data-dir.ts'
import { DiskSpace } from './disk-space.ts'
import type { PartList } from './part.ts'
import type { Given, Storage } from './parts.ts'

/** Time for a part to finish its work. A server that hangs must not stop the other parts. */
export const STOP_LIMIT_MS = SECOND

/** The parts that keep data. `adopt` opens only these. */
export const storage: PartList<Given & Storage, keyof Storage> = {
  lock: {
    open({ config, log }) {
      const { DATA_DIR: dataDir, FILES_DIR, REGISTRY_URL } = config
      const lock = lockDataDir(dataDir)
      // There may be many uploaded files, and they were private from the start.
      const fault = keepPrivate(dataDir, FILES_DIR)
      if (fault) {
        log.warn({ fault }, 'CARACAL_DATA_DIR: other users of this machine may be able to read it')
      }
      refuseHalfRestored(dataDir)
      refuseChdbHistory(dataDir)
      if (REGISTRY_URL === '') refuseMovedRegistry(dataDir)
      return lock
    },
    close: (lock) => lock.release()
  },
  claims: {
    open: ({ config, isAlone }) => openClaims(config.REGISTRY_URL, isAlone),
    close: (claims) => claims.close(),
    closeWithinMs: STOP_LIMIT_MS
  },
  upgrade: { open: () => ({ hasMigrated: false }) },
  registry: {
    open: ({ config, claims, log, upgrade }) =>
      openRegistry({
        ...{ url: config.REGISTRY_URL, dataDir: config.DATA_DIR },
        onMigrate: ({ from, to, copy }) => {
          upgrade.hasMigrated = true
          log.info({ from, to, copy }, `registry: schema ${from} -> ${to}`)
        },
        onNewer: (schema) =>
          log.warn(
            { schema },
            'a newer version has changed the registry; this one can live with it'
          ),
        // Unknown counts as shared.
        isShared: async () => (await claims.nodes()) !== 1
      }),
    close: (registry) => registry.destroy(),
    closeWithinMs: STOP_LIMIT_MS
  },
  // The next three parts start threads and do not wait for each other.
  store: {
    open: ({ config, clock }) => openStore(config, clock()),
    close: (store) => store?.close()
  },
  spoolThread: {
    open({ config }) {
      const ready = Spool.open(config.DATA_DIR)
      // The part `spool` fails with the same error, as soon as history is open.
      ready.catch(() => {})
      return { ready }
    },
    close: ({ ready }) =>
      ready.then(
        (spool) => spool.close(),
        () => {}
      )
  },
  history: {
    open: ({ config, clock, log }) =>
      openHistory({
        ...{ url: config.HISTORY_URL, dataDir: config.DATA_DIR, clock },
        ...{ cluster: config.HISTORY_CLUSTER, quorum: config.HISTORY_QUORUM },
        outage: new Outage(log, {
          fails: 'stored values cannot be packed; they stay as rows, which take more space',
          back: 'stored values are packed again'
        }),
        onBroken: (file) => tellBroken(log, file)
      }),
    close: (history) => history.close()
  },
  spool: { open: ({ spoolThread }) => spoolThread.ready },
  // Uploads stop at twice the reserve, so that samples are still acknowledged.
  filesDisk: {
    open({ config: { FILES_DIR, DISK_RESERVE_MB }, log }) {
      const reserve = 2 * DISK_RESERVE_MB * 1024 * 1024
      return new DiskSpace({ path: FILES_DIR, reserve, log })
    }
  },
  files: {
    async open({ config, filesDisk }) {
      const files = new FileStore(config.FILES_DIR, filesDisk)
      await files.open()
      await filesDisk.start()
      return files
    },
    close: (_files, { filesDisk }) => filesDisk.stop()
  },
  names: { open: ({ config }) => namesOf(config) }
}

function namesOf({ DATA_DIR: dataDir, ...config }: Config): Storage['names'] {
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

/** True when this node keeps data in its own directory, which other nodes cannot read. */
export const keepsForItself = ({ HISTORY_URL, BUS_URL, FILES_DIR, DATA_DIR }: Config): boolean =>
  HISTORY_URL === '' || BUS_URL === '' || FILES_DIR.startsWith(DATA_DIR + sep)
