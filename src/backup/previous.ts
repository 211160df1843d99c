import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readListing } from './listing.ts'
import { type Entry, isPack, pathOfContent, readManifest } from './manifest.ts'

/** The newest backup in the same folder. What has not changed since then is linked from it. */
export class Previous {
  readonly directory: string | undefined
  /** Its packed files, by path. */
  readonly packs = new Map<string, Entry>()

  constructor(directory: string | undefined) {
    this.directory = directory
  }

  /** Without a list that can be read, nothing is linked. */
  static newestOf(directory: string, names: readonly string[]): Previous {
    for (const name of names.toReversed()) {
      const previous = new Previous(join(directory, name))
      try {
        previous.#read()
        return previous
      } catch {
        // `verify` says what is wrong with it.
      }
    }
    return new Previous(undefined)
  }

  #read(): void {
    if (this.directory === undefined) return
    const { files } = readManifest(this.directory)
    for (const entry of readListing(this.directory, files.sha256))
      if (isPack(entry.path)) this.packs.set(entry.path, entry)
  }

  /** The name of a packed file is never used again, and its content never changes. */
  packLike(path: string, bytes: number): Entry | undefined {
    const entry = this.packs.get(path)
    return entry?.bytes === bytes && this.#hasFile(path, bytes) ? entry : undefined
  }

  hasContent(hash: string, bytes: number): boolean {
    return this.#hasFile(pathOfContent(hash), bytes)
  }

  #hasFile(path: string, bytes: number): boolean {
    if (this.directory === undefined) return false
    const found = lstatSync(join(this.directory, path), { throwIfNoEntry: false })
    return found?.isFile() === true && found.size === bytes
  }
}
