import { Worker } from 'node:worker_threads'
import { TooManyValues } from '../../lib/aggregation.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Lineage } from '../../lib/lineage.ts'
import { PageTooLarge } from '../../lib/page-limit.ts'
import type { Sample } from '../../lib/sample.ts'
import type { LineForm } from '../../lib/sample-lines.ts'
import { explainDamage, isDamaged } from '../../lib/storage-fault.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import {
  type AggregateQuery,
  type History,
  type InstallationBytes,
  isLong,
  type KeptLineage,
  type MonthPart,
  type MonthSize,
  type Page,
  type PageQuery,
  type RemovalQuery,
  type SamplePlace,
  type ScanQuery,
  type Sizes
} from '../history.ts'
import { BEGIN, readOnward } from '../month-read.ts'
import { type Scanned, scanLines } from '../scan.ts'
import { fileIn, packsIn } from './file.ts'
import { Maintenance, type MaintenanceOptions } from './maintenance.ts'
import type { SqlitePacker } from './packer.ts'
import type { SqliteReader } from './reader.ts'
import type { SqliteScanner } from './scanner.ts'
import type { WorkerData } from './worker.ts'
import { WorkerLane } from './worker-lane.ts'
import type { SqliteWriter } from './writer.ts'

/** So many installations are answered in one part. */
const INSTALLATIONS_PER_PART = 500

/** So many threads read short pages, and so many long ones. A thread starts when it is needed. */
const MAX_READERS_PER_POOL = 4

export type SqliteOptions = {
  clock?: Clock
  /** Told whether packing works. */
  outage?: MaintenanceOptions['outage']
}

const untold: MaintenanceOptions['outage'] = { failed() {}, worked() {} }

/** History in one SQLite file and packed files beside it. [ADR-0045] */
export async function openSqliteHistory(
  directory: string,
  { clock = systemClock, outage = untold }: SqliteOptions = {}
): Promise<SqliteHistory> {
  const writer = startLane<SqliteWriter>(directory, 'writer')
  // The writer creates the tables. The readers prepare statements on them.
  await writer.ready()
  const startReader = () => startLane<SqliteReader>(directory, 'reader')
  const quick = startReader()
  const readers = { quick, short: new LanePool(startReader), long: new LanePool(startReader) }
  try {
    await quick.ready()
  } catch (error) {
    await quick.close().catch(() => {})
    await writer.close()
    throw error
  }
  const history = new SqliteHistory({ writer, readers, clock }, directory, outage)
  try {
    await history.begin()
  } catch (error) {
    await history.close().catch(() => {})
    throw error
  }
  return history
}

function startLane<Target extends Lane<Target>>(directory: string, role: WorkerData['role']) {
  const cancelled = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WorkerData = { directory, role, cancelled }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
  const explain = (error: Error) =>
    isDamaged(error)
      ? new Error(error.message, { cause: error })
      : explainDamage(error, fileIn(directory), 'all stored values are lost')
  return new WorkerLane<Target>(worker, { cancelled, explain })
}

type Lane<Target> = { [Name in keyof Target]: (...args: never[]) => unknown }
/** `quick` is for short calls that belong to no single caller. */
type Readers = Readonly<
  Record<'short' | 'long', LanePool<SqliteReader>> & { quick: WorkerLane<SqliteReader> }
>
type Lanes = { writer: WorkerLane<SqliteWriter>; readers: Readers; clock: Clock }

/** Picks the thread with the fewest calls. While all are busy, it starts one more. */
class LanePool<Target extends Lane<Target>> {
  readonly lanes: WorkerLane<Target>[] = []
  readonly #start: () => WorkerLane<Target>

  constructor(start: () => WorkerLane<Target>) {
    this.#start = start
  }

  idlest(): WorkerLane<Target> {
    const [idlest] = this.lanes.toSorted((a, b) => a.load - b.load)
    if (idlest?.load === 0 || (idlest && this.lanes.length >= MAX_READERS_PER_POOL)) return idlest
    const lane = this.#start()
    // The caller of the lane gets the error of the start.
    lane.ready().catch(() => {})
    this.lanes.push(lane)
    return lane
  }
}

/**
 * SQLite blocks the thread that calls it, so writing has its own thread. Queries have others, and
 * queries of short times never wait for long ones.
 */
export class SqliteHistory implements History {
  readonly pagesAtOnce = MAX_READERS_PER_POOL
  readonly #directory: string
  readonly #writer: WorkerLane<SqliteWriter>
  readonly #readers: Readers
  readonly #clock: Clock
  readonly #maintenance: Maintenance
  #scanner: WorkerLane<SqliteScanner> | undefined
  #packer: WorkerLane<SqlitePacker> | undefined
  #isClosed = false

  constructor(
    { writer, readers, clock }: Lanes,
    directory: string,
    outage: MaintenanceOptions['outage']
  ) {
    this.#directory = directory
    this.#writer = writer
    this.#readers = readers
    this.#clock = clock
    const forget = (names: readonly string[]) =>
      Promise.all(this.#reading().map((lane) => lane.call('forget', [names])))
    const packer = () => {
      this.#packer ??= startLane<SqlitePacker>(directory, 'packer')
      return this.#packer
    }
    const restPacker = async () => {
      const packer = this.#packer
      this.#packer = undefined
      await packer?.close()
    }
    const options = { directory: packsIn(directory), clock, outage }
    this.#maintenance = new Maintenance({ writer, packer, restPacker, forget }, options)
  }

  /** To be awaited before anything is read or written. */
  begin(): Promise<void> {
    return this.#maintenance.begin()
  }

  async append(rows: Buffer, token: string): Promise<void> {
    // A copy: the buffer may be part of a larger one, and the transfer would move the whole memory.
    const copy = new Uint8Array(rows)
    const call = [copy, token, this.#clock()] as const
    const written = await this.#writer.call('append', [...call], { transfer: [copy.buffer] })
    this.#maintenance.wrote(written)
  }

  /** Packs everything that is stored now, instead of some time later. */
  packAll(): Promise<void> {
    return this.#maintenance.packAll()
  }

  async readPage(query: PageQuery, signal?: AbortSignal): Promise<Page> {
    const page = await this.#readerFor(query).call('readPage', [query], { signal })
    if (page === 'too large') throw new PageTooLarge()
    return page
  }

  async aggregate(query: AggregateQuery, signal?: AbortSignal): Promise<Page> {
    const page = await this.#readerFor(query).call('aggregate', [query], { signal })
    if (page === 'too large') throw new PageTooLarge()
    if (page === 'too many values') throw new TooManyValues()
    return page
  }

  oldest(): Promise<UnixMs | undefined> {
    return this.#readers.quick.call('oldest', [])
  }

  #readerFor(query: PageQuery): WorkerLane<SqliteReader> {
    const { short, long } = this.#readers
    return (isLong(query) ? long : short).idlest()
  }

  async *scan(query: ScanQuery, form: LineForm, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const scanner = await this.#openScanner()
    const source: Scanned = {
      measure: (...args) => scanner.call('measure', args, { signal }),
      read: (...args) => scanner.call('read', args, { signal }),
      readOn: (...args) => scanner.call('readOn', args, { signal })
    }
    yield* scanLines(source, query, form)
  }

  async *readMonth(name: string, from: SamplePlace = BEGIN): AsyncGenerator<MonthPart> {
    const scanner = await this.#openScanner()
    yield* readOnward(from, async (place) => {
      const { rows, ...part } = await scanner.call('readMonth', [name, place])
      return { rows: Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength), ...part }
    })
  }

  async *bytesOf(name: string): AsyncGenerator<InstallationBytes[]> {
    const scanner = await this.#openScanner()
    const bytes = new Map<number, number>()
    for (let after = 0; ; ) {
      const { last, sums } = await scanner.call('weigh', [name, after])
      for (const { installation_id: id, bytes: more } of sums) {
        bytes.set(id, (bytes.get(id) ?? 0) + more)
      }
      if (last === undefined) break
      after = last
    }
    const rows = [...bytes].map(([installation_id, bytes]) => ({ installation_id, bytes }))
    for (let at = 0; at < rows.length; at += INSTALLATIONS_PER_PART)
      yield rows.slice(at, at + INSTALLATIONS_PER_PART)
  }

  async #openScanner(): Promise<WorkerLane<SqliteScanner>> {
    if (this.#isClosed) throw new Error('History is closed')
    // The thread starts with the first scan, because scans are rare.
    this.#scanner ??= startLane<SqliteScanner>(this.#directory, 'scanner')
    await this.#scanner.ready()
    return this.#scanner
  }

  async *latest(): AsyncGenerator<Sample[]> {
    let last = 0
    while (true) {
      const chunk = await this.#readers.quick.call('latestAfter', [last])
      if (chunk.samples.length === 0) return
      yield chunk.samples
      last = chunk.last
    }
  }

  latestOf(installation_id: number, topics: readonly string[]): Promise<Sample[]> {
    return this.#readers.quick.call('latestOf', [installation_id, topics])
  }

  keepLatest(rows: Buffer, token: string): Promise<void> {
    return this.#writer.call('keepLatest', [new Uint8Array(rows), token, this.#clock()])
  }

  erase(installation_id: number): Promise<void> {
    return this.#maintenance.erase(installation_id)
  }

  remove(query: RemovalQuery): Promise<number> {
    return this.#maintenance.remove(query)
  }

  dropBefore(moment: UnixMs): Promise<MonthSize[]> {
    return this.#maintenance.dropBefore(moment)
  }

  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#maintenance.hold(work)
  }

  sizes(): Promise<Sizes> {
    return this.#writer.call('sizes', [])
  }

  lineage(): Promise<Lineage> {
    return this.#writer.call('lineage', [])
  }

  keepLineage(lineage: KeptLineage): Promise<void> {
    return this.#writer.call('keepLineage', [lineage])
  }

  /** There is no connection that could fail, but a file can be damaged and a thread can end. */
  async check(): Promise<void> {
    for (const lane of [this.#writer, ...this.#reading()]) if (lane.failure) throw lane.failure
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#maintenance.close()
    await Promise.all(this.#reading().map((lane) => lane.close()))
    // Close the writer last: the last one to close the file moves the write-ahead log into it.
    await this.#writer.close()
  }

  /** The threads that have packed files open. */
  #reading(): WorkerLane<SqliteReader | SqliteScanner | SqlitePacker>[] {
    const { quick, short, long } = this.#readers
    const lanes = [quick, ...short.lanes, ...long.lanes, this.#scanner, this.#packer]
    return lanes.filter((lane) => lane !== undefined) as never
  }
}
