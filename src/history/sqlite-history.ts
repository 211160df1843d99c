import { Worker } from 'node:worker_threads'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Lineage } from '../lib/lineage.ts'
import { PageTooLarge } from '../lib/page-limit.ts'
import type { Sample } from '../lib/sample.ts'
import type { LineForm } from '../lib/sample-lines.ts'
import { explainDamage } from '../lib/storage-fault.ts'
import type { UnixMs } from '../lib/unix-time.ts'
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
  type SamplePlace,
  type ScanQuery,
  type Sizes
} from './history.ts'
import { BEGIN, readOnward } from './month-read.ts'
import { type Scanned, scanLines } from './scan.ts'
import { fileIn } from './sqlite-file.ts'
import type { SqliteReader } from './sqlite-reader.ts'
import type { SqliteScanner } from './sqlite-scanner.ts'
import type { WorkerData } from './sqlite-worker.ts'
import type { SqliteWriter } from './sqlite-writer.ts'
import { WorkerLane } from './worker-lane.ts'

/** Installations whose bytes are handed out at once. */
const PART = 500

/** Threads that read pages at the same time, of short times and of long ones; each starts when it is needed. */
const READERS = 4

/** History in one SQLite file. */
export async function openSqliteHistory(
  directory: string,
  clock: Clock = systemClock
): Promise<History> {
  const writer = startLane<SqliteWriter>(directory, 'writer')
  // The writer makes the tables before the readers prepare their statements on them.
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
  const startScanner = () => startLane<SqliteScanner>(directory, 'scanner')
  return new SqliteHistory({ writer, readers, startScanner, clock })
}

function startLane<Target extends Lane<Target>>(directory: string, role: WorkerData['role']) {
  const cancelled = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WorkerData = { directory, role, cancelled }
  const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), { workerData })
  const explain = (error: Error) =>
    explainDamage(error, fileIn(directory), 'all values up to now are lost')
  return new WorkerLane<Target>(worker, { cancelled, explain })
}

type Lane<Target> = { [Name in keyof Target]: (...args: never[]) => unknown }
/** `quick` answers in a moment and for nobody in particular. */
type Readers = Readonly<
  Record<'short' | 'long', LanePool<SqliteReader>> & { quick: WorkerLane<SqliteReader> }
>
type Lanes = {
  writer: WorkerLane<SqliteWriter>
  readers: Readers
  startScanner: () => WorkerLane<SqliteScanner>
  clock: Clock
}

/** The idlest of some threads; one more starts while all are busy. */
class LanePool<Target extends Lane<Target>> {
  readonly lanes: WorkerLane<Target>[] = []
  readonly #start: () => WorkerLane<Target>

  constructor(start: () => WorkerLane<Target>) {
    this.#start = start
  }

  idlest(): WorkerLane<Target> {
    const [idlest] = this.lanes.toSorted((a, b) => a.load - b.load)
    if (idlest?.load === 0 || (idlest && this.lanes.length >= READERS)) return idlest
    const lane = this.#start()
    // Whoever called it learns why it did not start.
    lane.ready().catch(() => {})
    this.lanes.push(lane)
    return lane
  }
}

/**
 * SQLite answers on the thread that asks, so writing has a thread of its own, and so have queries:
 * those of short times never wait for long ones.
 */
class SqliteHistory implements History {
  readonly pagesAtOnce = READERS
  readonly #writer: WorkerLane<SqliteWriter>
  readonly #readers: Readers
  readonly #startScanner: () => WorkerLane<SqliteScanner>
  readonly #clock: Clock
  #scanner: WorkerLane<SqliteScanner> | undefined
  #isClosed = false

  constructor({ writer, readers, startScanner, clock }: Lanes) {
    this.#writer = writer
    this.#readers = readers
    this.#startScanner = startScanner
    this.#clock = clock
  }

  append(rows: Buffer, token: string): Promise<void> {
    // A copy, because a buffer may be a part of a larger one, and the thread takes the whole.
    const copy = new Uint8Array(rows)
    return this.#writer.call('append', [copy, token, this.#clock()], { transfer: [copy.buffer] })
  }

  async readPage(query: PageQuery, signal?: AbortSignal): Promise<Page> {
    const page = await this.#readerFor(query).call('readPage', [query], { signal })
    if (page === 'too large') throw new PageTooLarge()
    return page
  }

  async aggregate(query: AggregateQuery, signal?: AbortSignal): Promise<Page> {
    const page = await this.#readerFor(query).call('aggregate', [query], { signal })
    if (page === 'too large') throw new PageTooLarge()
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
    for (let at = 0; at < rows.length; at += PART) yield rows.slice(at, at + PART)
  }

  async #openScanner(): Promise<WorkerLane<SqliteScanner>> {
    if (this.#isClosed) throw new Error('History is closed')
    // Its thread starts with the first scan: most days have none.
    this.#scanner ??= this.#startScanner()
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

  async erase(installation_id: number): Promise<void> {
    // In parts, so that samples on their way are stored in between.
    while (await this.#writer.call('eraseSome', [installation_id]));
    await this.#giveSpaceBack()
  }

  async dropBefore(moment: UnixMs): Promise<MonthSize[]> {
    const dropped = await this.#writer.call('dropBefore', [moment])
    await this.#giveSpaceBack()
    return dropped
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

  /** In this process nobody is out of reach, but a file can be damaged and a thread can end. */
  async check(): Promise<void> {
    const { quick, short, long } = this.#readers
    for (const lane of [this.#writer, quick, ...short.lanes, ...long.lanes, this.#scanner]) {
      if (lane?.failure) throw lane.failure
    }
  }

  async close(): Promise<void> {
    // The writer last: whoever closes the file last folds the write-ahead log into it.
    this.#isClosed = true
    await this.#scanner?.close()
    const { quick, short, long } = this.#readers
    await Promise.all([quick, ...short.lanes, ...long.lanes].map((lane) => lane.close()))
    await this.#writer.close()
  }

  async #giveSpaceBack(): Promise<void> {
    while ((await this.#writer.call('giveBack', [])) > 0);
  }
}
