import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The disk is full up to its reserve. */
export class NoRoom extends Error {}
/** More bytes than a file may have. */
export class TooLarge extends Error {}

const INCOMING = 'incoming'

/**
 * Contents of files in a directory that nodes may share, each under its SHA-256: the same content is
 * there once. What refers to it is in the registry, and so is the order of placing and removing.
 */
export class FileStore {
  readonly #dir: string
  readonly #hasRoom: () => boolean

  constructor(dir: string, hasRoom: () => boolean) {
    this.#dir = dir
    this.#hasRoom = hasRoom
  }

  async open(): Promise<void> {
    await mkdir(join(this.#dir, INCOMING), { recursive: true, mode: 0o700 })
  }

  /** Begins a file; whoever does discards it in the end, placed or not. */
  async receive(limit: number): Promise<Incoming> {
    const path = join(this.#dir, INCOMING, randomUUID())
    const handle = await open(path, 'wx', 0o600)
    return new Incoming({ path, handle, limit, hasRoom: this.#hasRoom })
  }

  /** Resolves when the content survives a crash, under its name. */
  async place(incoming: Incoming): Promise<void> {
    const path = this.#pathOf(incoming.hash)
    const parent = dirname(path)
    await mkdir(parent, { recursive: true, mode: 0o700 })
    await rename(incoming.path, path)
    await syncDirectory(parent)
    await syncDirectory(this.#dir)
  }

  /** Throws when it is not there, before anything was read. */
  async read(hash: string): Promise<{ size: number; content: NodeJS.ReadableStream }> {
    const handle = await open(this.#pathOf(hash), 'r')
    const { size } = await handle.stat()
    return { size, content: handle.createReadStream() }
  }

  async remove(hash: string): Promise<void> {
    await rm(this.#pathOf(hash), { force: true })
  }

  /** What a crash left half received. */
  async sweepIncoming(before: number): Promise<number> {
    const dir = join(this.#dir, INCOMING)
    let removed = 0
    for (const name of await readdir(dir)) {
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
  readonly #hasRoom: () => boolean
  readonly #digest = createHash('sha256')
  size = 0
  /** Set by `finish`. */
  hash = ''

  constructor(parts: {
    path: string
    handle: FileHandle
    limit: number
    hasRoom: () => boolean
  }) {
    this.path = parts.path
    this.#handle = parts.handle
    this.#limit = parts.limit
    this.#hasRoom = parts.hasRoom
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.size + bytes.length > this.#limit) throw new TooLarge()
    if (!this.#hasRoom()) throw new NoRoom()
    this.#digest.update(bytes)
    await this.#handle.writeFile(bytes)
    this.size += bytes.length
  }

  async finish(): Promise<void> {
    await this.#handle.sync()
    await this.#handle.close()
    this.hash = this.#digest.digest('hex')
  }

  /** Removes what was not placed. */
  async discard(): Promise<void> {
    if (this.hash === '') await this.#handle.close()
    await rm(this.path, { force: true })
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
