import type { Buckets, Method } from '../lib/aggregation.ts'
import type { Ids, Lineage } from '../lib/lineage.ts'
import type { Sample } from '../lib/sample.ts'
import type { LineForm } from '../lib/sample-lines.ts'
import { DAY, type UnixMs } from '../lib/unix-time.ts'

export type PageQuery = {
  installation_id: number
  /** Exact topics; undefined means all of the installation. An empty list matches nothing. */
  topics: readonly string[] | undefined
  /** Both inclusive. */
  from: UnixMs
  to: UnixMs
  /** asc: time, then topic, then id; desc is exactly the reverse. */
  order: 'asc' | 'desc'
  limit: number
  offset: number
  /** Rows also carry the sample's `id`. */
  withIds?: boolean
}

/** A time longer than this may take long to read. */
const LONG = 31 * DAY

export const isLong = ({ from, to }: Pick<PageQuery, 'from' | 'to'>): boolean => to - from > LONG

/** One row per topic and bucket that has samples; its time is the bucket's begin, its msg is empty. */
export type AggregateQuery = PageQuery & { method: Method; buckets: Buckets }

export type Page = {
  /** Rows matching the query, whatever limit and offset. */
  total: number
  count: number
  /** Timestamp of the oldest row on this page; undefined when the page is empty. */
  oldest: UnixMs | undefined
  /**
   * The rows as JSON objects in the contract's Status shape, as UTF-8 in parts of a bounded size; in
   * a part they are joined by commas. No brackets, and nothing between the parts.
   */
  rows: readonly Uint8Array[]
}

export type ScanQuery = Pick<PageQuery, 'installation_id' | 'topics' | 'from' | 'to'>

/** `name` as in `2025-11`, in UTC; `bytes` on disk. */
export type MonthSize = { name: string; bytes: number }

/** `bytes` of everything, the latest values too; the months from the oldest on. */
export type Sizes = { bytes: number; months: MonthSize[] }

/** Behind the `skip` first samples of a topic at a moment. */
export type SamplePlace = {
  installation_id: number
  topic: string
  timestamp: UnixMs
  skip: number
}

/** `rows` as `encodeSample` writes them; `next` is where the one after it begins. */
export type MonthPart = { rows: Buffer; count: number; next: SamplePlace }

/** What the samples of an installation count, as `sampleBytes` says. */
export type InstallationBytes = { installation_id: number; bytes: number }

/** What history is told of the platform whose samples it keeps. */
export type KeptLineage = { platform: string; reached: Ids; reserved: Ids }

/** Every sample and the latest per topic. The same behaviour on every engine; see test/engines. */
export interface History {
  /** So many pages of short times are read at once, and as many of long ones; more wait in the engine. */
  readonly pagesAtOnce: number
  /**
   * Takes rows as `encodeSample` writes them and resolves when they survive a crash. The same token
   * twice is stored once; a sample with the same topic, timestamp, value and msg is one row.
   */
  append(rows: Buffer, token: string): Promise<void>
  /** Throws `PageTooLarge` when its text would be. */
  readPage(query: PageQuery, signal?: AbortSignal): Promise<Page>
  aggregate(query: AggregateQuery, signal?: AbortSignal): Promise<Page>
  /** No sample is older; undefined when there are none. */
  oldest(): Promise<UnixMs | undefined>
  /**
   * Everything that matches, ascending, as lines in parts of a bounded size, each read when it is
   * asked for; nothing is open in between.
   */
  scan(query: ScanQuery, form: LineForm, signal?: AbortSignal): AsyncIterable<Buffer>
  /**
   * Every sample of a month (`2025-11`) in the order it lies in on every engine, which is by
   * installation, topic, time, value and msg; in parts of a bounded size, each read when it is asked for.
   */
  readMonth(name: string, from?: SamplePlace): AsyncIterable<MonthPart>
  /** The newest sample of every topic, in parts of a bounded size: greatest timestamp, on a tie the later arrival. */
  latest(): AsyncIterable<Sample[]>
  /** The newest sample of each of these topics that has one, in any order. Few topics: messages may be long. */
  latestOf(installation_id: number, topics: readonly string[]): Promise<Sample[]>
  /** Latest values alone, as `encodeSample` writes them; one with an earlier timestamp changes nothing. */
  keepLatest(rows: Buffer, token: string): Promise<void>
  /** Removes every sample and latest value of an installation. */
  erase(installation_id: number): Promise<void>
  /** Drops the months that were over at the moment, whole; the latest values stay. */
  dropBefore(moment: UnixMs): Promise<MonthSize[]>
  /** Cheap whatever the size: asked every few minutes. */
  sizes(): Promise<Sizes>
  /** Of a month (`2025-11`), each installation once, in parts of a bounded size. Reads all of the month. */
  bytesOf(name: string): AsyncIterable<InstallationBytes[]>
  /** What it was told, and the installations it has samples of. */
  lineage(): Promise<Lineage>
  /** Resolves when it survives a crash. Ids only rise; the platform is the one that was told last. */
  keepLineage(lineage: KeptLineage): Promise<void>
  /** Rejects when history cannot be asked just now; answers within seconds. */
  check(): Promise<void>
  close(): Promise<void>
}
