import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

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
