import { rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type UnixMs, unixMs } from '../../lib/unix-time.ts'
import type { Damage, LostTopic } from '../files.ts'
import type { ScanQuery } from '../history.ts'
import { type Columns, indexAt, type Point, type Slice } from './columns.ts'
import { mergeSamples } from './merge.ts'
import { type NewPack, writePacks } from './new-pack.ts'
import type { Pack, Removal, SurveyedTopic } from './pack.ts'
import type { PackReader } from './pack-file.ts'
import { PackFiles } from './pack-files.ts'
import { type Lost, type Salvaged, salvage } from './salvage.ts'
import { Stored } from './stored.ts'

/** So many files are written at once. */
const MONTHS_AT_ONCE = 16
/** So many rows are read at once, so that nothing stays open for long. */
const ROWS_PER_READ = 20_000
/** Messages of rows that are read at once, in characters. */
const TEXT_PER_READ = 4 * 1024 * 1024
/** Of the topics that lost samples in a file, so many are named. All are recorded. */
const MAX_NAMED_TOPICS = 1000
/** Other threads get more processor time. */
const PRIORITY = 10

type Row = [topic_id: number, ...Point]

/**
 * Writes packed files, in a thread of its own. It changes nothing that exists: the writer puts the
 * new files in the place of the old ones.
 */
export class SqlitePacker {
  readonly #file: DatabaseSync
  readonly #directory: string
  readonly #packs: PackFiles
  readonly #stored: Stored
  readonly #isCancelled: () => boolean

  constructor(file: DatabaseSync, directory: string, isCancelled: () => boolean) {
    this.#file = file
    this.#directory = directory
    this.#packs = new PackFiles(directory)
    this.#stored = new Stored(file, this.#packs)
    this.#isCancelled = isCancelled
    // On other systems this would concern the whole process.
    if (process.platform === 'linux') setPriority(PRIORITY)
  }

  /**
   * Packs the rows of these months of a table that changes no more. One file for each month. These
   * must be all rows since `from`, because the table goes afterwards.
   */
  packRows(table: string, months: readonly string[], from: UnixMs): Pack[] {
    const packs: Pack[] = []
    try {
      for (let at = 0; at < months.length; at += MONTHS_AT_ONCE) {
        const some = months.slice(at, at + MONTHS_AT_ONCE)
        packs.push(...writePacks(this.#directory, some, (files) => this.#addRows(table, files)))
      }
      this.#throwIfIncomplete(table, packs, from)
    } catch (error) {
      for (const { name } of packs) rmSync(join(this.#directory, name), { force: true })
      throw error
    }
    return packs
  }

  /** Makes one file of several of the same month. */
  merge(names: readonly string[], month: string): Pack[] {
    return writePacks(this.#directory, [month], ([file]) => {
      const readers = names.map((name) => this.#packs.reader(name))
      for (const { topic_id, places } of topicsOf(readers)) {
        this.#throwIfCancelled()
        file?.addAll(topic_id, mergeSamples(places))
      }
    })
  }

  /**
   * The topics of a query: how many samples each has in the time span, and for those with their
   * latest value in it, the newest sample outside.
   */
  survey(query: ScanQuery): SurveyedTopic[] {
    return this.#stored.inSnapshot(() => {
      const span = this.#stored.within(query)
      const latest = this.#file.prepare('SELECT timestamp FROM latest WHERE topic_id = ?')
      return this.#stored.topicsOf(query).map(({ topic_id }) => {
        this.#throwIfCancelled()
        let count = 0
        for (const { begin, end } of span.samplesOf(topic_id)) count += end - begin
        const at = Number(latest.get(topic_id)?.['timestamp'])
        const isLatestWithin = at >= query.from && at <= query.to
        const newest = isLatestWithin ? this.#stored.newestOutside(topic_id, query) : undefined
        return { topic_id, count, newest }
      })
    })
  }

  /** A file without some samples; undefined when it has none of them. */
  without(name: string, month: string, { topic_ids, from, to }: Removal): Pack[] | undefined {
    const reader = this.#packs.reader(name)
    const wanted = new Set(topic_ids)
    const isTouched = topic_ids.some((id) => !reader.blocksOf(id, from, to).next().done)
    if (!isTouched) return undefined
    return writePacks(this.#directory, [month], ([file]) => {
      for (const { topic_id, block } of reader.blocks()) {
        this.#throwIfCancelled()
        const isTouched = wanted.has(topic_id) && block.first <= to && block.last >= from
        if (isTouched) file?.addAll(topic_id, outside(block, from, to))
        else file?.copy(topic_id, block)
      }
    })
  }

  /** Reads a whole file. Undefined when nothing is broken. */
  inspect(pack: Pack): Damage | undefined {
    const found = this.#salvage(pack, () => {})
    return found && this.#damageOf(pack, found)
  }

  /** Writes what is whole in a broken file to a new one. Undefined when nothing is broken. */
  salvage(pack: Pack): { add: Pack[]; damage: Damage; topics: Lost[] } | undefined {
    let found: Salvaged | undefined
    const add = writePacks(this.#directory, [pack.month], ([file]) => {
      found = this.#salvage(pack, (topic_id, block) => file?.copy(topic_id, block))
    })
    if (found) return { add, damage: this.#damageOf(pack, found), topics: found.lost }
    for (const { name } of add) rmSync(join(this.#directory, name), { force: true })
    return undefined
  }

  #salvage({ name, bytes }: Pack, keep: Parameters<typeof salvage>[2]): Salvaged | undefined {
    // What was read before does not count.
    this.#packs.forget([name])
    return salvage(this.#packs.reader(name), bytes, (topic_id, block) => {
      this.#throwIfCancelled()
      keep(topic_id, block)
    })
  }

  #damageOf({ name, month, samples, first, last }: Pack, { reason, kept, lost }: Salvaged): Damage {
    const find = this.#file.prepare('SELECT installation_id, topic FROM topics WHERE topic_id = ?')
    const topics = lost.slice(0, MAX_NAMED_TOPICS).map((one) => {
      const { installation_id = null, topic = null } = find.get(one.topic_id) ?? {}
      return { ...one, installation_id, topic } as LostTopic
    })
    return {
      ...{ name, month, samples, first: unixMs(first), last: unixMs(last), reason },
      ...{ lost: Math.max(samples - kept, 0), topicCount: lost.length, topics }
    }
  }

  /** After this, the packed files can be removed. */
  forget(names: readonly string[]): void {
    this.#packs.forget(names)
  }

  close(): void {
    this.#packs.close()
    this.#file.close()
  }

  #throwIfIncomplete(table: string, packs: readonly Pack[], from: UnixMs): void {
    const sql = `SELECT count(*) AS rows FROM ${table} WHERE timestamp >= ?`
    const rows = Number(this.#file.prepare(sql).get(from)?.['rows'])
    const packed = packs.reduce((sum, { samples }) => sum + samples, 0)
    if (rows !== packed)
      throw new Error(`${packed} of ${rows} rows of ${table} are of a month that is listed`)
  }

  #throwIfCancelled(): void {
    if (this.#isCancelled()) throw new Error('History is closing')
  }

  #addRows(table: string, files: readonly NewPack[]): void {
    const read = this.#file.prepare(`
      SELECT topic_id, timestamp, value, msg, id FROM ${table}
      WHERE (topic_id, timestamp, value, msg) > (?, ?, ?, ?)
      ORDER BY topic_id, timestamp, value, msg LIMIT ${ROWS_PER_READ}`)
    read.setReturnArrays(true)
    let file: NewPack | undefined
    let tied: Row[] = []
    const endTied = () => {
      if (tied.length > 1) tied.sort((a, b) => a[4] - b[4])
      for (const [topic_id, time, value, msg, id] of tied) file?.add(topic_id, time, value, msg, id)
      tied = []
    }
    for (const row of rowsOf(read, () => this.#throwIfCancelled())) {
      const [topic_id, time] = row
      const [before] = tied
      if (before && (before[1] !== time || before[0] !== topic_id)) endTied()
      if (!file?.has(time)) {
        // Each file has its own blocks, also when a topic goes on in another month.
        file = files.find((other) => other.has(time))
      }
      if (file) tied.push(row)
    }
    endTied()
  }
}

function* rowsOf(read: StatementSync, throwIfCancelled: () => void): Generator<Row> {
  let last: Row = [0, Number.MIN_SAFE_INTEGER, 0, '', 0]
  for (;;) {
    throwIfCancelled()
    const [topic_id, time, value, msg] = last
    const rows: Row[] = []
    let textLength = 0
    for (const row of read.iterate(topic_id, time, value, msg) as unknown as Iterable<Row>) {
      rows.push(row)
      textLength += row[3].length
      if (textLength > TEXT_PER_READ) break
    }
    yield* rows
    const end = rows.at(-1)
    if (end === undefined) return
    last = end
  }
}

/** The samples before `from` and after `to`. */
function outside(columns: Columns, from: UnixMs, to: UnixMs): Slice[] {
  const [begin, end] = [indexAt(columns, from), indexAt(columns, to + 1)]
  return [
    { columns, begin: 0, end: begin },
    { columns, begin: end, end: columns.count }
  ].filter((slice) => slice.begin < slice.end)
}

/** The blocks of each topic, file by file. All of a topic must be read before the next. */
function* topicsOf(readers: readonly PackReader[]) {
  const streams = readers.map((reader) => {
    const blocks = reader.blocks()
    return { blocks, next: blocks.next() }
  })
  for (;;) {
    const ids = streams.flatMap(({ next }) => (next.done ? [] : [next.value.topic_id]))
    if (ids.length === 0) return
    const topic_id = Math.min(...ids)
    const places = streams.map(function* (stream): Generator<Columns> {
      while (!stream.next.done && stream.next.value.topic_id === topic_id) {
        const { block } = stream.next.value
        stream.next = stream.blocks.next()
        yield block
      }
    })
    yield { topic_id, places }
  }
}
