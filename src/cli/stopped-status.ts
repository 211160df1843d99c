import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readLast } from '../backup/last.ts'
import { backupEvery } from '../backup/plan.ts'
import type { Config } from '../config.ts'
import type { EngineHealth } from '../features/system/deps.ts'
import { historyEngineAt } from '../history/open.ts'
import { arrivalOf } from '../history/sample-ids.ts'
import { Spool } from '../history/spool/spool.ts'
import { systemClock } from '../lib/clock.ts'
import { freeSpace } from '../lib/free-space.ts'
import { SECOND } from '../lib/unix-time.ts'
import { VERSION } from '../lib/version.ts'
import { problemsOf, type Status } from '../platform/control/status.ts'
import { lockStopped, openStopped } from './stopped.ts'

/** What can be said about a platform that does not run. Every part that fails becomes a problem. */
export async function stoppedStatus(config: Config): Promise<Status> {
  const now = systemClock()
  // A process that has the directory but does not answer is not a stopped platform.
  if (existsSync(config.DATA_DIR)) lockStopped(config.DATA_DIR).release()
  const { DATA_DIR, HISTORY_URL, BUS_URL } = config
  const engines: Status['engines'] = {
    registry: await registryHealth(config),
    history: { ok: true, detail: `${historyEngineAt(HISTORY_URL)}, not open` },
    bus: { ok: true, detail: BUS_URL === '' ? 'embedded, not open' : 'external, not connected' }
  }
  const status = {
    running: false,
    version: VERSION,
    pid: null,
    started: null,
    data_dir: DATA_DIR,
    addresses: [],
    engines,
    disk: await diskOf(config),
    spool: await spoolOf(DATA_DIR, now),
    connections: null,
    certificate_expires: certificateEnd(config),
    backup: readLast(DATA_DIR),
    backup_every: backupEvery(config)
  }
  return { ...status, problems: problemsOf(status, now) }
}

async function registryHealth(config: Config): Promise<EngineHealth> {
  try {
    await (await openStopped(config)).close()
    return { ok: true, detail: config.REGISTRY_URL === '' ? 'sqlite' : 'postgresql' }
  } catch (error) {
    return { ok: false, detail: (error as Error).message }
  }
}

/** Of the directory, or of the one in which it will be made. */
export async function diskOf({ DATA_DIR, DISK_RESERVE_MB }: Config): Promise<Status['disk']> {
  let path = DATA_DIR
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path)
  return { free: await freeSpace(path), reserve: DISK_RESERVE_MB * 1024 * 1024 }
}

async function spoolOf(dataDir: string, now: number): Promise<Status['spool']> {
  if (!existsSync(join(dataDir, 'spool.sqlite'))) return null
  try {
    const lock = lockStopped(dataDir)
    try {
      const spool = await Spool.open(dataDir)
      const { samples, bytes, oldestId } = await spool.state().finally(() => spool.close())
      const waited = oldestId === undefined ? 0 : Math.max(0, now - arrivalOf(oldestId))
      return { samples, bytes, oldest_seconds: Math.floor(waited / SECOND) }
    } finally {
      lock.release()
    }
  } catch {
    return null
  }
}

export function certificateEnd({ TLS_CERT_PATH }: Config): number | null {
  if (TLS_CERT_PATH === '') return null
  try {
    const { validTo } = new X509Certificate(readFileSync(TLS_CERT_PATH))
    return Math.floor(Date.parse(validTo) / SECOND)
  } catch {
    return null
  }
}
