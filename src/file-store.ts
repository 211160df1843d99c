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
import { Unavailable } from './lib/unavailable.ts'

/** The disk is full up to its reserve. */
export class NoRoom extends Error {}
/** More bytes than a file may have. */
export class TooLarge extends Error {}

type Disk = { readonly isEnough: boolean; readonly isAnswering: boolean }

const INCOMING = 'incoming'
const PLATFORM = 'platform'
const AWAY = 'CARACAL_FILES_DIR does not answer'

/**
 * Contents of files in a directory that nodes may share and that may be away for a while, each under its SHA-256: the same content is
 * there once. What refers to it is in the registry, and so is the order of placing and removing.
 */
export class FileStore {
  readonly #dir: string
  readonly #disk: Disk

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

  /** Whose files these are; undefined while nobody has told. */
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
      await syncDirectory(this.#dir)
    })
  }

  /** Begins a file; whoever does discards it in the end, placed or not. */
  async receive(limit: number): Promise<Incoming> {
    const path = join(this.#dir, INCOMING, randomUUID())
    const disk = this.#disk
    const handle = await begin(disk, () => open(path, 'wx', 0o600))
    return new Incoming({ path, handle, limit, disk })
  }

  /** Resolves when the content survives a crash, under its name. */
  async place(incoming: Incoming): Promise<void> {
    const path = this.#pathOf(incoming.hash)
    const parent = dirname(path)
    await tried(async () => {
      await mkdir(parent, { recursive: true, mode: 0o700 })
      await rename(incoming.path, path)
      await syncDirectory(parent)
      await syncDirectory(this.#dir)
    })
  }

  /** Throws when it is not there, before anything was read. */
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

  async remove(hash: string): Promise<void> {
    const path = this.#pathOf(hash)
    await begin(this.#disk, () => rm(path, { force: true }))
  }

  /** What a crash left half received. */
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
    if (!this.#disk.isEnough) throw new NoRoom()
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

  /** Removes what was not placed. */
  async discard(): Promise<void> {
    if (this.hash === '') await this.#handle.close()
    await rm(this.path, { force: true })
  }
}

/** A directory that hangs is not asked for more. */
async function begin<T>(disk: Disk, work: () => Promise<T>): Promise<T> {
  if (!disk.isAnswering) throw new Unavailable(AWAY)
  return tried(work)
}

/** A directory that fails is a pause, not a bug. */
async function tried<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new Unavailable(AWAY, { cause })
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
