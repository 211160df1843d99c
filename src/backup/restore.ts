import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { syncPathNow } from '../lib/sync-path.ts'
import { RESTORING } from '../platform/data-dir.ts'
import { copyFile } from './copy-file.ts'
import { readListing } from './listing.ts'
import { MANIFEST, readManifest } from './manifest.ts'
import { listBackups } from './names.ts'
import { BackupFault, requireSpace } from './place.ts'

/** The directory itself, or the newest complete backup in it. */
export async function findBackup(directory: string): Promise<string> {
  if (existsSync(join(directory, MANIFEST))) return directory
  const newest = (await listBackups(directory)).at(-1)
  if (newest === undefined)
    throw new BackupFault(`${directory} is no backup, and there is no complete backup in it`)
  return join(directory, newest)
}

/** Throws unless the directory is empty or can be made. */
export function requireEmpty(dataDir: string): void {
  const found = lstatSync(dataDir, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isDirectory()) throw new BackupFault(`${dataDir} is not a directory`)
  if (readdirSync(dataDir).length > 0) {
    throw new BackupFault(
      `${dataDir} is not empty: restore into a new directory, or move away what is there`
    )
  }
}

/**
 * Copies a backup that was verified. The data directory is complete or absent: everything is on
 * disk before it gets its name. Every byte is compared with the list once more.
 */
export async function restoreBackup(
  directory: string,
  dataDir: string,
  onProgress: (done: number) => void
): Promise<{ files: number; bytes: number }> {
  const { files } = readManifest(directory)
  const target = resolve(dataDir)
  requireEmpty(target)
  const parent = dirname(target)
  mkdirSync(parent, { recursive: true })
  // Nothing can take the place of a mounted volume, so it is filled from the inside.
  const isMounted = existsSync(target) && statSync(target).dev !== statSync(parent).dev
  requireSpace(isMounted ? target : parent, files.bytes, 0)
  const place = isMounted ? join(target, RESTORING) : `${target}.restoring-${process.pid}`
  mkdirSync(place, { mode: 0o700 })
  try {
    const copied = await copyAll(directory, place, files.bytes, onProgress)
    if (isMounted) moveInside(place, target)
    else renameSync(place, target)
    syncPathNow(isMounted ? target : parent)
    onProgress(1)
    return copied
  } catch (error) {
    rmSync(place, { recursive: true, force: true })
    throw error
  }
}

async function copyAll(
  directory: string,
  place: string,
  total: number,
  onProgress: (done: number) => void
): Promise<{ files: number; bytes: number }> {
  const folders = new Set([place])
  const makeFolder = (folder: string) => {
    if (folders.has(folder)) return
    makeFolder(dirname(folder))
    mkdirSync(folder, { mode: 0o700 })
    folders.add(folder)
  }
  let [files, bytes] = [0, 0]
  const { files: listed } = readManifest(directory)
  for (const entry of readListing(directory, listed.sha256)) {
    const to = join(place, entry.path)
    makeFolder(dirname(to))
    const { sha256 } = copyFile(join(directory, entry.path), to, (more) => {
      bytes += more
      onProgress(Math.min(0.99, bytes / Math.max(1, total)))
    })
    if (sha256 !== entry.sha256)
      throw new BackupFault(`${join(directory, entry.path)} has changed since it was verified`)
    files++
    await nextTurn()
  }
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) syncPathNow(folder)
  return { files, bytes }
}

/** A start is refused until the last step. */
function moveInside(place: string, target: string): void {
  for (const name of readdirSync(place)) renameSync(join(place, name), join(target, name))
  syncPathNow(target)
  rmdirSync(place)
}
