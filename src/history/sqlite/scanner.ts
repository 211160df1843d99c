import type { DatabaseSync } from 'node:sqlite'
import { SAMPLE_BYTES } from '../../lib/quota.ts'
import type { Sample } from '../../lib/sample.ts'
import { type LineForm, lineTopic, sampleLine } from '../../lib/sample-lines.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { InstallationBytes, MonthPart, SamplePlace, ScanQuery } from '../history.ts'
import { partOf as monthPartOf, PART_BYTES, PART_ROWS, spanOfMonth } from '../month-read.ts'
import { SCAN_BYTES, type ScanPart, type ScanPlace } from '../scan.ts'
import { type Point, pointsOf, type Slice } from './columns.ts'
import type { PackFiles } from './pack-files.ts'
import { inStoredOrder, Stored, type StoredSpan, type StoredTopic } from './stored.ts'

type Found = { topic: StoredTopic; point: Point }
type OwnedTopic = Pick<Sample, 'installation_id' | 'client_id' | 'topic'> & { topic_id: number }

/** Few at a time, so that an export waits only a moment. */
const TOPICS_PER_WEIGHING = 16

/** Reads for exports in its own thread, so that no page waits for an export. */
export class SqliteScanner {
  readonly #file: DatabaseSync
  readonly #packs: PackFiles
  readonly #stored: Stored

  constructor(file: DatabaseSync, packs: PackFiles) {
    this.#file = file
    this.#packs = packs
    this.#stored = new Stored(file, packs)
  }

  measure(query: ScanQuery, limit: number): { rows: number; bytes: number } {
    return this.#stored.inSnapshot(() => {
      let [rows, bytes] = [0, 0]
      for (const slice of this.#slicesOf(query)) {
        rows += slice.end - slice.begin
        if (rows > limit) break
        bytes += textBytesOf(slice)
      }
      return { rows, bytes }
    })
  }

  read(query: ScanQuery, form: LineForm): ScanPart {
    return this.#stored.inSnapshot(() => {
      const span = this.#stored.within(query)
      const found: Found[] = []
      for (const topic of inStoredOrder(this.#stored.topicsOf(query))) {
        for (const slice of span.samplesOf(topic.topic_id))
          for (const point of pointsOf(slice)) found.push({ topic, point })
      }
      found.sort(
        (a, b) => a.point[0] - b.point[0] || a.topic.rank - b.topic.rank || a.point[3] - b.point[3]
      )
      return partOf(found, form)
    })
  }

  readOn(query: ScanQuery, form: LineForm, after: ScanPlace, limit: number): ScanPart {
    return this.#stored.inSnapshot(() => {
      const span = this.#stored.within({ from: query.from, to: query.from })
      const found: Found[] = []
      let bytes = 0
      for (const topic of this.#stored.topicsOf(query)) {
        const order = Buffer.compare(Buffer.from(topic.topic), Buffer.from(after.topic))
        if (order < 0) continue
        for (const point of pointsOfTopic(span, topic.topic_id)) {
          if (order === 0 && point[3] <= after.id) continue
          found.push({ topic, point })
          bytes += point[2].length
          if (found.length >= limit || bytes > SCAN_BYTES) return partOf(found, form)
        }
      }
      return partOf(found, form)
    })
  }

  readMonth(name: string, from: SamplePlace): MonthPart {
    return this.#stored.inSnapshot(() => {
      const samples: Sample[] = []
      let bytes = 0
      for (const sample of this.#samplesOf(name, from)) {
        samples.push(sample)
        bytes += sample.msg.length + sample.topic.length
        if (samples.length >= PART_ROWS || bytes > PART_BYTES) break
      }
      return monthPartOf(from, samples)
    })
  }

  *#samplesOf(name: string, from: SamplePlace): Generator<Sample> {
    const month = spanOfMonth(name)
    const whole = this.#stored.within(month)
    const topics = this.#file.prepare(`
      SELECT topic_id, installation_id, client_id, topic FROM topics
      WHERE (installation_id, topic) >= (?, ?) ORDER BY installation_id, topic`)
    for (const found of topics.iterate(from.installation_id, from.topic)) {
      const { topic_id, installation_id, client_id, topic } = found as OwnedTopic
      const isBegun = installation_id === from.installation_id && topic === from.topic
      const rest = { ...month, from: Math.max(from.timestamp, month.from) as UnixMs }
      const span = isBegun ? this.#stored.within(rest) : whole
      let skip = isBegun ? from.skip : 0
      for (const [time, value, msg, id] of byValue(pointsOfTopic(span, topic_id))) {
        if (time !== from.timestamp) skip = 0
        if (skip-- > 0) continue
        yield { id, installation_id, client_id, topic, timestamp: time as UnixMs, value, msg }
      }
    }
  }

  /**
   * The bytes of some topics of a month; `last` is the last of these topics, undefined at the end.
   */
  weigh(name: string, after: number): { last: number | undefined; sums: InstallationBytes[] } {
    return this.#stored.inSnapshot(() => {
      const topics = this.#file
        .prepare(
          `SELECT topic_id, installation_id, octet_length(topic) AS bytes
           FROM topics WHERE topic_id > ? ORDER BY topic_id LIMIT ?`
        )
        .all(after, TOPICS_PER_WEIGHING)
      const span = this.#stored.within(spanOfMonth(name))
      const sums = topics.map(({ topic_id, installation_id, bytes: topicBytes }) => {
        let bytes = 0
        for (const slice of span.samplesOf(Number(topic_id))) {
          const count = slice.end - slice.begin
          bytes += count * (SAMPLE_BYTES + Number(topicBytes)) + textBytesOf(slice)
        }
        return { installation_id: Number(installation_id), bytes }
      })
      const last = topics.at(-1)?.['topic_id']
      return { last: last as number | undefined, sums: sums.filter(({ bytes }) => bytes > 0) }
    })
  }

  /** After this, the packed files can be removed. */
  forget(names: readonly string[]): void {
    this.#packs.forget(names)
  }

  close(): void {
    this.#packs.close()
    this.#file.close()
  }

  *#slicesOf(query: ScanQuery): Generator<Slice> {
    const span = this.#stored.within(query)
    for (const { topic_id } of inStoredOrder(this.#stored.topicsOf(query)))
      yield* span.samplesOf(topic_id)
  }
}

function textBytesOf({ columns, begin, end }: Slice): number {
  if (end - begin === columns.count) return columns.textBytes
  const texts = columns.texts()?.slice(begin, end) ?? []
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function* pointsOfTopic(span: StoredSpan, topic_id: number): Generator<Point> {
  for (const slice of span.samplesOf(topic_id)) yield* pointsOf(slice)
}

/** By time, value and msg, as every engine answers a month. */
function* byValue(points: Iterable<Point>): Generator<Point> {
  let tied: Point[] = []
  for (const point of points) {
    if (tied[0] && tied[0][0] !== point[0]) {
      yield* sortTied(tied)
      tied = []
    }
    tied.push(point)
  }
  yield* sortTied(tied)
}

const sortTied = (tied: Point[]): Point[] =>
  tied.length < 2
    ? tied
    : tied.sort((a, b) => a[1] - b[1] || Buffer.compare(Buffer.from(a[2]), Buffer.from(b[2])))

function partOf(found: readonly Found[], form: LineForm): ScanPart {
  const names = new Map<StoredTopic, string>()
  let lines = ''
  for (const { topic, point } of found) {
    let name = names.get(topic)
    if (name === undefined) {
      name = lineTopic(form, topic.topic)
      names.set(topic, name)
    }
    const [time, value, msg] = point
    lines += sampleLine(form, name, { timestamp: time as UnixMs, value, msg })
  }
  const end = found.at(-1)
  const last = end && { topic: end.topic.topic, id: end.point[3] }
  return { lines: Buffer.from(lines), rows: found.length, last }
}
