import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { firstIndex } from '../../lib/first-index.ts'
import {
  Block,
  type BlockHead,
  type Copied,
  type FrameName,
  type Frames,
  frameNames
} from './block.ts'
import { findPages } from './find-pages.ts'
import {
  END_BYTES,
  ENTRIES_PER_PAGE,
  ENTRY_BYTES,
  type Entry,
  entryAt,
  entryBytes,
  entryIndexOf,
  LISTING_BYTES,
  type Listing,
  listingAt,
  listingBytes,
  MAGIC
} from './pack-layout.ts'

/** So many bytes are collected for one write. */
const WRITE_BYTES = 1024 * 1024

/** The system cannot open files now. This says nothing about the file. */
const SHORTAGES: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

export const damageText = (file: string, what: string): string =>
  `${file} is damaged: ${what}; restore this file from a backup, or set it aside with "npm run caracal -- quarantine"`

/** Bytes of a file are not what was written. */
export class DamagedPack extends Error {
  readonly what: string
  readonly topic_id: number | undefined

  constructor(file: string, what: string, topic_id?: number) {
    super(damageText(file, what))
    this.what = what
    this.topic_id = topic_id
  }
}

export type Packed = { bytes: number; samples: number; first: number; last: number }

export class PackWriter {
  readonly #descriptor: number
  readonly #directory: Listing[] = []
  #page: Entry[] = []
  #parts: Buffer[] = [MAGIC]
  #partBytes = MAGIC.length
  #written = 0
  #samples = 0
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  constructor(file: string) {
    this.#descriptor = openSync(file, 'wx', 0o600)
  }

  get samples(): number {
    return this.#samples
  }

  /** Blocks must come by topic, then by time. */
  add(topic_id: number, head: BlockHead, frames: Frames): void {
    const sums = frameNames.map((name) => crc32(frames[name]))
    this.copy(topic_id, head, { frames, sums })
  }

  /** A block of another file keeps its checksums, so that damage is not hidden. */
  copy(topic_id: number, head: BlockHead, { frames, sums }: Copied): void {
    const { count, first, last, textBytes } = head
    const offset = this.#offset
    const buffers = frameNames.map((name) => frames[name])
    for (const buffer of buffers) this.#write(buffer)
    const lengths = buffers.map(({ length }) => length)
    this.#page.push({ topic_id, count, first, last, textBytes, offset, lengths, sums })
    this.#samples += count
    this.#first = Math.min(this.#first, first)
    this.#last = Math.max(this.#last, last)
    if (this.#page.length === ENTRIES_PER_PAGE) this.#endPage()
  }

  /** When it returns, the file survives a crash, if its directory does. It is closed in any case. */
  finish(): Packed {
    try {
      return this.#finish()
    } finally {
      this.close()
    }
  }

  #finish(): Packed {
    if (this.#page.length > 0) this.#endPage()
    const at = this.#offset
    const directory = Buffer.concat(this.#directory.map(listingBytes))
    this.#write(directory)
    const end = Buffer.alloc(END_BYTES)
    end.writeDoubleLE(at, 0)
    end.writeUInt32LE(this.#directory.length, 8)
    end.writeUInt32LE(crc32(directory), 12)
    end.set(MAGIC, 16)
    this.#write(end)
    this.#flush()
    fsyncSync(this.#descriptor)
    return {
      ...{ bytes: this.#written, samples: this.#samples },
      ...{ first: this.#first, last: this.#last }
    }
  }

  /** Leaves an unfinished file behind. */
  close(): void {
    closeSync(this.#descriptor)
  }

  get #offset(): number {
    return this.#written + this.#partBytes
  }

  #endPage(): void {
    const [{ topic_id, first }] = this.#page as [Entry]
    const page = Buffer.concat(this.#page.map(entryBytes))
    this.#directory.push({
      ...{ topic_id, first, offset: this.#offset },
      ...{ entries: this.#page.length, sum: crc32(page) }
    })
    this.#write(page)
    this.#page = []
  }

  #write(bytes: Buffer): void {
    this.#parts.push(bytes)
    this.#partBytes += bytes.length
    if (this.#partBytes >= WRITE_BYTES) this.#flush()
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#parts)
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#written + at)
    this.#written += bytes.length
    this.#parts = []
    this.#partBytes = 0
  }
}

/** Opens its file when it is read. `rest` closes the file until the next read. */
export class PackReader {
  readonly #file: string
  readonly #opened: (reader: PackReader) => void
  #descriptor: number | undefined
  #directory: Listing[] | undefined
  #page: { at: number; bytes: Buffer } | undefined

  /** `opened` is called whenever the file is opened. */
  constructor(file: string, opened: (reader: PackReader) => void = () => {}) {
    this.#file = file
    this.#opened = opened
  }

  /** The blocks of a topic with samples in the window, in order. */
  *blocksOf(topic_id: number, from: number, to: number): Generator<Block> {
    const directory = this.#listings()
    for (let at = this.#pageOf(topic_id); at < directory.length; at++) {
      if ((directory[at] as Listing).topic_id > topic_id) return
      const page = this.#pageAt(at)
      for (let i = entryIndexOf(page, topic_id); i * ENTRY_BYTES < page.length; i++) {
        const entry = entryAt(page, i)
        if (entry.topic_id > topic_id || entry.first > to) return
        if (entry.last >= from) yield this.#blockOf(entry)
      }
    }
  }

  /** Every block, by topic and time. */
  *blocks(): Generator<{ topic_id: number; block: Block }> {
    for (let at = 0; at < this.#listings().length; at++) {
      const page = this.#pageAt(at)
      for (let i = 0; i * ENTRY_BYTES < page.length; i++) {
        const entry = entryAt(page, i)
        yield { topic_id: entry.topic_id, block: this.#blockOf(entry) }
      }
    }
  }

  /** Compares the file with the size that it should have, and reads its two ends. */
  check(bytes: number): void {
    const { size } = fstatSync(this.#open())
    if (size !== bytes)
      throw new DamagedPack(this.#file, `it has ${size} bytes in place of ${bytes}`)
    if (!this.#read(0, MAGIC.length).equals(MAGIC))
      throw new DamagedPack(this.#file, 'its beginning')
    this.#readDirectory()
  }

  /** The blocks that the index still names, and `fault` hears what cannot be read. */
  *readableBlocks(fault: (error: unknown) => void): Generator<{ topic_id: number; block: Block }> {
    for (const page of this.#readablePages(fault)) {
      for (let i = 0; i * ENTRY_BYTES < page.length; i++) {
        const entry = entryAt(page, i)
        yield { topic_id: entry.topic_id, block: this.#blockOf(entry) }
      }
    }
  }

  /** Reads all of a block. */
  checkBlock(topic_id: number, block: Block): void {
    try {
      if (!block.readAll().hasTimesOfIndex) throw new Error('other times than its index')
    } catch (error) {
      if (error instanceof DamagedPack || isShortage(error)) throw error
      const what = `samples from ${isoTime(block.first)} (${(error as Error).message})`
      throw new DamagedPack(this.#file, what, topic_id)
    } finally {
      block.release()
    }
  }

  rest(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#page = undefined
  }

  #blockOf(entry: Entry): Block {
    return new Block(entry, {
      read: (name) => this.#checked(entry, name),
      copy: () => {
        const frames = frameNames.map((name) => [name, this.#frame(entry, name)])
        return { frames: Object.fromEntries(frames) as Frames, sums: entry.sums }
      }
    })
  }

  #frame({ offset, lengths }: Entry, name: FrameName): Buffer {
    const index = frameNames.indexOf(name)
    let before = offset
    for (let i = 0; i < index; i++) before += lengths[i] as number
    return this.#read(before, lengths[index] as number)
  }

  #checked(entry: Entry, name: FrameName): Buffer {
    const { topic_id, first, sums } = entry
    const bytes = this.#frame(entry, name)
    if (crc32(bytes) !== sums[frameNames.indexOf(name)])
      throw new DamagedPack(this.#file, `${name} from ${isoTime(first)}`, topic_id)
    return bytes
  }

  *#readablePages(fault: (error: unknown) => void): Generator<Buffer> {
    let pages: number | undefined
    let size = 0
    try {
      size = fstatSync(this.#open()).size
      pages = this.#listings().length
    } catch (error) {
      fault(error)
    }
    if (pages === undefined) return yield* findPages(size, (...at) => this.#read(...at))
    for (let at = 0; at < pages; at++) {
      let page: Buffer | undefined
      try {
        page = this.#pageAt(at)
      } catch (error) {
        fault(error)
      }
      if (page) yield page
    }
  }

  /** The last page that begins before the topic, or with it. */
  #pageOf(topic_id: number): number {
    const directory = this.#listings()
    const at = firstIndex(directory.length, (i) => (directory[i] as Listing).topic_id < topic_id)
    return Math.max(at - 1, 0)
  }

  /** The last one is kept, because the topics of an installation often lie together. */
  #pageAt(at: number): Buffer {
    if (this.#page?.at !== at) {
      const { offset, entries, sum } = this.#listings()[at] as Listing
      const bytes = this.#read(offset, entries * ENTRY_BYTES)
      if (crc32(bytes) !== sum) throw new DamagedPack(this.#file, 'its index')
      this.#page = { at, bytes }
    }
    return this.#page.bytes
  }

  #listings(): readonly Listing[] {
    this.#directory ??= this.#readDirectory()
    return this.#directory
  }

  #readDirectory(): Listing[] {
    const size = fstatSync(this.#open()).size
    const end = size < END_BYTES ? Buffer.alloc(END_BYTES) : this.#read(size - END_BYTES, END_BYTES)
    if (!end.subarray(16).equals(MAGIC)) throw new DamagedPack(this.#file, 'its end')
    const [at, pages] = [end.readDoubleLE(0), end.readUInt32LE(8)]
    if (at < MAGIC.length || at + pages * LISTING_BYTES !== size - END_BYTES)
      throw new DamagedPack(this.#file, 'its end')
    const directory = this.#read(at, pages * LISTING_BYTES)
    if (crc32(directory) !== end.readUInt32LE(12))
      throw new DamagedPack(this.#file, 'its directory')
    const listings: Listing[] = []
    for (let at = 0; at < directory.length; at += LISTING_BYTES)
      listings.push(listingAt(directory, at))
    return listings
  }

  #open(): number {
    if (this.#descriptor === undefined) {
      try {
        this.#descriptor = openSync(this.#file, 'r')
      } catch (error) {
        if (isShortage(error)) throw error
        throw new DamagedPack(this.#file, `it cannot be opened (${(error as Error).message})`)
      }
      this.#opened(this)
    }
    return this.#descriptor
  }

  #read(offset: number, length: number): Buffer {
    const descriptor = this.#open()
    const bytes = Buffer.allocUnsafe(length)
    for (let at = 0; at < length; ) {
      const read = this.#readSome(descriptor, bytes, at, offset)
      if (read === 0) throw new DamagedPack(this.#file, 'it is too short')
      at += read
    }
    return bytes
  }

  #readSome(descriptor: number, bytes: Buffer, at: number, offset: number): number {
    try {
      return readSync(descriptor, bytes, at, bytes.length - at, offset + at)
    } catch (error) {
      // A place of the disk that can no longer be read.
      if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error
      throw new DamagedPack(this.#file, `it cannot be read (${(error as Error).message})`)
    }
  }
}

const isShortage = (error: unknown): boolean => SHORTAGES.has((error as NodeJS.ErrnoException).code)

const isoTime = (at: number): string => new Date(at).toISOString()
