import type { Buckets, Method } from '../lib/aggregation.ts'
import type { Sample } from '../lib/sample.ts'
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

/** Every sample and the latest per topic. The same behaviour on every engine; see test/engines. */
export interface History {
  /**
   * Takes rows as `encodeSample` writes them and resolves when they survive a crash. The same token
   * twice is stored once; a sample with the same topic, timestamp, value and msg is one row.
   */
  append(rows: Buffer, token: string): Promise<void>
  readPage(query: PageQuery, signal?: AbortSignal): Promise<Page>
  aggregate(query: AggregateQuery, signal?: AbortSignal): Promise<Page>
  /** The newest sample of every topic: greatest timestamp, on a tie the later arrival. */
  latest(): AsyncIterable<Sample[]>
  /** Removes every sample and latest value of an installation. */
  erase(installation_id: number): Promise<void>
  /** Drops the months that ended before the moment, whole; answers which (`2025-11`). */
  dropBefore(moment: UnixMs): Promise<string[]>
  close(): Promise<void>
}
