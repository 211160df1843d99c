import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { crc32, zstdCompress, zstdDecompress } from 'node:zlib'
import { BadSite } from './bad-site.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** The version of the format. A reader refuses every other one. */
const FORMAT = 1
const NAME = 'caracal-site'
const FIRST_LINE = Buffer.from(`${NAME} ${FORMAT}\n`)
const MAX_FIRST_LINE_BYTES = 64

/**
 * `record`: lines of JSON. `content`: bytes of a file. `sample` and `latest`: rows as
 * `encodeSample` writes them. `end`: what the whole file must have.
 */
const kinds = ['record', 'content', 'sample', 'latest', 'end'] as const
export type FrameKind = (typeof kinds)[number]
export type Frame = { kind: FrameKind; bytes: Buffer }

/** Kind, length, packed length, CRC-32 of the packed bytes. */
const HEADER_BYTES = 13
/** A record has at most two files of an app of 1 MiB, and each of their bytes may be escaped. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024
/** What cannot be packed gets a little longer. */
const MAX_PACKED_BYTES = MAX_FRAME_BYTES + 64 * 1024

type End = { sha256: string; counts: Readonly<Record<string, number>> }

/**
 * Writes the frames of a file. The last frame has a checksum of everything before it, so a file
 * that was cut off or changed is noticed.
 */
export class FrameWriter {
  readonly #handle: FileHandle
  readonly #hash = createHash('sha256')
  bytes = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Only the owner can read the file: it holds everything of the site. */
  static async open(path: string): Promise<FrameWriter> {
    const { O_CREAT, O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants
    const handle = await open(path, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o600)
    const writer = new FrameWriter(handle)
    try {
      await handle.chmod(0o600)
      await writer.#put(FIRST_LINE)
    } catch (error) {
      await handle.close()
      throw error
    }
    return writer
  }

  async write(kind: FrameKind, bytes: Buffer): Promise<void> {
    const packed = await compress(bytes)
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt8(kinds.indexOf(kind), 0)
    header.writeUInt32LE(bytes.length, 1)
    header.writeUInt32LE(packed.length, 5)
    header.writeUInt32LE(crc32(packed), 9)
    await this.#put(Buffer.concat([header, packed]))
  }

  /** Resolves when the file is whole and on disk. */
  async end(counts: End['counts']): Promise<void> {
    const end: End = { sha256: this.#hash.copy().digest('hex'), counts }
    await this.write('end', Buffer.from(JSON.stringify(end)))
    await this.#handle.sync()
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    await this.#handle.writeFile(bytes)
    this.bytes += bytes.length
  }
}

/** Reads frames and trusts nothing in them: a length or checksum that is wrong ends the reading. */
export class FrameReader {
  readonly #handle: FileHandle
  readonly #hash = createHash('sha256')
  readonly size: number
  /** So many bytes are read. */
  at = 0
  /** Set after the last frame. */
  end: End | undefined

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  static async open(path: string): Promise<FrameReader> {
    const handle = await open(path, 'r')
    try {
      const found = await handle.stat()
      if (!found.isFile()) throw new BadSite('it is not a file')
      const reader = new FrameReader(handle, found.size)
      await reader.#readFirstLine()
      return reader
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async *frames(): AsyncGenerator<Frame> {
    for (;;) {
      const before = this.#hash.copy().digest('hex')
      const frame = await this.#readFrame()
      if (frame.kind !== 'end') {
        yield frame
        continue
      }
      this.end = readEnd(frame.bytes)
      if (this.end.sha256 !== before) throw new BadSite('the checksum of the whole file is wrong')
      if (this.at !== this.size) throw new BadSite('something follows after its end')
      return
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #readFirstLine(): Promise<void> {
    const start = Buffer.alloc(Math.min(MAX_FIRST_LINE_BYTES, this.size))
    await this.#handle.read(start, 0, start.length, 0)
    const line = start.toString('latin1').split('\n')[0] ?? ''
    const [, version] = new RegExp(`^${NAME} (\\d{1,9})$`).exec(line) ?? []
    if (version === undefined) throw new BadSite('it was not written by "export"')
    if (Number(version) !== FORMAT) {
      throw new BadSite(
        `it has format ${version}, and this version of Caracal reads format ${FORMAT}`
      )
    }
    this.#hash.update(FIRST_LINE)
    this.at = FIRST_LINE.length
  }

  async #readFrame(): Promise<Frame> {
    const header = await this.#read(HEADER_BYTES)
    const kind = kinds[header.readUInt8(0)]
    const [length, packedLength, crc] = [1, 5, 9].map((at) => header.readUInt32LE(at)) as [
      number,
      number,
      number
    ]
    if (!kind || length > MAX_FRAME_BYTES || packedLength > MAX_PACKED_BYTES) {
      throw new BadSite(`it is damaged at byte ${this.at - HEADER_BYTES}`)
    }
    const packed = await this.#read(packedLength)
    const broken = () => new BadSite(`it is damaged before byte ${this.at}`)
    if (crc32(packed) !== crc) throw broken()
    const bytes = await decompress(packed, { maxOutputLength: Math.max(1, length) }).catch(() => {
      throw broken()
    })
    if (bytes.length !== length) throw broken()
    return { kind, bytes }
  }

  async #read(length: number): Promise<Buffer> {
    if (this.at + length > this.size) throw new BadSite('it is cut off')
    const bytes = Buffer.alloc(length)
    for (let have = 0; have < length; ) {
      const { bytesRead } = await this.#handle.read(bytes, have, length - have, this.at + have)
      if (bytesRead === 0) throw new BadSite('it is cut off')
      have += bytesRead
    }
    this.#hash.update(bytes)
    this.at += length
    return bytes
  }
}

function readEnd(bytes: Buffer): End {
  try {
    const { sha256, counts } = JSON.parse(bytes.toString())
    if (typeof sha256 === 'string' && typeof counts === 'object' && counts !== null) {
      return { sha256, counts }
    }
  } catch {
    // Reported below.
  }
  throw new BadSite('its end is damaged')
}
