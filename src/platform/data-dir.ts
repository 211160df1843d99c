import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../config.ts'

export type DataDirLock = { release(): void }

/**
 * Creates the directory and locks it for this process. The lock is SQLite's lock on a small file.
 * The system frees it with the process, so even kill -9 leaves nothing to clean up.
 */
export function lockDataDir(path: string): DataDirLock {
  const pidFile = join(path, 'pid')
  let lock: DataDirLock | undefined
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    lock = lockFile(join(path, 'lock'))
    writeFileSync(pidFile, `${process.pid}\n`)
    return lock
  } catch (error) {
    lock?.release()
    throw describe(path, pidFile, error)
  }
}

/** Throws an error that says `locked` when somebody else holds the lock. */
export function lockFile(path: string): DataDirLock {
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    db.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    db.close()
    throw error
  }
  return { release: () => db.close() }
}

/**
 * Takes the rights of all other users away from a directory and everything in it, except the
 * contents of `except`. Answers the first error, if any.
 */
export function keepPrivate(path: string, except: string): string | undefined {
  let fault: string | undefined
  const close = (at: string, mode: number) => {
    try {
      if (lstatSync(at).mode & 0o077) chmodSync(at, mode)
    } catch (error) {
      fault ??= (error as Error).message
    }
  }
  close(path, 0o700)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const at = join(path, entry.name)
    if (!entry.isDirectory()) {
      // A link has the rights of its target, so it is skipped.
      if (entry.isFile()) close(at, 0o600)
    } else if (at === except) close(at, 0o700)
    else fault ??= keepPrivate(at, except)
  }
  return fault
}

/** While it is there, the directory is not whole. */
export const RESTORING = '.restoring'

export function refuseHalfRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING))) return
  throw new ConfigError(
    `CARACAL_DATA_DIR ${dataDir} is not whole: a restore into it did not end; empty it and restore again`
  )
}

const movedFile = (dataDir: string): string => join(dataDir, 'registry.moved')

/** Marks the registry here as a backup. */
export function noteMovedRegistry(dataDir: string, target: string): void {
  writeFileSync(movedFile(dataDir), `${target}\n`)
}

/** The old registry would give out ids that the new registry has already given out. */
export function refuseMovedRegistry(dataDir: string): void {
  const file = movedFile(dataDir)
  if (!existsSync(file)) return
  const target = readFileSync(file, 'utf8').trim()
  throw new ConfigError(
    `CARACAL_REGISTRY_URL is not set, but the registry in CARACAL_DATA_DIR was moved to ${target}; to go back to the old registry here, remove ${file}`
  )
}

/** [ADR-0029] Call it before anything is opened: the old version must find everything unchanged. */
export function refuseChdbHistory(dataDir: string): void {
  const directory = join(dataDir, 'history/chdb')
  if (!existsSync(directory) || readdirSync(directory).length === 0) return
  const log = '/api/v3beta/log/{installation_id}'
  throw new ConfigError(
    `${directory} holds history of chDB, which only Caracal 0.1.0 reads: start that version and GET ${log}/export of every installation, then move the directory away, start this version and POST each file to ${log}/import`
  )
}

function describe(path: string, pidFile: string, error: unknown): Error {
  const isLocked = error instanceof Error && error.message.includes('locked')
  if (isLocked)
    return new Error(`CARACAL_DATA_DIR ${path} is in use by another Caracal${pidOf(pidFile)}`)
  return new Error(`CARACAL_DATA_DIR ${path} cannot be written (${(error as Error).message})`)
}

function pidOf(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`
  } catch {
    return ''
  }
}
