import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { MAX_SAMPLES_PER_BLOCK, MAX_TEXT_PER_BLOCK } from './block.ts'
import { type Columns, PlainColumns } from './columns.ts'

type Whole = (from: number, to: number) => Iterable<Columns>
type Rest = { ids: Float64Array; texts: readonly string[] }
export type NumberStatements = { stop: StatementSync; numbers: StatementSync }

/**
 * Times and values of rows. SQLite gives them to a function, because an object for each row costs
 * four times as much. Ids and messages are read when somebody asks for them.
 */
export class RowNumbers {
  readonly #file: DatabaseSync
  readonly #times = new Float64Array(MAX_SAMPLES_PER_BLOCK)
  readonly #values = new Float64Array(MAX_SAMPLES_PER_BLOCK)
  #count = 0
  #last = Number.NEGATIVE_INFINITY
  #isSorted = true

  constructor(file: DatabaseSync) {
    this.#file = file
    file.aggregate('take_number', {
      start: 0,
      step: (count: number, time, value) => {
        if ((time as number) <= this.#last) this.#isSorted = false
        this.#last = time as number
        this.#times[count] = this.#last
        this.#values[count] = value as number
        this.#count = count + 1
        return this.#count
      }
    })
  }

  statements(table: string): NumberStatements {
    const rows = `FROM ${table} WHERE topic_id = ? AND timestamp BETWEEN ? AND ?`
    const prepare = (sql: string) => {
      const statement = this.#file.prepare(sql)
      statement.setReturnArrays(true)
      return statement
    }
    return {
      stop: prepare(
        `SELECT timestamp ${rows} ORDER BY timestamp LIMIT 1 OFFSET ${MAX_SAMPLES_PER_BLOCK}`
      ),
      numbers: prepare(`SELECT take_number(timestamp, value), sum(octet_length(msg)) ${rows}`)
    }
  }

  /**
   * The rows of a topic, some at a time. `whole` reads rows with ids and messages: those that are
   * many at one moment, are ordered by id, or have long messages.
   */
  *columnsOf(
    { stop, numbers }: NumberStatements,
    topic_id: number,
    { from, to }: { from: number; to: number },
    whole: Whole
  ): Generator<Columns> {
    for (let first = from; first <= to; ) {
      const [next = to + 1] = (stop.get(topic_id, first, to) ?? []) as unknown as [number?]
      const last = Math.max(first, next - 1)
      const columns =
        next > first ? this.#read(numbers, topic_id, { from: first, to: last }, whole) : undefined
      if (columns === undefined) yield* whole(first, last)
      else if (columns.count > 0) yield columns
      first = last + 1
    }
  }

  /** Undefined when numbers alone do not do. */
  #read(
    numbers: StatementSync,
    topic_id: number,
    { from, to }: { from: number; to: number },
    whole: Whole
  ): Columns | undefined {
    this.#count = 0
    this.#last = Number.NEGATIVE_INFINITY
    this.#isSorted = true
    const [, textBytes] = numbers.get(topic_id, from, to) as unknown as [number, number | null]
    if (!this.#isSorted || (textBytes ?? 0) > MAX_TEXT_PER_BLOCK) return undefined
    const times = this.#times.slice(0, this.#count)
    const values = this.#values.slice(0, this.#count)
    return new NumberColumns(times, values, () => joined(whole(from, to)))
  }
}

/** Their messages are short together, so they come in one piece or in two. */
function joined(parts: Iterable<Columns>): Rest {
  const ids: number[] = []
  const texts: string[] = []
  for (const part of parts) {
    const some = part.texts()
    ids.push(...part.ids())
    for (let i = 0; i < part.count; i++) texts.push(some?.[i] ?? '')
  }
  return { ids: Float64Array.from(ids), texts }
}

class NumberColumns extends PlainColumns {
  readonly #readRest: () => Rest
  #rest: Rest | undefined

  constructor(times: Float64Array, values: Float64Array, readRest: () => Rest) {
    super(times, values, NO_IDS, undefined)
    this.#readRest = readRest
  }

  override get textBytes(): number {
    return this.texts().reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  }

  override ids(): Float64Array {
    this.#rest ??= this.#readRest()
    return this.#rest.ids
  }

  override texts(): readonly string[] {
    this.#rest ??= this.#readRest()
    return this.#rest.texts
  }
}

const NO_IDS = new Float64Array(0)
