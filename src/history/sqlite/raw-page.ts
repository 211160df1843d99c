import { plainNumber } from '../../lib/json-number.ts'
import { MAX_PAGE_BYTES } from '../../lib/page-limit.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { Page, PageQuery } from '../history.ts'
import { PageParts } from '../page-parts.ts'
import type { Columns } from './columns.ts'
import { Held, Series } from './series.ts'
import { inStoredOrder, type Stored, type StoredTopic } from './stored.ts'
import { type Count, windowOfRows } from './window-search.ts'

/** A sample of the page, and where it is. */
type Row = {
  time: UnixMs
  id: number
  topic: StoredTopic
  columns: Columns
  index: number
  value: number
  msg: string
}

/** A page of the samples of these topics, in the order of the query. */
export function readRawPage(
  stored: Stored,
  query: PageQuery,
  throwIfCancelled: () => void
): Page | 'too large' {
  const held = new Held()
  const span = stored.within(query)
  const series = inStoredOrder(stored.topicsOf(query)).map((topic) => {
    throwIfCancelled()
    return new Series(stored, topic, span.samplesOf(topic.topic_id), held)
  })
  const total = series.reduce((sum, { count }) => sum + count, 0)
  const wanted = Math.min(total - query.offset, query.limit)
  const rows = wanted > 0 ? findRows(series, query, { total, wanted }, throwIfCancelled) : []
  if (!readContents(rows, throwIfCancelled)) return 'too large'
  const json = toJson(rows, query)
  if (json === undefined) return 'too large'
  const oldest = query.order === 'asc' ? rows[0] : rows.at(-1)
  return { total, count: rows.length, oldest: oldest?.time, rows: json }
}

function findRows(
  series: readonly Series[],
  { from, to, order, offset: skip }: PageQuery,
  { total, wanted }: { total: number; wanted: number },
  throwIfCancelled: () => void
): Row[] {
  const count: Count = (from, to) => {
    throwIfCancelled()
    return series.reduce((sum, one) => sum + one.countBefore(to + 1) - one.countBefore(from), 0)
  }
  const window = windowOfRows({ from, to, rows: total }, order, { skip, wanted }, count)
  const rows: Row[] = []
  for (const one of series) {
    throwIfCancelled()
    for (const { columns, begin, end } of one.within(window.from, window.to)) {
      const [times, ids] = [columns.times(), columns.ids()]
      for (let index = begin; index < end; index++) {
        const [time, id] = [times[index] as UnixMs, ids[index] as number]
        rows.push({ time, id, topic: one.topic, columns, index, value: 0, msg: '' })
      }
    }
  }
  rows.sort((a, b) => a.time - b.time || a.topic.rank - b.topic.rank || a.id - b.id)
  if (order === 'desc') rows.reverse()
  const begin = skip - window.before
  return rows.slice(begin, begin + wanted)
}

/** Reads values and messages, place by place. False when the messages are too large. */
function readContents(rows: readonly Row[], throwIfCancelled: () => void): boolean {
  let room = MAX_PAGE_BYTES
  for (const [columns, own] of Map.groupBy(rows, (row) => row.columns)) {
    throwIfCancelled()
    const [values, texts] = [columns.values(), columns.texts()]
    for (const row of own) {
      row.value = values[row.index] as number
      row.msg = texts?.[row.index] ?? ''
      room -= row.msg.length
    }
    columns.release()
    if (room < 0) return false
  }
  return true
}

/** Undefined when the text would be too long. */
function toJson(
  rows: readonly Row[],
  { withIds = false, installation_id }: PageQuery
): Uint8Array[] | undefined {
  const parts = new PageParts()
  const texts = new Map<StoredTopic, TopicText>()
  for (const { topic, time, value, msg, id } of rows) {
    let text = texts.get(topic)
    if (text === undefined) {
      text = topicText(topic, installation_id)
      texts.set(topic, text)
    }
    const message = msg === '' ? '""' : JSON.stringify(msg)
    const begin = withIds ? `{"id":${id},` : '{'
    const row = `${begin}${text.head}${time / 1000},"value":${plainNumber(value)},"msg":${message}${text.tail}`
    if (!parts.add(row)) return undefined
  }
  return parts.end()
}

/** What the rows of a topic have before the timestamp and after the message. */
export type TopicText = { head: string; tail: string }

export const topicText = ({ client_id, topic }: StoredTopic, installation_id: number) => ({
  head: `"client_id":${client_id},"installation_id":${installation_id},"timestamp":`,
  tail: `,"topic":${JSON.stringify(topic)}}`
})
