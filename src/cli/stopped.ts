import { existsSync } from 'node:fs'
import { pino } from 'pino'
import type { Config } from '../config.ts'
import type { App } from '../deps.ts'
import { TraceRecorder } from '../features/trace/recorder.ts'
import { systemClock } from '../lib/clock.ts'
import { createControl } from '../platform/control/app.ts'
import { type DataDirLock, lockDataDir, refuseMovedRegistry } from '../platform/data-dir.ts'
import { openRegistry, sqliteFile } from '../registry/open.ts'
import type { Registry } from '../registry/tables.ts'
import { hasUsers } from '../registry/users.ts'

/** Another process has the data directory, and nobody answers on a control socket. */
export class InUse extends Error {}

export type Stopped = { app: App; close(): Promise<void> }

/**
 * The registry of a platform that does not run. A file is opened under the lock of its directory.
 * PostgreSQL needs no lock: other nodes may work on it at the same time.
 */
export async function openStopped(config: Config): Promise<Stopped> {
  const lock = config.REGISTRY_URL === '' ? lockFile(config.DATA_DIR) : undefined
  let registry: Registry | undefined
  try {
    registry = await openRegistry({ url: config.REGISTRY_URL, dataDir: config.DATA_DIR })
    if (!(await hasUsers(registry))) {
      throw new Error(
        'the registry has no users yet: start Caracal once, which makes the first one'
      )
    }
    const app = await controlOf(registry)
    const opened = registry
    return {
      app,
      close: async () => {
        await app.close()
        await opened.destroy()
        lock?.release()
      }
    }
  } catch (error) {
    await registry?.destroy()
    lock?.release()
    throw error
  }
}

/** What a stopped platform does not answer. The commands have their own ways for it. */
export const onlyRunning = {
  status: () => Promise.reject(new Error('the platform does not run')),
  backup: () => Promise.reject(new Error('the platform does not run')),
  quarantine: undefined
}

function controlOf(registry: Registry): Promise<App> {
  const nothing = () => Promise.resolve()
  return createControl({
    registry,
    trace: new TraceRecorder({ registry, clock: systemClock, hasRoom: () => true }),
    clock: systemClock,
    log: pino({ level: 'error', base: undefined }, pino.destination({ dest: 2, sync: true })),
    // The next start tells the other parts which ids are in use.
    ahead: nothing,
    written: nothing,
    ...onlyRunning
  })
}

function lockFile(dataDir: string): DataDirLock {
  if (!existsSync(sqliteFile(dataDir))) {
    throw new Error(
      `CARACAL_DATA_DIR ${dataDir} holds no registry: start Caracal once, or set the directory`
    )
  }
  refuseMovedRegistry(dataDir)
  return lockStopped(dataDir)
}

export function lockStopped(dataDir: string): DataDirLock {
  try {
    return lockDataDir(dataDir)
  } catch (error) {
    const { message } = error as Error
    if (!message.includes('is in use')) throw error
    throw new InUse(`${message}, which does not answer commands: it starts, stops or hangs`)
  }
}
