import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type LineForm, lineHeader, lineTopic, sampleLine } from '../src/lib/sample-lines.ts'
import { unixMs } from '../src/lib/unix-time.ts'

export type FileShape = { rows: number; topics: number }

/** Fixed, so that all of it lies in one month: every topic has a value each second. */
const BEGIN = Date.UTC(2025, 5, 1)
const STEP = 1000

/** The row at a place of the file; `topic` is a number. */
export function rowOf({ topics }: FileShape, place: number) {
  const topic = place % topics
  const timestamp = BEGIN + Math.floor(place / topics) * STEP + topic
  const value = Math.round(200 + 50 * Math.sin(timestamp / 4e6 + topic) + (place % 7)) / 10
  return { topic, timestamp, value }
}

/** A file of samples in order of time, as an export writes them. */
export async function writeSampleFile(path: string, form: LineForm, shape: FileShape) {
  await pipeline(Readable.from(chunks(form, shape)), createWriteStream(path))
}

function* chunks(form: LineForm, shape: FileShape): Generator<string> {
  const names = Array.from({ length: shape.topics }, (_, topic) =>
    lineTopic(form, `7/obj/room_${topic}/temperature`)
  )
  yield lineHeader(form)
  for (let place = 0; place < shape.rows; ) {
    let text = ''
    for (const end = Math.min(place + 10_000, shape.rows); place < end; place++) {
      const { topic, timestamp, value } = rowOf(shape, place)
      const fields = { timestamp: unixMs(timestamp), value, msg: '' }
      text += sampleLine(form, names[topic] ?? '', fields)
    }
    yield text
  }
}
