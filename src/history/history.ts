import type { Buckets, Method, NamedMethod } from '../lib/aggregation.ts'
import type { Ids, Lineage } from '../lib/lineage.ts'
import type { Sample } from '../lib/sample.ts'
import type { LineForm } from '../lib/sample-lines.ts'
import { DAY, type UnixMs } from '../lib/unix-time.ts'
import type { HistoryFiles } from './files.ts'

export type PageQuery = {
  installation_id: number
  /**
   * Exact topics; undefined means all topics of the installation. An empty list matches nothing.
   */
  topics: readonly string[] | undefined
  /** Both inclusive. */
  from: UnixMs
  to: UnixMs
  /** asc: time, then topic, then id; desc is exactly the reverse. */
  order: 'asc' | 'desc'
  limit: number
  offset: number
  /** Rows also have the `id` of the sample. */
  withIds?: boolean
}

/** A query of a longer time span may be slow. */
const LONG_MS = 31 * DAY

export const isLong = ({ from, to }: Pick<PageQuery, 'from' | 'to'>): boolean => to - from > LONG_MS

/**
 * One row per topic and bucket with samples. Its time is the start of the bucket; its msg is empty.
 */
export type AggregateQuery = PageQuery & {
  method: Method
  buckets: Buckets
  /** Rows also have `values`, with the result of each of these by its name. `method` is the first. */
  several?: readonly NamedMethod[]
}

export type Page = {
  /** The number of rows that match the query, without limit and offset. */
  total: number
  count: number
  /** Timestamp of the oldest row on this page; undefined when the page is empty. */
  oldest: UnixMs | undefined
  /**
   * The rows as JSON objects in the contract's Status shape, in UTF-8 parts of a bounded size.
   * Commas join the rows of a part. There are no brackets, and there is nothing between parts.
   */
  rows: readonly Uint8Array[]
}

export type ScanQuery = Pick<PageQuery, 'installation_id' | 'topics' | 'from' | 'to'>

export type SeriesQuery = ScanQuery & { topics: readonly string[] }

/** Neighbouring samples of a topic, by time and then by id. */
export type SeriesPart = { topic: string; times: Float64Array; values: Float64Array }

/** `keepsLatest`: the latest values stay, as after `dropBefore`. */
export type RemovalQuery = ScanQuery & { keepsLatest?: boolean }

/** `name` as in `2025-11`, in UTC; `bytes` on disk. */
export type MonthSize = { name: string; bytes: number }

/** `bytes` counts everything, with the latest values. The months start with the oldest. */
export type Sizes = { bytes: number; months: MonthSize[] }

/** The place after the first `skip` samples of a topic at this timestamp. */
export type SamplePlace = {
  installation_id: number
  topic: string
  timestamp: UnixMs
  skip: number
}

/** `rows` as `encodeSample` writes them; `next` is the place where the next part begins. */
export type MonthPart = { rows: Buffer; count: number; next: SamplePlace }

/** A message of up to so many characters is read together with its latest value. */
export const MAX_SHORT_MSG_CHARACTERS = 256

/** The newest sample of a topic; `msg` is undefined when the message is long. */
export type Held = Omit<Sample, 'msg'> & { readonly msg: string | undefined }

/**
 * How new the latest values of an installation are. `silent`: topics without a value since a given
 * time. `last`: the time of the newest value.
 */
export type Freshness = { installation_id: number; topics: number; silent: number; last: UnixMs }

/** The bytes of an installation's samples, counted as in `sampleBytes`. */
export type InstallationBytes = { installation_id: number; bytes: number }

/** By month (`2025-11`), and by installation. Equal samples count once. */
export type SampleCounts = { months: Record<string, number>; installations: Record<string, number> }

/** The lineage of the platform whose samples history keeps. */
export type KeptLineage = { platform: string; reached: Ids; reserved: Ids }

/** Every sample, and the latest one per topic. Every engine behaves the same; see test/engines. */
export interface History {
  /**
   * The engine reads so many short pages at once, and as many long ones. Others wait in the engine.
   */
  readonly pagesAtOnce: number
  /**
   * Takes rows as `encodeSample` writes them and resolves when they survive a crash. A batch with a
   * known token is not stored again. Samples with equal topic, timestamp, value and msg are one
   * row.
   */
  append(rows: Buffer, token: string): Promise<void>
  /** Throws `PageTooLarge` when the text is too large. */
  readPage(query: PageQuery, signal?: AbortSignal): Promise<Page>
  /** Throws `TooManyValues` when a median or percentile needs too much memory. */
  aggregate(query: AggregateQuery, signal?: AbortSignal): Promise<Page>
  /** No sample is older than this; undefined when there are no samples. */
  oldest(): Promise<UnixMs | undefined>
  /**
   * Everything that matches, ascending, as lines in parts of a bounded size. Each part is read when
   * the caller asks for it. Nothing stays open between two parts.
   */
  scan(query: ScanQuery, form: LineForm, signal?: AbortSignal): AsyncIterable<Buffer>
  /**
   * The times and values of these topics, by topic, in parts of a bounded size. No part is empty.
   * It costs a small part of a scan. Nothing stays open between two parts.
   */
  series(query: SeriesQuery, signal?: AbortSignal): AsyncIterable<SeriesPart>
  /**
   * Every sample of a month (`2025-11`), sorted by installation, topic, time, value and msg. This
   * is the stored order on every engine. Parts have a bounded size and are read when the caller
   * asks.
   */
  readMonth(name: string, from?: SamplePlace): AsyncIterable<MonthPart>
  /**
   * The newest sample of every topic, in parts of a bounded size. On equal timestamps the later
   * arrival wins.
   */
  latest(): AsyncIterable<Sample[]>
  /**
   * The newest sample of each of these topics, in any order. Ask for few topics: messages may be
   * long.
   */
  latestOf(installation_id: number, topics: readonly string[]): Promise<Sample[]>
  /**
   * The newest sample of the next topics of an installation after this one, in any fixed order and
   * not many. The first call has an empty text; an empty answer is the end.
   */
  latestIn(installation_id: number, after: string): Promise<Held[]>
  /** Of those among a few hundred installations that have latest values, in any order. */
  freshness(installation_ids: readonly number[], silentSince: UnixMs): Promise<Freshness[]>
  /**
   * Stores only latest values, as `encodeSample` writes them. An older timestamp changes nothing.
   */
  keepLatest(rows: Buffer, token: string): Promise<void>
  /** Removes every sample and latest value of an installation. */
  erase(installation_id: number): Promise<void>
  /**
   * Removes every sample that matches, and resolves with their number when that survives a crash.
   * A topic whose latest value is among them gets its newest remaining sample, or none. It works in
   * parts, so that new samples are stored in between. Known tokens stay known: a batch that is sent
   * again brings nothing back.
   */
  remove(query: RemovalQuery): Promise<number>
  /** Drops whole months that had ended at this moment. The latest values stay. */
  dropBefore(moment: UnixMs): Promise<MonthSize[]>
  /**
   * While the work runs, nothing that is stored in the data directory is removed. New samples are
   * stored. The work must end, because removals wait for it.
   */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** Must be cheap at any size, because it is called every few minutes. */
  sizes(): Promise<Sizes>
  /**
   * The bytes of each installation in a month (`2025-11`), in parts of a bounded size. Reads the
   * whole month.
   */
  bytesOf(name: string): AsyncIterable<InstallationBytes[]>
  /**
   * Counts everything that a server keeps, which may take a while. Undefined if history is in files:
   * these are counted in a copy.
   */
  countSamples?(signal: AbortSignal): Promise<SampleCounts>
  /** What `keepLineage` stored, and the highest installation id with samples. */
  lineage(): Promise<Lineage>
  /**
   * Resolves when it survives a crash. Ids only rise; the last platform replaces the one before.
   */
  keepLineage(lineage: KeptLineage): Promise<void>
  /** Undefined if history is kept by a server, which looks after its files itself. */
  readonly files?: HistoryFiles
  /** Rejects when history cannot answer now. Takes a few seconds at most. */
  check(): Promise<void>
  close(): Promise<void>
}
