import { createHash, type Hash } from 'node:crypto'
import { closeSync, constants, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { Entry, isPathOfBackup, LISTING } from './manifest.ts'

/** Lines of a packed file with very many installations are the longest. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const READ_BYTES = 64 * 1024
const LINE_END = 10
const WRITE_CHARACTERS = 64 * 1024

/** Writes the list of files, in the order of their paths. */
export class ListingWriter {
  readonly #descriptor: number
  readonly #digest: Hash = createHash('sha256')
  #lines: string[] = []
  #characters = 0
  #isOpen = true
  count = 0
  bytes = 0

  constructor(directory: string) {
    this.#descriptor = openSync(join(directory, LISTING), 'wx', 0o600)
  }

  add(entry: Entry): void {
    this.count++
    this.bytes += entry.bytes
    const line = `${JSON.stringify(entry)}\n`
    this.#lines.push(line)
    this.#characters += line.length
    if (this.#characters > WRITE_CHARACTERS) this.#flush()
  }

  /** Answers the checksum of the list, which is on disk then. */
  finish(): string {
    this.#flush()
    fsyncSync(this.#descriptor)
    this.close()
    return this.#digest.digest('hex')
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor)
    this.#isOpen = false
  }

  #flush(): void {
    const bytes = Buffer.from(this.#lines.join(''))
    this.#digest.update(bytes)
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#descriptor, bytes, at, bytes.length - at)
    this.#lines = []
    this.#characters = 0
  }
}

/**
 * The files of a backup, one after another. Throws when a line is not what this program writes,
 * and at the end when the checksum of the list is not the expected one.
 */
export function* readListing(directory: string, sha256?: string): Generator<Entry> {
  const file = join(directory, LISTING)
  const digest = createHash('sha256')
  let last = ''
  for (const line of linesOf(file, digest)) {
    const entry = entryOf(line)
    if (!entry || entry.path <= last) throw new Error(`${file} is damaged, or not one of Caracal's`)
    last = entry.path
    yield entry
  }
  if (sha256 !== undefined && digest.digest('hex') !== sha256)
    throw new Error(`${file} is damaged: its checksum is wrong`)
}

function* linesOf(file: string, digest: Hash): Generator<string> {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const chunk = Buffer.allocUnsafe(READ_BYTES)
    let rest: Buffer[] = []
    let length = 0
    for (let read = 1; read > 0; ) {
      read = readSync(descriptor, chunk)
      digest.update(chunk.subarray(0, read))
      for (let at = 0; at < read; ) {
        const end = chunk.subarray(0, read).indexOf(LINE_END, at)
        const part = Buffer.from(chunk.subarray(at, end === -1 ? read : end))
        rest.push(part)
        length += part.length
        // A line without an end would fill the memory.
        if (length > MAX_LINE_BYTES) throw new Error(`${file} has a line that is too long`)
        if (end === -1) break
        yield Buffer.concat(rest).toString('utf8')
        rest = []
        length = 0
        at = end + 1
      }
    }
    if (length > 0) yield Buffer.concat(rest).toString('utf8')
  } finally {
    closeSync(descriptor)
  }
}

function entryOf(line: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return Value.Check(Entry, entry) && isPathOfBackup(entry.path) ? entry : undefined
  } catch {
    return undefined
  }
}
