import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** The system refuses longer paths: the limit is 104 bytes on macOS and 108 on Linux. */
const MAX_PATH_BYTES = 100
const SOCKET = 'control.sock'
const PRIVATE_DIRECTORY = 'caracal-control-'

const ownSocket = (dataDir: string): string => join(dataDir, SOCKET)
/** Names the socket when it is not in the data directory. */
const placeFile = (dataDir: string): string => join(dataDir, 'control.path')

export const fits = (path: string): boolean => Buffer.byteLength(path) <= MAX_PATH_BYTES

/**
 * The places where the socket may be, best first. The caller holds the lock of the data directory,
 * so a socket that is there now was left by a process that was killed.
 */
export function* freePlaces(dataDir: string): Generator<string> {
  clearPlace(dataDir)
  const own = ownSocket(dataDir)
  if (fits(own)) yield own
  const path = join(mkdtempSync(join(tmpdir(), PRIVATE_DIRECTORY)), SOCKET)
  writeFileSync(placeFile(dataDir), `${path}\n`, { mode: 0o600 })
  yield path
}

/** Removes the socket, and the private directory that was made for it. */
export function clearPlace(dataDir: string): void {
  rmSync(ownSocket(dataDir), { force: true })
  const elsewhere = readPlace(dataDir)
  if (elsewhere === undefined) return
  rmSync(placeFile(dataDir), { force: true })
  if (!isPrivate(elsewhere, dataDir)) return
  rmSync(dirname(elsewhere), { recursive: true, force: true })
}

/**
 * Where a running platform listens; undefined if there is no socket. Passwords are sent there, so a
 * socket outside the data directory counts only if nobody else can have put it there.
 */
export function findPlace(dataDir: string): string | undefined {
  const elsewhere = readPlace(dataDir)
  if (elsewhere !== undefined) return isPrivate(elsewhere, dataDir) ? elsewhere : undefined
  const own = ownSocket(dataDir)
  return fits(own) && lstatSync(own, { throwIfNoEntry: false })?.isSocket() ? own : undefined
}

function readPlace(dataDir: string): string | undefined {
  try {
    const path = readFileSync(placeFile(dataDir), 'utf8').trim()
    const isOurs =
      basename(path) === SOCKET && basename(dirname(path)).startsWith(PRIVATE_DIRECTORY)
    return isOurs ? path : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether the directory of the socket belongs to the owner of the data, and to nobody else. */
function isPrivate(path: string, dataDir: string): boolean {
  const found = lstatSync(dirname(path), { throwIfNoEntry: false })
  return (
    found?.isDirectory() === true &&
    found.uid === statSync(dataDir).uid &&
    (found.mode & 0o077) === 0
  )
}
