import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contentsIn, PLATFORM_FILE } from '../features/file/copy.ts'
import { countPack, HISTORY_DIRECTORY, installationsOfTopics } from '../history/sqlite/copy.ts'
import { fileIn, packsIn } from '../history/sqlite/file.ts'
import { type Copied, copyFile, hashFile, tryLink } from './copy-file.ts'
import { ListingWriter } from './listing.ts'
import {
  type Entry,
  isPack,
  type Manifest,
  type PartName,
  pathOfContent,
  pathOfPack
} from './manifest.ts'
import type { Previous } from './previous.ts'

type Places = {
  parts: readonly PartName[]
  filesDir: string
  staging: string
  target: string
  previous: Previous
}
/** `hash` is the name of a content. */
type Source = { path: string; from: string; bytes: number; hash?: string }

/** A step ends after so long or so many bytes. */
const STEP_MS = 100
const STEP_BYTES = 32 * 1024 * 1024

/** Brings the copies, the packed files and the contents of files into the backup. */
export class Collection {
  readonly #places: Places
  readonly #listing: ListingWriter
  readonly #installations: ReadonlyMap<number, number>
  readonly #directories: Set<string>
  readonly #sources: Iterator<Source>
  readonly totalBytes: number
  /** The samples of each packed file, by path. */
  readonly packs = new Map<string, NonNullable<Entry['installations']>>()
  /** Bytes that the disk of the backup did not have before. */
  newBytes = 0

  constructor(places: Places) {
    const { parts, staging, target } = places
    this.#places = places
    this.#installations = parts.includes('history')
      ? installationsOfTopics(fileIn(join(staging, HISTORY_DIRECTORY)))
      : new Map()
    let totalBytes = 0
    for (const { bytes } of this.#list()) totalBytes += bytes
    this.totalBytes = totalBytes
    this.#sources = this.#list()
    this.#directories = new Set([target])
    this.#listing = new ListingWriter(target)
  }

  /** Answers how many bytes it went through; undefined when all is done. */
  step(): number | undefined {
    const end = performance.now() + STEP_MS
    let bytes = 0
    do {
      const { value, done } = this.#sources.next()
      if (done) return undefined
      const entry = this.#take(value)
      if (entry) this.#listing.add(entry)
      bytes += value.bytes
    } while (performance.now() < end && bytes < STEP_BYTES)
    return bytes
  }

  finish(): Manifest['files'] {
    const { count, bytes } = this.#listing
    return { count, bytes, sha256: this.#listing.finish() }
  }

  /** Everything that was created in, from the inside out. */
  directories(): string[] {
    return [...this.#directories].sort((a, b) => b.length - a.length)
  }

  close(): void {
    this.#listing.close()
  }

  /** Sorted by path. */
  *#list(): Generator<Source> {
    const { parts, filesDir, staging } = this.#places
    for (const { hash, path: from, bytes } of contentsIn(filesDir))
      yield { path: pathOfContent(hash), from, bytes, hash }
    const platform = join(filesDir, PLATFORM_FILE)
    const found = statSync(platform, { throwIfNoEntry: false })
    if (found) yield { path: 'files/platform', from: platform, bytes: found.size }
    const staged = (path: string): Source => {
      const from = join(staging, path)
      return { path, from, bytes: statSync(from).size }
    }
    if (parts.includes('history')) {
      yield staged(fileIn(HISTORY_DIRECTORY))
      const packs = readdirSync(packsIn(join(staging, HISTORY_DIRECTORY))).sort()
      for (const name of packs) yield staged(pathOfPack(name))
    }
    for (const path of ['mqtt.sqlite', 'registry.sqlite', 'spool.sqlite'])
      if (statSync(join(staging, path), { throwIfNoEntry: false })) yield staged(path)
  }

  /** Undefined when a content was removed meanwhile. */
  #take(source: Source): Entry | undefined {
    const to = join(this.#places.target, source.path)
    this.#makeDirectory(dirname(to))
    if (isPack(source.path)) return this.#takePack(source, to)
    try {
      if (source.hash !== undefined) return this.#takeContent(source, source.hash, to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
    return { path: source.path, ...this.#bring(source, to) }
  }

  #takePack(source: Source, to: string): Entry {
    const { path, from, bytes } = source
    const { previous } = this.#places
    const known = previous.packLike(path, bytes)
    if (known && previous.directory && tryLink(join(previous.directory, path), to)) {
      if (known.installations) this.packs.set(path, known.installations)
      return known
    }
    const installations = this.#count(from)
    if (installations) this.packs.set(path, installations)
    const copied = tryLink(from, to) ? hashFile(to) : this.#copy(from, to)
    return { path, ...copied, ...(installations && { installations }) }
  }

  /** A damaged file is backed up as it is. `verify` says what is lost. */
  #count(pack: string): Entry['installations'] {
    try {
      return Object.fromEntries(countPack(pack, this.#installations))
    } catch {
      return undefined
    }
  }

  #takeContent({ path, from, bytes }: Source, hash: string, to: string): Entry {
    const { previous } = this.#places
    const isLinked =
      (previous.directory !== undefined &&
        previous.hasContent(hash, bytes) &&
        tryLink(join(previous.directory, path), to)) ||
      tryLink(from, to)
    return { path, ...(isLinked ? { bytes, sha256: hash } : this.#copy(from, to)) }
  }

  /** Copies are not needed any more, so they are moved if that is possible. */
  #bring({ path, from }: Source, to: string): Copied {
    if (!path.startsWith('files/')) {
      try {
        renameSync(from, to)
        const copied = hashFile(to)
        this.newBytes += copied.bytes
        return copied
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      }
    }
    return this.#copy(from, to)
  }

  #copy(from: string, to: string): Copied {
    const copied = copyFile(from, to)
    this.newBytes += copied.bytes
    return copied
  }

  #makeDirectory(directory: string): void {
    if (this.#directories.has(directory)) return
    this.#makeDirectory(dirname(directory))
    mkdirSync(directory, { mode: 0o700 })
    this.#directories.add(directory)
  }
}
