import { createHash, randomUUID } from 'node:crypto'
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncPath } from '../../lib/sync-path.ts'
import { Unavailable } from '../../lib/unavailable.ts'

/** The disk is full up to its reserve. */
export class NoRoomForFile extends Error {}
/** More bytes than a file may have. */
export class TooLarge extends Error {}

type Disk = { readonly isEnough: boolean; readonly isAnswering: boolean }

const INCOMING = 'incoming'
const PLATFORM = 'platform'
const NOT_ANSWERING = 'CARACAL_FILES_DIR does not answer'

/**
 * Stores contents of files in a directory, each under its SHA-256, so the same content is stored
 * once. Nodes may share the directory, and it may fail for a while. The registry knows which files
 * refer to a content, and its locks order placing and removing.
 */
export class FileStore {
  readonly #dir: string
  readonly #disk: Disk
  #heldUntil = 0

  constructor(dir: string, disk: Disk) {
    this.#dir = dir
    this.#disk = disk
  }

  async open(): Promise<void> {
    try {
      await mkdir(join(this.#dir, INCOMING), { recursive: true, mode: 0o700 })
    } catch (error) {
      const why = (error as Error).message
      throw new Error(`CARACAL_FILES_DIR ${this.#dir} cannot be written (${why})`, { cause: error })
    }
  }

  /** The id of the platform that these files belong to; undefined if it is not set yet. */
  async platform(): Promise<string | undefined> {
    const text = await readFile(join(this.#dir, PLATFORM), 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    return text?.trim()
  }

  async belongTo(platform: string): Promise<void> {
    await tried(async () => {
      const path = join(this.#dir, PLATFORM)
      await writeFile(`${path}.new`, `${platform}\n`, { mode: 0o600, flush: true })
      await rename(`${path}.new`, path)
      await syncPath(this.#dir)
    })
  }

  /** Begins a file. The caller must call `discard` in the end, also after `place`. */
  async receive(limit: number): Promise<Incoming> {
    const path = join(this.#dir, INCOMING, randomUUID())
    const disk = this.#disk
    const handle = await begin(disk, () => open(path, 'wx', 0o600))
    return new Incoming({ path, handle, limit, disk })
  }

  /** Resolves when the content is safe on disk under its hash. */
  async place(incoming: Incoming): Promise<void> {
    const path = this.#pathOf(incoming.hash)
    const parent = dirname(path)
    await tried(async () => {
      await mkdir(parent, { recursive: true, mode: 0o700 })
      await rename(incoming.path, path)
      await syncPath(parent)
      await syncPath(this.#dir)
    })
  }

  /** Throws before anything is read if the content is missing. */
  async read(hash: string): Promise<{ size: number; content: NodeJS.ReadableStream }> {
    const path = this.#pathOf(hash)
    return begin(this.#disk, async () => {
      const handle = await open(path, 'r')
      try {
        const { size } = await handle.stat()
        return { size, content: handle.createReadStream() }
      } catch (error) {
        await handle.close()
        throw error
      }
    })
  }

  /** While it is true, no content may be removed: a backup is being made. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil
  }

  /** Contents stay until the answer is called, or this time is over. */
  hold(mostMs: number): () => void {
    this.#heldUntil = performance.now() + mostMs
    return () => {
      this.#heldUntil = 0
    }
  }

  async remove(hash: string): Promise<void> {
    const path = this.#pathOf(hash)
    await begin(this.#disk, () => rm(path, { force: true }))
  }

  /** Removes uploads that a crash left incomplete. */
  async sweepIncoming(before: number): Promise<number> {
    const dir = join(this.#dir, INCOMING)
    let removed = 0
    for (const name of await begin(this.#disk, () => readdir(dir))) {
      const path = join(dir, name)
      const state = await stat(path).catch(() => undefined)
      if (!state || state.mtimeMs >= before) continue
      await rm(path, { force: true })
      removed++
    }
    return removed
  }

  #pathOf(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error('not a SHA-256')
    return join(this.#dir, hash.slice(0, 2), hash.slice(2))
  }
}

/** A file while it arrives. */
export class Incoming {
  readonly path: string
  readonly #handle: FileHandle
  readonly #limit: number
  readonly #disk: Disk
  readonly #digest = createHash('sha256')
  size = 0
  /** Set by `finish`. */
  hash = ''

  constructor(parts: { path: string; handle: FileHandle; limit: number; disk: Disk }) {
    this.path = parts.path
    this.#handle = parts.handle
    this.#limit = parts.limit
    this.#disk = parts.disk
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.size + bytes.length > this.#limit) throw new TooLarge()
    if (!this.#disk.isEnough) throw new NoRoomForFile()
    this.#digest.update(bytes)
    await tried(() => this.#handle.writeFile(bytes))
    this.size += bytes.length
  }

  async finish(): Promise<void> {
    await tried(async () => {
      await this.#handle.sync()
      await this.#handle.close()
    })
    this.hash = this.#digest.digest('hex')
  }

  /** Removes the upload if it was not placed. */
  async discard(): Promise<void> {
    if (this.hash === '') await this.#handle.close()
    await rm(this.path, { force: true })
  }
}

/** Starts no work while the directory does not answer. */
async function begin<T>(disk: Disk, work: () => Promise<T>): Promise<T> {
  if (!disk.isAnswering) throw new Unavailable(NOT_ANSWERING)
  return tried(work)
}

/** A failure of the directory is answered with 503, not with 500. */
async function tried<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new Unavailable(NOT_ANSWERING, { cause })
  }
}
