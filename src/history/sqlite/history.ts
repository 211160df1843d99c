import { existsSync, readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { TooManyValues } from '../../lib/aggregation.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Lineage } from '../../lib/lineage.ts'
import { PageTooLarge } from '../../lib/page-limit.ts'
import type { Sample } from '../../lib/sample.ts'
import type { LineForm } from '../../lib/sample-lines.ts'
import { explainDamage, isDamaged } from '../../lib/storage-fault.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { BrokenFile } from '../files.ts'
import {
  type AggregateQuery,
  type Freshness,
  type Held,
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
  type SeriesPart,
  type SeriesQuery,
  type Sizes
} from '../history.ts'
import { BEGIN, readOnward } from '../month-read.ts'
import { type Scanned, scanLines } from '../scan.ts'
import { readSeries } from '../series.ts'
import { BrokenPacks } from './broken-packs.ts'
import { fileIn, packsIn } from './file.ts'
import { type Aggregated, answerCounted, answerHalves, halvesOf } from './halves.ts'
import { SqliteHistoryFiles } from './history-files.ts'
import { LanePool } from './lane-pool.ts'
import { Maintenance, type MaintenanceOptions } from './maintenance.ts'
import { damageText } from './pack-file.ts'
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

const CORES = availableParallelism()

export type SqliteOptions = {
  clock?: Clock
  /** Told whether packing works. */
  outage?: MaintenanceOptions['outage']
  /** Where broken files go. */
  quarantine?: string
  /** Hears of each packed file that is found broken. */
  onBroken?: (file: BrokenFile) => void
  /** A thread that nobody asked for so long ends. */
  idleMs?: number
}
type Options = Required<Omit<SqliteOptions, 'idleMs'>>

const untold: MaintenanceOptions['outage'] = { failed() {}, worked() {} }

/** History in one SQLite file and packed files beside it. [ADR-0045] */
export async function openSqliteHistory(
  directory: string,
  {
    clock = systemClock,
    outage = untold,
    quarantine = join(directory, 'quarantine'),
    onBroken = () => {},
    idleMs
  }: SqliteOptions = {}
): Promise<SqliteHistory> {
  refuseWithoutList(directory)
  const broken = new BrokenPacks(async (name) => {
    const packs = await writer.call('packs', [])
    return packs.find((pack) => pack.name === name)
  }, onBroken)
  const startLane = starter(directory, broken)
  const writer = startLane<SqliteWriter>('writer')
  // The writer creates the tables. The readers prepare statements on them.
  await writer.ready()
  const startReader = () => startLane<SqliteReader>('reader')
  const pool = (most: number) => new LanePool(startReader, { most, idleMs })
  const readers = {
    quick: pool(1),
    short: pool(MAX_READERS_PER_POOL),
    long: pool(MAX_READERS_PER_POOL)
  }
  const history = new SqliteHistory(
    { writer, readers, startLane, broken },
    { directory, clock, outage, quarantine }
  )
  try {
    await history.begin()
  } catch (error) {
    await history.close().catch(() => {})
    throw error
  }
  return history
}

/** Without the file that lists them, packed files would count as rests and be removed. */
function refuseWithoutList(directory: string): void {
  if (statSync(fileIn(directory), { throwIfNoEntry: false })?.size) return
  const packs = existsSync(packsIn(directory)) ? readdirSync(packsIn(directory)) : []
  if (packs.length === 0) return
  throw new Error(
    `${fileIn(directory)} is missing or empty, but ${packsIn(directory)} has ${packs.length} files that belong to it: restore a backup; without one, move ${directory} away to start with an empty history`
  )
}

const starter =
  (directory: string, broken: BrokenPacks) =>
  <Target extends Lane<Target>>(role: WorkerData['role']): WorkerLane<Target> => {
    const cancelled = new Int32Array(new SharedArrayBuffer(4))
    const workerData: WorkerData = { directory, role, cancelled }
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
    const explain = (error: Error) => {
      if (!isDamaged(error))
        return explainDamage(
          error,
          fileIn(directory),
          'all stored values are lost',
          `${directory} away`
        )
      broken.note(error)
      return error
    }
    return new WorkerLane<Target>(worker, { cancelled, explain })
  }

type Lane<Target> = { [Name in keyof Target]: (...args: never[]) => unknown }
/** `quick` is for short calls that belong to no single caller. */
type Readers = Readonly<Record<'quick' | 'short' | 'long', LanePool<SqliteReader>>>
type Lanes = {
  writer: WorkerLane<SqliteWriter>
  readers: Readers
  startLane: ReturnType<typeof starter>
  broken: BrokenPacks
}
type Place = Omit<Options, 'onBroken'> & { directory: string }

/**
 * SQLite blocks the thread that calls it, so writing has its own thread. Queries have others, and
 * queries of short times never wait for long ones.
 */
export class SqliteHistory implements History {
  readonly pagesAtOnce = MAX_READERS_PER_POOL
  readonly #writer: WorkerLane<SqliteWriter>
  readonly #readers: Readers
  readonly #clock: Clock
  readonly #maintenance: Maintenance
  readonly #broken: BrokenPacks
  readonly #startLane: Lanes['startLane']
  readonly files: SqliteHistoryFiles
  #scanner: WorkerLane<SqliteScanner> | undefined
  #packer: WorkerLane<SqlitePacker> | undefined
  #isClosed = false

  constructor(
    { writer, readers, startLane, broken }: Lanes,
    { directory, clock, outage, quarantine }: Place
  ) {
    this.#startLane = startLane
    this.#broken = broken
    this.#writer = writer
    this.#readers = readers
    this.#clock = clock
    const forget = (names: readonly string[]) =>
      Promise.all(this.#reading().map((lane) => lane.call('forget', [names])))
    const packer = () => {
      this.#packer ??= startLane<SqlitePacker>('packer')
      return this.#packer
    }
    const restPacker = async () => {
      const packer = this.#packer
      this.#packer = undefined
      await packer?.close()
    }
    const options = { directory: packsIn(directory), quarantine, clock, outage, broken }
    const maintenance = new Maintenance({ writer, packer, restPacker, forget }, options)
    this.#maintenance = maintenance
    this.files = new SqliteHistoryFiles({ writer, maintenance, broken })
  }

  /** To be awaited before anything is read or written. */
  async begin(): Promise<void> {
    await this.#maintenance.begin()
    await this.files.readQuarantined()
    // Without packed files no reader has to start.
    if ((await this.#writer.call('packs', [])).length === 0) return
    const broken = await this.#readers.quick.idlest().call('brokenPacks', [])
    for (const file of broken) this.#broken.add(file)
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
    const page =
      (await this.#aggregateHalves(query, signal)) ??
      (await this.#readerFor(query).call('aggregate', [query], { signal }))
    if (page === 'too large') throw new PageTooLarge()
    if (page === 'too many values') throw new TooManyValues()
    return page
  }

  /** Two threads share a long query while nobody else needs them. Undefined when they cannot. */
  async #aggregateHalves(
    query: AggregateQuery,
    signal: AbortSignal | undefined
  ): Promise<Aggregated | undefined> {
    if (!isLong(query) || CORES < 2 || !this.#readers.long.hasTwoIdle) return undefined
    const held = { from: (await this.oldest()) ?? query.from, to: this.#clock() }
    const halves = halvesOf(query, held)
    if (halves === undefined) return undefined
    const failed = new AbortController()
    const signals = signal ? [signal, failed.signal] : [failed.signal]
    const options = { signal: AbortSignal.any(signals) }
    const { long } = this.#readers
    const ask = (half: AggregateQuery) => long.idlest().call('aggregate', [half], options)
    const count = (half: AggregateQuery) => long.idlest().call('countResults', [half], options)
    try {
      return await (query.offset > 0
        ? answerCounted(query, halves, { ask, count })
        : answerHalves(halves, ask))
    } catch (error) {
      failed.abort()
      throw error
    }
  }

  oldest(): Promise<UnixMs | undefined> {
    return this.#readers.quick.idlest().call('oldest', [])
  }

  series(query: SeriesQuery, signal?: AbortSignal): AsyncGenerator<SeriesPart> {
    return readSeries((from) => this.#readerFor(query).call('series', [query, from], { signal }))
  }

  #readerFor(query: Pick<PageQuery, 'from' | 'to'>): WorkerLane<SqliteReader> {
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
    this.#scanner ??= this.#startLane<SqliteScanner>('scanner')
    await this.#scanner.ready()
    return this.#scanner
  }

  async *latest(): AsyncGenerator<Sample[]> {
    let last = 0
    while (true) {
      const chunk = await this.#readers.quick.idlest().call('latestAfter', [last])
      if (chunk.samples.length === 0) return
      yield chunk.samples
      last = chunk.last
    }
  }

  latestOf(installation_id: number, topics: readonly string[]): Promise<Sample[]> {
    return this.#readers.quick.idlest().call('latestOf', [installation_id, topics])
  }

  latestIn(installation_id: number, after: string): Promise<Held[]> {
    return this.#readers.quick.idlest().call('latestIn', [installation_id, after])
  }

  freshness(installation_ids: readonly number[], silentSince: UnixMs): Promise<Freshness[]> {
    return this.#readers.quick.idlest().call('freshness', [installation_ids, silentSince])
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

  async dropBefore(moment: UnixMs): Promise<MonthSize[]> {
    const dropped = await this.#maintenance.dropBefore(moment)
    await this.files.readQuarantined()
    return dropped
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
    const [file, ...more] = this.files.broken
    if (file === undefined) return
    const others = more.length > 0 ? ` (and ${more.length} more files)` : ''
    throw new Error(damageText(file.name, file.reason) + others)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#maintenance.close()
    const { quick, short, long } = this.#readers
    const others = [quick, short, long, this.#scanner, this.#packer]
    await Promise.all(others.map((one) => one?.close()))
    // Close the writer last: the last one to close the file moves the write-ahead log into it.
    await this.#writer.close()
  }

  /** The threads that have packed files open. */
  #reading(): WorkerLane<SqliteReader | SqliteScanner | SqlitePacker>[] {
    const { quick, short, long } = this.#readers
    const lanes = [...quick.lanes, ...short.lanes, ...long.lanes, this.#scanner, this.#packer]
    return lanes.filter((lane) => lane !== undefined) as never
  }
}
