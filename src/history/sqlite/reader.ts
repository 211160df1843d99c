import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { TooManyValues } from '../../lib/aggregation.ts'
import type { Sample } from '../../lib/sample.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { BrokenFile } from '../files.ts'
import {
  type AggregateQuery,
  type Freshness,
  type Held,
  MAX_SHORT_MSG_CHARACTERS,
  type Page,
  type PageQuery,
  type SeriesQuery
} from '../history.ts'
import type { SeriesPage, SeriesPlace } from '../series.ts'
import { aggregateRows, countResults } from './aggregate.ts'
import { aggregatedJson } from './aggregated-json.ts'
import { brokenFile } from './broken-packs.ts'
import type { Pack } from './pack.ts'
import { DamagedPack } from './pack-file.ts'
import type { PackFiles } from './pack-files.ts'
import { readRawPage } from './raw-page.ts'
import { readSeriesPage } from './series-page.ts'
import { Stored } from './stored.ts'

const LATEST_ROWS_PER_PART = 5000
/** The thread that asks gets them as objects. So many take it a millisecond. */
const HELD_PER_PART = 500
/** Messages of one part. */
const LATEST_BYTES_PER_PART = 4 * 1024 * 1024

/** Reads in its own thread beside the writer. Each page comes from one snapshot. */
export class SqliteReader {
  readonly #file: DatabaseSync
  readonly #packs: PackFiles
  readonly #stored: Stored
  readonly #throwIfCancelled: () => void
  readonly #latest: StatementSync
  readonly #latestOf: StatementSync
  readonly #latestIn: StatementSync
  readonly #freshness: StatementSync

  constructor(file: DatabaseSync, packs: PackFiles, isCancelled: () => boolean) {
    this.#file = file
    this.#packs = packs
    this.#stored = new Stored(file, packs)
    this.#throwIfCancelled = () => {
      if (isCancelled()) throw new Error('The caller no longer waits for this query')
    }
    this.#latest = file.prepare(`
      SELECT topic_id, latest.id, installation_id, client_id, topic, timestamp, value, msg
      FROM latest JOIN topics USING (topic_id)
      WHERE topic_id > ? ORDER BY topic_id LIMIT ${LATEST_ROWS_PER_PART}`)
    this.#latestOf = file.prepare(`
      SELECT latest.id, installation_id, client_id, topic, timestamp, value, msg
      FROM topics JOIN latest USING (topic_id)
      WHERE installation_id = ? AND topic IN (SELECT value FROM json_each(?))`)
    this.#latestIn = file.prepare(`
      SELECT latest.id, installation_id, client_id, topic, timestamp, value,
        CASE WHEN length(msg) <= ${MAX_SHORT_MSG_CHARACTERS} THEN msg END AS msg
      FROM topics JOIN latest USING (topic_id)
      WHERE installation_id = ? AND topic > ? ORDER BY topic LIMIT ${HELD_PER_PART}`)
    this.#freshness = file.prepare(`
      SELECT installation_id, count(*) AS topics, sum(timestamp < ?) AS silent, max(timestamp) AS last
      FROM topics JOIN latest USING (topic_id)
      WHERE installation_id IN (SELECT value FROM json_each(?)) GROUP BY installation_id`)
  }

  readPage(query: PageQuery): Page | 'too large' {
    return this.#stored.inSnapshot(() => readRawPage(this.#stored, query, this.#throwIfCancelled))
  }

  aggregate(query: AggregateQuery): Page | 'too large' | 'too many values' {
    try {
      return this.#stored.inSnapshot(() => this.#aggregate(query))
    } catch (error) {
      if (error instanceof TooManyValues) return 'too many values'
      throw error
    }
  }

  #aggregate(query: AggregateQuery): Page | 'too large' {
    const topics = this.#stored.topicsOf(query)
    const { total, page } = aggregateRows(this.#stored, query, topics, this.#throwIfCancelled)
    const { places, results } = page
    const rows = aggregatedJson(page, topics, query, this.#throwIfCancelled)
    if (rows === undefined) return 'too large'
    const oldest = query.order === 'asc' ? places[0] : places.at(-1)
    const start = oldest === undefined ? undefined : results.startAt(oldest)
    return { total, count: places.length, oldest: start, rows }
  }

  /** The number of rows of each bucket. */
  countResults(query: AggregateQuery): Uint32Array {
    return this.#stored.inSnapshot(() => {
      const topics = this.#stored.topicsOf(query)
      return countResults(this.#stored, query, topics, this.#throwIfCancelled)
    })
  }

  series(query: SeriesQuery, from: SeriesPlace): SeriesPage {
    return this.#stored.inSnapshot(() =>
      readSeriesPage(this.#stored, query, from, this.#throwIfCancelled)
    )
  }

  oldest(): UnixMs | undefined {
    return this.#stored.oldest()
  }

  /** The topics after `last`, by number; an empty list means the end. */
  latestAfter(last: number): { samples: Sample[]; last: number } {
    const samples: Sample[] = []
    let bytes = 0
    for (const { topic_id, ...row } of this.#latest.iterate(last)) {
      const sample = { ...row } as Sample
      samples.push(sample)
      last = Number(topic_id)
      bytes += sample.msg.length
      if (bytes > LATEST_BYTES_PER_PART) break
    }
    return { samples, last }
  }

  latestOf(installation_id: number, topics: readonly string[]): Sample[] {
    const rows = this.#latestOf.all(installation_id, JSON.stringify(topics))
    return rows.map((row) => ({ ...row }) as Sample)
  }

  latestIn(installation_id: number, after: string): Held[] {
    return this.#latestIn
      .all(installation_id, after)
      .map((row) => ({ ...row, msg: row['msg'] ?? undefined }) as Held)
  }

  freshness(installation_ids: readonly number[], silentSince: UnixMs): Freshness[] {
    const rows = this.#freshness.all(silentSince, JSON.stringify(installation_ids))
    return rows.map((row) => ({ ...row }) as Freshness)
  }

  /** Looks at the two ends of every packed file. */
  brokenPacks(): BrokenFile[] {
    const rows = this.#file.prepare('SELECT name, month, bytes, samples, first, last FROM packs')
    const broken: BrokenFile[] = []
    for (const row of rows.all()) {
      const pack = { ...row } as Pack
      try {
        this.#packs.reader(pack.name).check(pack.bytes)
      } catch (error) {
        if (!(error instanceof DamagedPack)) throw error
        broken.push(brokenFile(pack, error.what))
      }
    }
    this.#packs.close()
    return broken
  }

  /** After this, the packed files can be removed. */
  forget(names: readonly string[]): void {
    this.#packs.forget(names)
  }

  close(): void {
    this.#packs.close()
    this.#file.close()
  }
}
