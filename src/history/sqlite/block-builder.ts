import { MAX_SAMPLES_PER_BLOCK, MAX_TEXT_PER_BLOCK } from './block.ts'
import { type Columns, PlainColumns, type Slice } from './columns.ts'

/** Collects the samples of a topic, in order, into blocks of the right size. */
export class BlockBuilder {
  readonly #take: (columns: Columns) => void
  #times = new Float64Array(MAX_SAMPLES_PER_BLOCK)
  #values = new Float64Array(MAX_SAMPLES_PER_BLOCK)
  #ids = new Float64Array(MAX_SAMPLES_PER_BLOCK)
  #texts: string[] | undefined
  #textLength = 0
  #count = 0

  /** `take` gets each block. */
  constructor(take: (columns: Columns) => void) {
    this.#take = take
  }

  add(time: number, value: number, msg: string, id: number): void {
    const at = this.#count++
    this.#times[at] = time
    this.#values[at] = value
    this.#ids[at] = id
    if (msg !== '' && this.#texts === undefined) this.#texts = Array(at).fill('')
    this.#texts?.push(msg)
    this.#textLength += msg.length
    if (this.#count === MAX_SAMPLES_PER_BLOCK || this.#textLength >= MAX_TEXT_PER_BLOCK) this.end()
  }

  addSlice({ columns, begin, end }: Slice): void {
    const [times, values, ids] = [columns.times(), columns.values(), columns.ids()]
    const texts = columns.texts()
    for (let i = begin; i < end; i++)
      this.add(times[i] as number, values[i] as number, texts?.[i] ?? '', ids[i] as number)
  }

  /** Ends a block, even a small one. */
  end(): void {
    if (this.#count === 0) return
    const [times, values, ids] = [this.#times, this.#values, this.#ids].map((column) =>
      column.slice(0, this.#count)
    ) as [Float64Array, Float64Array, Float64Array]
    const columns = new PlainColumns(times, values, ids, this.#texts)
    this.#count = 0
    this.#texts = undefined
    this.#textLength = 0
    this.#take(columns)
  }
}
