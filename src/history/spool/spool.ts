import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Lineage, unknownLineage } from '../../lib/lineage.ts'
import { decodeSamples, type Sample } from '../../lib/sample.ts'
import { explainDamage } from '../../lib/storage-fault.ts'
import { ThreadCalls } from '../../lib/thread-calls.ts'
import type {
  Ahead,
  Batch,
  BatchLimits,
  LateReader,
  LedgerEntry,
  LedgerPage,
  RefusedMessage,
  SpoolLineage,
  SpoolState
} from './groups.ts'
import type { SpoolFile } from './worker.ts'

/** Far below the longest possible text. Writing one group takes some milliseconds. */
export const MAX_GROUP_BYTES = 16 * 1024 * 1024
/** These samples all become the latest at once, before the acknowledgement. */
export const MAX_GROUP_SAMPLES = 10_000
/** Everything that is not on disk yet. Above this, callers must wait before they append. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** Rows of one piece. Decoding a piece takes one or two milliseconds. */
const PIECE_BYTES = 256 * 1024
const LINE_END = 10

type Gathering = {
  lines: string[]
  /** Of samples. A text in `lines` may have several. */
  count: number
  bytes: number
  lastId: number
  refusals: RefusedMessage[]
  stored: PromiseWithResolvers<void>
}

/** Samples with consecutive ids, and the bytes of their lines. */
export type Together = { count: number; lastId: number; bytes: number }

/**
 * The durable queue in front of history: a separate SQLite file, written by a separate thread.
 * While one commit runs, the next group collects. So a caller waits for one fsync and never for a
 * timer.
 */
export class Spool {
  readonly #thread: ThreadCalls<SpoolFile>
  /** Oldest first. The last one still collects. The group that is being written is not in the list. */
  readonly #groups: Gathering[] = []
  #waitingBytes = 0
  #room: PromiseWithResolvers<void> | undefined
  #committing = false

  static async open(dataDir: string): Promise<Spool> {
    const spool = new Spool(join(dataDir, 'spool.sqlite'))
    await spool.#thread.ready()
    await spool.state()
    return spool
  }

  private constructor(file: string) {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { file } })
    const lost =
      'acknowledged samples that are not yet in history are lost, usually those of the last second; everything else stays'
    const explain = (error: Error) => explainDamage(error, file, lost)
    this.#thread = new ThreadCalls(worker, { name: 'spool', explain })
  }

  /** Too many bytes wait for the disk. Callers should await `whenRoom` before they append. */
  get isFull(): boolean {
    return this.#waitingBytes >= MAX_WAITING_BYTES
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  whenRoom(): Promise<void> {
    if (!this.isFull) return Promise.resolve()
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  /** `line` is a sample as `encodeSample` writes it. Resolves when it would survive kill -9. */
  append(line: string, id: number, bytes = Buffer.byteLength(line)): Promise<void> {
    const gathering = this.#gather(bytes)
    gathering.lines.push(line)
    gathering.count++
    gathering.lastId = id
    return gathering.stored.promise
  }

  /**
   * The same for samples that are stored in one group, all or none, even if they are more bytes
   * than a group has. At most `MAX_GROUP_SAMPLES`.
   */
  appendTogether(lines: string, { count, lastId, bytes }: Together): Promise<void> {
    const gathering = this.#gather(bytes, count)
    gathering.lines.push(lines)
    gathering.count += count
    gathering.lastId = lastId
    return gathering.stored.promise
  }

  /** Marks ids up to this one as used, even after a crash. For samples that bypass the spool. */
  async reserve(lastId: number): Promise<void> {
    await this.#thread.call('reserve', [lastId])
  }

  /** Writes a refused message to the ledger; resolves like `append`. */
  refuse(refused: RefusedMessage): Promise<void> {
    const { topic, sender, payload } = refused
    const gathering = this.#gather(Buffer.byteLength(topic + sender + payload))
    gathering.refusals.push(refused)
    return gathering.stored.promise
  }

  /** Resolves when everything appended so far is on disk. */
  settled(): Promise<void> {
    return this.#gather(0).stored.promise
  }

  /** A reader that is new gets what is appended from now on. A known one goes on where it was. */
  async register(reader: string): Promise<void> {
    await this.#thread.call('register', [reader])
  }

  /** What only this reader had not passed is deleted. */
  async remove(reader: string): Promise<void> {
    await this.#thread.call('remove', [reader])
  }

  /** The oldest samples that the reader has not passed, in order. The same batch until `pass`. */
  take(reader: string, limits: BatchLimits): Promise<Batch | undefined> {
    return this.#thread.call('take', [reader, limits])
  }

  /**
   * For a reader that passes batches later than it reads them: what comes after the group `after`.
   */
  readOn(reader: string, after: number, limits: BatchLimits): Promise<Ahead | undefined> {
    return this.#thread.call('readOn', [reader, after, limits])
  }

  async pass(reader: string, batch: Pick<Batch, 'last'>): Promise<void> {
    await this.#thread.call('pass', [reader, batch.last])
  }

  /**
   * Moves the readers on to the mover that hold more bytes which the mover has passed. Their space
   * is free after `shrink`.
   */
  moveOn(maxBytes: number): Promise<LateReader[]> {
    return this.#thread.call('moveOn', [maxBytes])
  }

  /**
   * Gives free space of the file back to the disk, all but `spare` bytes. Samples are still stored
   * meanwhile. Await it before the next `pass`, so that free space does not grow.
   */
  async shrink(spare: number): Promise<void> {
    await this.#thread.call('shrink', [spare])
  }

  /**
   * Everything that is not in history, oldest first, in pieces of whole lines. Other work gets turns in
   * between.
   */
  async *rows(): AsyncGenerator<Buffer> {
    let seq = 0
    for (;;) {
      const next = await this.#thread.call('after', [seq])
      if (!next) return
      for (const piece of piecesOf(Buffer.from(next.rows.buffer))) {
        yield piece
        await nextTurn()
      }
      seq = next.seq
    }
  }

  /** The samples with these ids that still wait here. */
  async find(ids: readonly number[]): Promise<Sample[]> {
    const rows = await this.#thread.call('find', [ids])
    return [...decodeSamples(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength))]
  }

  state(): Promise<SpoolState> {
    return this.#thread.call('state', [])
  }

  async lineage(): Promise<Lineage> {
    const known = await this.#thread.call('lineage', [])
    return { ...unknownLineage, ...known }
  }

  /** Resolves when it would survive kill -9. Ids only rise. */
  async keepLineage({ platform, reached }: SpoolLineage): Promise<void> {
    await this.#thread.call('keepLineage', [{ platform, reached }])
  }

  /** Newest first. */
  ledger(page: LedgerPage): Promise<LedgerEntry[]> {
    return this.#thread.call('ledger', [page])
  }

  async close(): Promise<void> {
    await this.#groups.at(-1)?.stored.promise.catch(() => {})
    await this.#thread.close()
  }

  /** The group for these bytes of so many samples. */
  #gather(bytes: number, count = 1): Gathering {
    this.#waitingBytes += bytes
    let last = this.#groups.at(-1)
    if (!last || isWhole(last, bytes, count)) {
      const stored = Promise.withResolvers<void>()
      last = { lines: [], count: 0, bytes: 0, lastId: 0, refusals: [], stored }
      // The callers of `append` see a failure. The group's own promise must not end the process.
      last.stored.promise.catch(() => {})
      this.#groups.push(last)
      // Wait one turn of the event loop, so that samples that arrive together are committed
      // together.
      if (!this.#committing) setImmediate(() => void this.#commit())
    }
    last.bytes += bytes
    return last
  }

  async #commit(): Promise<void> {
    if (this.#committing) return
    this.#committing = true
    for (let group = this.#groups.shift(); group; group = this.#groups.shift()) {
      // When one group fails, the next one is still written.
      await this.#write(group).then(group.stored.resolve, group.stored.reject)
      this.#waitingBytes -= group.bytes
      if (this.isFull) continue
      this.#room?.resolve()
      this.#room = undefined
    }
    this.#committing = false
  }

  async #write({ lines, count, lastId, refusals }: Gathering): Promise<void> {
    const rows = ownBytes(lines.join(''))
    const group = { rows, count, lastId, refusals }
    await this.#thread.call('append', [group], { transfer: [rows.buffer] })
  }
}

/** In memory of its own, which is moved. A small `Buffer.from` would send a shared 64 KiB along. */
function ownBytes(text: string): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Whether a new group must begin before these. What comes first fits at any size. */
const isWhole = (group: Gathering, more: number, count: number): boolean =>
  (group.bytes > 0 && group.bytes + more > MAX_GROUP_BYTES) ||
  group.count + group.refusals.length + count > MAX_GROUP_SAMPLES

/** Each piece ends with the end of a line. */
export function* piecesOf(rows: Buffer): Generator<Buffer> {
  for (let start = 0; start < rows.length; ) {
    const end = rows.indexOf(LINE_END, start + PIECE_BYTES)
    const piece = rows.subarray(start, end === -1 ? rows.length : end + 1)
    yield piece
    start += piece.length
  }
}
