import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hashFile } from './copy-file.ts'
import type { Findings } from './findings.ts'
import { readListing } from './listing.ts'
import { type Entry, hashOfContent, isPack, LISTING, type Manifest } from './manifest.ts'

export type Listed = {
  /** Those of packed files, by path. */
  packs: Map<string, Entry>
  /** Contents that are missing or broken. */
  brokenContents: Set<string>
}

/** Compares every file of a backup with the list. Nothing is followed out of the directory. */
export async function checkListed(
  directory: string,
  manifest: Manifest,
  findings: Findings,
  onBytes: (bytes: number) => void
): Promise<Listed> {
  const listed: Listed = { packs: new Map(), brokenContents: new Set() }
  const folders = new Map<string, boolean>()
  let [count, bytes] = [0, 0]
  try {
    for (const entry of readListing(directory, manifest.files.sha256)) {
      count++
      bytes += entry.bytes
      if (isPack(entry.path)) listed.packs.set(entry.path, entry)
      const fault = faultOf(directory, entry, folders, onBytes)
      if (fault !== undefined) {
        findings.add(entry.path, fault)
        const hash = hashOfContent(entry.path)
        if (hash !== undefined) listed.brokenContents.add(hash)
      }
      await nextTurn()
    }
    if (count !== manifest.files.count || bytes !== manifest.files.bytes) {
      const wanted = `${manifest.files.count} files of ${manifest.files.bytes} bytes`
      findings.add(LISTING, `it names ${count} files of ${bytes} bytes, but the manifest ${wanted}`)
    }
  } catch (error) {
    findings.add(LISTING, (error as Error).message, 'nobody can say which files belong to it')
  }
  return listed
}

function faultOf(
  directory: string,
  entry: Entry,
  folders: Map<string, boolean>,
  onBytes: (bytes: number) => void
): string | undefined {
  if (!isPlainFolder(directory, dirname(entry.path), folders)) return 'its folder is missing'
  const file = join(directory, entry.path)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) return 'it is missing'
  if (!found.isFile()) return 'it is not a file'
  if (found.size !== entry.bytes) return `it has ${found.size} bytes in place of ${entry.bytes}`
  try {
    return hashFile(file, onBytes).sha256 === entry.sha256 ? undefined : 'its checksum is wrong'
  } catch (error) {
    return `it cannot be read (${(error as Error).message})`
  }
}

/** A link could lead anywhere, so it does not count. */
function isPlainFolder(directory: string, path: string, known: Map<string, boolean>): boolean {
  if (path === '.') return true
  let isPlain = known.get(path)
  if (isPlain === undefined) {
    isPlain =
      isPlainFolder(directory, dirname(path), known) &&
      lstatSync(join(directory, path), { throwIfNoEntry: false })?.isDirectory() === true
    known.set(path, isPlain)
  }
  return isPlain
}
