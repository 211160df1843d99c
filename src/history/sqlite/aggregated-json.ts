import { MAX_NUMBER_BYTES, writeNumber } from '../../lib/number-bytes.ts'
import { MAX_PAGE_CHARACTERS } from '../../lib/page-limit.ts'
import type { AggregateQuery } from '../history.ts'
import { PART_CHARACTERS } from '../page-parts.ts'
import { topicText } from './raw-page.ts'
import type { ResultPage } from './results.ts'
import type { StoredTopic } from './stored.ts'

/** After so many rows a thread looks whether the caller still waits. */
const ROWS_PER_LOOK = 4096
const COMMA = 0x2c

/** UTF-8, and how many characters these are for the limit of a page. */
type Text = { bytes: Uint8Array; characters: number }
const encoder = new TextEncoder()
const textOf = (text: string): Text => ({ bytes: encoder.encode(text), characters: text.length })

const VALUE = textOf(',"value":')

/** The rows of a page as UTF-8 text, in parts. Undefined when the text would be too long. */
export function aggregatedJson(
  { places, results }: ResultPage,
  topics: readonly StoredTopic[],
  { installation_id, several }: Pick<AggregateQuery, 'installation_id' | 'several'>,
  throwIfCancelled: () => void
): Uint8Array[] | undefined {
  const rows = new RowBytes()
  const names = several?.map(({ text }, i) =>
    textOf(`${i === 0 ? '' : ','}${JSON.stringify(text)}:`)
  )
  const texts = topics.map((topic) => {
    const { head, tail } = topicText(topic, installation_id)
    return { head: textOf(`{${head}`), tail: textOf(`${names ? '' : ','}"msg":""${tail}`) }
  })
  const [values, valuesEnd] = [textOf(',"values":{'), textOf('},')] as const
  const time = new TimeBytes()
  const mostNumbers = (2 + results.methods) * MAX_NUMBER_BYTES
  const fixed = 64 + (names ?? []).reduce((sum, { bytes }) => sum + bytes.length, 0)
  for (let i = 0; i < places.length; i++) {
    if (i % ROWS_PER_LOOK === 0) throwIfCancelled()
    const place = places[i] as number
    const { head, tail } = texts[results.rankAt(place)] as (typeof texts)[number]
    rows.begin(head.bytes.length + tail.bytes.length + mostNumbers + fixed)
    rows.add(head)
    rows.add(time.of(results.startAt(place)))
    rows.addNumber(results.valueAt(place, 0))
    if (names) {
      rows.add(values)
      for (let method = 0; method < names.length; method++) {
        rows.add(names[method] as Text)
        rows.addNumber(results.valueAt(place, method))
      }
      rows.add(valuesEnd)
    }
    rows.add(tail)
    if (rows.characters > MAX_PAGE_CHARACTERS) return undefined
  }
  return rows.end()
}

/** What is between the head of a row and its value. Rows of a bucket follow each other. */
class TimeBytes {
  readonly #bytes = new Uint8Array(MAX_NUMBER_BYTES + VALUE.bytes.length)
  #start = Number.NaN
  #text: Text = { bytes: this.#bytes, characters: 0 }

  of(start: number): Text {
    if (start === this.#start) return this.#text
    this.#start = start
    const end = writeNumber(this.#bytes, 0, start / 1000)
    this.#bytes.set(VALUE.bytes, end)
    const characters = end + VALUE.characters
    this.#text = { bytes: this.#bytes.subarray(0, characters), characters }
    return this.#text
  }
}

/** Writes rows into parts. Each part has its own memory, so that it can move to another thread. */
class RowBytes {
  readonly #parts: Uint8Array[] = []
  #bytes = new Uint8Array(0)
  #at = 0
  #characters = 0

  get characters(): number {
    return this.#characters
  }

  /** `most`: no row is longer. */
  begin(most: number): void {
    if (this.#at >= PART_CHARACTERS || this.#at + 1 + most > this.#bytes.length) {
      this.#close()
      this.#bytes = new Uint8Array(Math.max(PART_CHARACTERS + PART_SLACK, most))
    } else this.#bytes[this.#at++] = COMMA
    this.#characters++
  }

  add({ bytes, characters }: Text): void {
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
    this.#characters += characters
  }

  /** [ADR-0010] JSON has no infinity: a result that is too large becomes the largest number. */
  addNumber(value: number): void {
    const bounded = Number.isNaN(value)
      ? Number.MAX_VALUE
      : Math.max(Math.min(value, Number.MAX_VALUE), -Number.MAX_VALUE)
    const end = writeNumber(this.#bytes, this.#at, bounded)
    this.#characters += end - this.#at
    this.#at = end
  }

  end(): Uint8Array[] {
    this.#close()
    return this.#parts
  }

  #close(): void {
    if (this.#at > 0) this.#parts.push(this.#bytes.subarray(0, this.#at))
    this.#at = 0
  }
}

/** Usual rows fit here, so that a part ends because it is full. */
const PART_SLACK = 4096
