import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type LineForm, lineHeader, lineTopic, sampleLine } from '../src/lib/sample-lines.ts'
import { unixMs } from '../src/lib/unix-time.ts'

export type FileShape = { rows: number; topics: number }

/** A form of ours, or the line protocol of InfluxDB with times in milliseconds. */
export type FileForm = LineForm | 'line protocol'

/** A fixed time, so that all samples are in one month. Every topic has a value per second. */
const BEGIN_MS = Date.UTC(2025, 5, 1)
const STEP_MS = 1000

/** All samples of a file are from one moment to another (exclusive). */
export const spanOf = ({ rows, topics }: FileShape) => ({
  from: BEGIN_MS,
  to: BEGIN_MS + (Math.ceil(rows / topics) + 1) * STEP_MS
})

/** The row at a position of the file; `topic` is a number. */
export function rowOf({ topics }: FileShape, place: number) {
  const topic = place % topics
  const timestamp = BEGIN_MS + Math.floor(place / topics) * STEP_MS + topic
  const value = Math.round(200 + 50 * Math.sin(timestamp / 4e6 + topic) + (place % 7)) / 10
  return { topic, timestamp, value }
}

/** A file of samples in order of time, as an export writes them. */
export async function writeSampleFile(path: string, form: FileForm, shape: FileShape) {
  await pipeline(Readable.from(chunks(form, shape)), createWriteStream(path))
}

function* chunks(form: FileForm, shape: FileShape): Generator<string> {
  const topics = Array.from(
    { length: shape.topics },
    (_, topic) => `7/obj/room_${topic}/temperature`
  )
  const names = topics.map((topic) => lineTopic(form === 'ndjson' ? form : 'csv', topic))
  if (form !== 'line protocol') yield lineHeader(form)
  for (let place = 0; place < shape.rows; ) {
    let text = ''
    for (const end = Math.min(place + 10_000, shape.rows); place < end; place++) {
      const { topic, timestamp, value } = rowOf(shape, place)
      const name = names[topic] ?? ''
      const fields = { timestamp: unixMs(timestamp), value, msg: '' }
      text +=
        form === 'line protocol'
          ? `s,t=${name} v=${value} ${timestamp}\n`
          : sampleLine(form, name, fields)
    }
    yield text
  }
}
