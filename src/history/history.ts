import type { Buckets, Method } from '../lib/aggregation.ts'
import type { Sample } from '../lib/sample.ts'
import type { LineForm } from '../lib/sample-lines.ts'
import type { UnixMs } from '../lib/unix-time.ts'

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

/** One row per topic and bucket that has samples; its time is the bucket's begin, its msg is empty. */
export type AggregateQuery = PageQuery & { method: Method; buckets: Buckets }

export type Page = {
  /** Rows matching the query, whatever limit and offset. */
  total: number
  count: number
  /** Timestamp of the oldest row on this page; undefined when the page is empty. */
  oldest: UnixMs | undefined
  /** The rows as JSON objects in the contract's Status shape, joined by commas, no brackets. */
  rows: string
}

export type ScanQuery = Pick<PageQuery, 'installation_id' | 'topics' | 'from' | 'to'>

/** `name` as in `2025-11`, in UTC; `bytes` on disk. */
export type MonthSize = { name: string; bytes: number }

/** `bytes` of everything, the latest values too; the months from the oldest on. */
export type Sizes = { bytes: number; months: MonthSize[] }

/** Every sample and the latest per topic. The same behaviour on every engine; see test/engines. */
export interface History {
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
  /** The newest sample of every topic: greatest timestamp, on a tie the later arrival. */
  latest(): AsyncIterable<Sample[]>
  /** Removes every sample and latest value of an installation. */
  erase(installation_id: number): Promise<void>
  /** Drops the months that were over at the moment, whole; the latest values stay. */
  dropBefore(moment: UnixMs): Promise<MonthSize[]>
  /** Cheap whatever the size: asked every few minutes. */
  sizes(): Promise<Sizes>
  /** Rejects when history cannot be asked just now; answers within seconds. */
  check(): Promise<void>
  close(): Promise<void>
}
