import { MAX_NUMBER_BYTES, writeNumber } from '../../lib/number-bytes.ts'
import { MAX_PAGE_CHARACTERS } from '../../lib/page-limit.ts'
import type { AggregateQuery } from '../history.ts'
import { topicText } from './raw-page.ts'
import type { ResultPage } from './results.ts'
import type { StoredTopic } from './stored.ts'

/** After so many rows a thread looks whether the caller still waits. */
const ROWS_PER_LOOK = 4096
const COMMA = 0x2c
/** A short answer is one part. A long one has parts of the length that is sent at once. */
const MIN_PART_BYTES = 64 * 1024
const MAX_PART_BYTES = 1024 * 1024
/** Of a time, of a value, and of what is between them. */
const USUAL_NUMBER_BYTES = 20

/** UTF-8, and how many characters these are for the limit of a page. */
type Text = { bytes: Uint8Array; characters: number }
const encoder = new TextEncoder()
const textOf = (text: string): Text => ({ bytes: encoder.encode(text), characters: text.length })

const VALUE = encoder.encode(',"value":')

/** The rows of a page as UTF-8 text, in parts. Undefined when the text would be too long. */
export function aggregatedJson(
  { places, results }: ResultPage,
  topics: readonly StoredTopic[],
  { installation_id, several }: Pick<AggregateQuery, 'installation_id' | 'several'>,
  throwIfCancelled: () => void
): Uint8Array[] | undefined {
  const names = several?.map(({ text }, i) =>
    textOf(`${i === 0 ? '' : ','}${JSON.stringify(text)}:`)
  )
  const [heads, tails] = [new Map<number, Uint8Array>(), [] as Text[]]
  let longest = 0
  const headOf = topics.map((topic) => {
    const { head, tail } = topicText(topic, installation_id)
    const end = textOf(`${names ? '' : ','}"msg":""${tail}`)
    tails.push(end)
    const bytes = heads.get(topic.client_id) ?? encoder.encode(`{${head}`)
    heads.set(topic.client_id, bytes)
    longest = Math.max(longest, bytes.length + end.bytes.length)
    return bytes
  })
  const [values, valuesEnd] = [textOf(',"values":{'), textOf('},')] as const
  const begin = new RowBegin()
  const mostNumbers = (2 + results.methods) * MAX_NUMBER_BYTES
  const fixed = 64 + (names ?? []).reduce((sum, { bytes }) => sum + bytes.length, 0)
  const usual = longest + fixed + (1 + results.methods) * USUAL_NUMBER_BYTES
  const rows = new RowBytes(places.length * usual)
  for (let i = 0; i < places.length; i++) {
    if (i % ROWS_PER_LOOK === 0) throwIfCancelled()
    const place = places[i] as number
    const rank = results.rankAt(place)
    const [head, tail] = [headOf[rank] as Uint8Array, tails[rank] as Text]
    rows.begin(head.length + tail.bytes.length + mostNumbers + fixed)
    rows.addBytes(begin.of(head, results.startAt(place)))
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

/** What a row has before its value, in ASCII. It is the same for the rows of a bucket, which follow each other. */
class RowBegin {
  #bytes = new Uint8Array(0)
  #head: Uint8Array | undefined
  #start = Number.NaN
  #text = this.#bytes

  of(head: Uint8Array, start: number): Uint8Array {
    if (start === this.#start && head === this.#head) return this.#text
    if (head !== this.#head) {
      this.#head = head
      this.#bytes = new Uint8Array(head.length + MAX_NUMBER_BYTES + VALUE.length)
      this.#bytes.set(head)
    }
    this.#start = start
    const end = writeNumber(this.#bytes, head.length, start / 1000)
    this.#bytes.set(VALUE, end)
    this.#text = this.#bytes.subarray(0, end + VALUE.length)
    return this.#text
  }
}

/** Writes rows into parts. Each part has its own memory, so that it can move to another thread. */
class RowBytes {
  readonly #parts: Uint8Array[] = []
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #characters = 0
  readonly #partBytes: number

  /** `bytes`: about as many as all rows take. */
  constructor(bytes: number) {
    this.#partBytes = Math.min(Math.max(bytes, MIN_PART_BYTES), MAX_PART_BYTES)
  }

  get characters(): number {
    return this.#characters
  }

  /** `most`: no row is longer. */
  begin(most: number): void {
    if (this.#at + 1 + most > this.#bytes.length) {
      this.#close()
      // Slow means only that it is no piece of a memory that others use, too. Nothing sets it to 0.
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(this.#partBytes, most))
    } else this.#bytes[this.#at++] = COMMA
    this.#characters++
  }

  add({ bytes, characters }: Text): void {
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
    this.#characters += characters
  }

  /** ASCII. */
  addBytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
    this.#characters += bytes.length
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
