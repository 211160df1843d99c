import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Ids, type Lineage, unknownLineage } from '../lib/lineage.ts'
import { decodeSamples, type Refusal, type Sample } from '../lib/sample.ts'
import { explainDamage } from '../lib/storage-fault.ts'

/** A message that was acknowledged and not stored. */
export type Refused = {
  created: number
  reason: Refusal
  topic: string
  sender: string
  payload: string
}
export type LedgerEntry = Refused & { id: number }
export type Group = { rows: Uint8Array; count: number; lastId: number; refusals: Refused[] }
export type Batch = {
  token: string
  last: number
  count: number
  rows: Uint8Array
  /** Nothing waits behind it. */
  isNewest: boolean
}
/** `uuid` was made with the file and never changes. */
export type SpoolState = { uuid: string; lastId: number; samples: number; bytes: number }
/** The platform whose samples wait here, and the ids that this node has seen in use. */
export type SpoolLineage = { platform: string; reached: Ids }

export type SpoolRequest = { ask: number } & (
  | { kind: 'append'; group: Group }
  | { kind: 'reserve'; lastId: number }
  | { kind: 'take'; maxSamples: number; maxBytes: number }
  | { kind: 'drop'; last: number }
  | { kind: 'shrink'; spare: number }
  | { kind: 'after'; seq: number }
  | { kind: 'find'; ids: readonly number[] }
  | { kind: 'ledger'; before: number; limit: number }
  | { kind: 'state' }
  | { kind: 'lineage' }
  | ({ kind: 'keepLineage' } & SpoolLineage)
  | { kind: 'close' }
)
export type SpoolReply = { ask: number; value?: unknown; error?: Error }
type Ask = SpoolRequest extends infer Request
  ? Request extends { ask: number }
    ? Omit<Request, 'ask'>
    : never
  : never

/** Of one group: far below the longest text that there can be, and written in some milliseconds. */
export const MAX_GROUP_BYTES = 16 * 1024 * 1024
/** What becomes the latest at once, before it is acknowledged. */
const MAX_GROUP_SAMPLES = 10_000
/** Of everything that is not on disk yet; beyond it whoever appends waits. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** Rows that are handed out at once: decoded in a millisecond or two. */
const PIECE_BYTES = 256 * 1024
const LINE_END = 10

type Gathering = {
  lines: string[]
  bytes: number
  lastId: number
  refusals: Refused[]
  stored: PromiseWithResolvers<void>
}

/**
 * The durable queue in front of history: a SQLite file of its own, written by a thread of its own.
 * While one commit runs the next group gathers, so the wait is one fsync and never a timer.
 */
export class Spool {
  readonly #worker: Worker
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>()
  #ask = 0
  /** Oldest first; the last one gathers. What is being written is not among them. */
  readonly #groups: Gathering[] = []
  #waitingBytes = 0
  #room: PromiseWithResolvers<void> | undefined
  #committing = false
  #failure: Error | undefined

  static async open(dataDir: string): Promise<Spool> {
    const file = join(dataDir, 'spool.sqlite')
    const spool = new Spool(file)
    await spool.state().catch((error) => {
      throw explainDamage(error, file, 'what was acknowledged and is not yet in history is lost')
    })
    return spool
  }

  private constructor(file: string) {
    this.#worker = new Worker(new URL('./spool-worker.ts', import.meta.url), {
      workerData: { file }
    })
    this.#worker.on('message', ({ ask, value, error }: SpoolReply) => {
      const asked = this.#asked.get(ask)
      this.#asked.delete(ask)
      if (error) asked?.reject(error)
      else asked?.resolve(value)
    })
    this.#worker.on('error', (error: Error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the spool is closed')))
  }

  /** More waits for the disk than may; whoever appends should await `whenRoom` before. */
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

  /** Resolves when the sample, as `encodeSample` writes it, would survive kill -9. */
  append(line: string, id: number, bytes = Buffer.byteLength(line)): Promise<void> {
    const gathering = this.#gather(bytes)
    gathering.lines.push(line)
    gathering.lastId = id
    return gathering.stored.promise
  }

  /** Ids up to this one are taken, also after a crash; for samples that go round the spool. */
  async reserve(lastId: number): Promise<void> {
    await this.#request({ kind: 'reserve', lastId })
  }

  /** Notes in the ledger what was refused; resolves like `append`. */
  refuse(refused: Refused): Promise<void> {
    const { topic, sender, payload } = refused
    const gathering = this.#gather(Buffer.byteLength(topic + sender + payload))
    gathering.refusals.push(refused)
    return gathering.stored.promise
  }

  /** Resolves when everything that was appended so far is on disk. */
  settled(): Promise<void> {
    return this.#gather(0).stored.promise
  }

  /** The oldest samples, in order; the same again until `drop`. */
  async take(limits: { maxSamples: number; maxBytes: number }): Promise<Batch | undefined> {
    return (await this.#request({ kind: 'take', ...limits })) as Batch | undefined
  }

  async drop(batch: Batch): Promise<void> {
    await this.#request({ kind: 'drop', last: batch.last })
  }

  /**
   * Gives free space of the file back to the disk, all but `spare` bytes. Samples are stored
   * meanwhile; whoever drops waits for it, so that free space never gathers.
   */
  async shrink(spare: number): Promise<void> {
    await this.#request({ kind: 'shrink', spare })
  }

  /** Everything still in the spool, oldest first, in pieces of whole lines; others have a turn in between. */
  async *rows(): AsyncGenerator<Buffer> {
    let seq = 0
    for (;;) {
      const next = (await this.#request({ kind: 'after', seq })) as
        | { seq: number; rows: Uint8Array }
        | undefined
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
    const rows = (await this.#request({ kind: 'find', ids })) as Uint8Array
    return [...decodeSamples(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength))]
  }

  async state(): Promise<SpoolState> {
    return (await this.#request({ kind: 'state' })) as SpoolState
  }

  async lineage(): Promise<Lineage> {
    const known = (await this.#request({ kind: 'lineage' })) as SpoolLineage | undefined
    return { ...unknownLineage, ...known }
  }

  /** Resolves when it would survive kill -9. Ids only rise. */
  async keepLineage({ platform, reached }: SpoolLineage): Promise<void> {
    await this.#request({ kind: 'keepLineage', platform, reached })
  }

  /** Newest first. */
  async ledger(page: { before: number; limit: number }): Promise<LedgerEntry[]> {
    return (await this.#request({ kind: 'ledger', ...page })) as LedgerEntry[]
  }

  async close(): Promise<void> {
    if (this.#failure) return
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    await this.#groups.at(-1)?.stored.promise.catch(() => {})
    await this.#request({ kind: 'close' })
    await exited
  }

  /** The group that these bytes belong to. */
  #gather(bytes: number): Gathering {
    this.#waitingBytes += bytes
    let last = this.#groups.at(-1)
    if (!last || isWhole(last, bytes)) {
      last = { lines: [], bytes: 0, lastId: 0, refusals: [], stored: Promise.withResolvers<void>() }
      // Whoever appended sees a failure; the group itself must not end the process.
      last.stored.promise.catch(() => {})
      this.#groups.push(last)
      // One turn of the loop, so that what arrived together is committed together.
      if (!this.#committing) setImmediate(() => void this.#commit())
    }
    last.bytes += bytes
    return last
  }

  async #commit(): Promise<void> {
    if (this.#committing) return
    this.#committing = true
    for (let group = this.#groups.shift(); group; group = this.#groups.shift()) {
      // Whatever is wrong with one group, the next one goes on.
      await this.#write(group).then(group.stored.resolve, group.stored.reject)
      this.#waitingBytes -= group.bytes
      if (this.isFull) continue
      this.#room?.resolve()
      this.#room = undefined
    }
    this.#committing = false
  }

  async #write({ lines, lastId, refusals }: Gathering): Promise<void> {
    const group = { rows: Buffer.from(lines.join('')), count: lines.length, lastId, refusals }
    await this.#request({ kind: 'append', group })
  }

  #request(request: Ask): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure)
    const ask = ++this.#ask
    const asked = Promise.withResolvers<unknown>()
    this.#asked.set(ask, asked)
    this.#worker.postMessage({ ...request, ask })
    return asked.promise
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const asked of this.#asked.values()) asked.reject(this.#failure)
    this.#asked.clear()
  }
}

/** Whether these bytes do not belong into the group any more; a first sample does whatever its size. */
const isWhole = ({ lines, refusals, bytes }: Gathering, more: number): boolean =>
  (bytes > 0 && bytes + more > MAX_GROUP_BYTES) ||
  lines.length + refusals.length >= MAX_GROUP_SAMPLES

/** Each ends with a line's end. */
function* piecesOf(rows: Buffer): Generator<Buffer> {
  for (let start = 0; start < rows.length; ) {
    const end = rows.indexOf(LINE_END, start + PIECE_BYTES)
    const piece = rows.subarray(start, end === -1 ? rows.length : end + 1)
    yield piece
    start += piece.length
  }
}
