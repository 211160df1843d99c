import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from './config.ts'

export type DataDirLock = { release(): void }

/**
 * Makes the directory and takes it for this process. The lock is SQLite's own on a small file: the
 * system drops it with the process, so a kill -9 leaves nothing behind to clean up.
 */
export function lockDataDir(path: string): DataDirLock {
  const pidFile = join(path, 'pid')
  let db: DatabaseSync | undefined
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    db = new DatabaseSync(join(path, 'lock'), { timeout: 0 })
    db.exec('pragma locking_mode = exclusive; begin exclusive')
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    db?.close()
    throw describe(path, pidFile, error)
  }
  const held = db
  return { release: () => held.close() }
}

const movedFile = (dataDir: string): string => join(dataDir, 'registry.moved')

/** The registry here is a backup from now on. */
export function noteMovedRegistry(dataDir: string, target: string): void {
  writeFileSync(movedFile(dataDir), `${target}\n`)
}

/** Ids that were given out at the new place would be given out here again. */
export function refuseMovedRegistry(dataDir: string): void {
  const file = movedFile(dataDir)
  if (!existsSync(file)) return
  const target = readFileSync(file, 'utf8').trim()
  throw new ConfigError(
    `CARACAL_REGISTRY_URL is not set, but the registry in CARACAL_DATA_DIR was moved to ${target}; to go back to what is left here, remove ${file}`
  )
}

/** [ADR-0029] Before anything is opened: the version that reads it must find everything as it was. */
export function refuseChdbHistory(dataDir: string): void {
  const directory = join(dataDir, 'history/chdb')
  if (!existsSync(directory) || readdirSync(directory).length === 0) return
  const log = '/api/v3beta/log/{installation_id}'
  throw new ConfigError(
    `${directory} holds history of chDB, which Caracal 0.1.0 reads: start that version and GET ${log}/export of every installation, then move the directory away, start this version and POST each file to ${log}/import`
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
