import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncPathNow } from '../../lib/sync-path.ts'
import { endOfMonth, startOfMonth, type UnixMs } from '../../lib/unix-time.ts'
import { Block, MAX_SAMPLES_PER_BLOCK, MAX_TEXT_PER_BLOCK, packBlock } from './block.ts'
import { BlockBuilder } from './block-builder.ts'
import type { Columns, Slice } from './columns.ts'
import type { Pack } from './pack.ts'
import { PackWriter } from './pack-file.ts'

/**
 * Writes a file for each of these months, unless it has no samples. When it returns, the files
 * survive a crash. On an error none of them is left.
 */
export function writePacks(
  directory: string,
  months: readonly string[],
  fill: (files: NewPack[]) => void
): Pack[] {
  const files: NewPack[] = []
  try {
    for (const month of months) files.push(new NewPack(directory, month))
    fill(files)
    const packs = files.flatMap((file) => file.finish() ?? [])
    syncPathNow(directory)
    return packs
  } catch (error) {
    for (const file of files) file.remove()
    throw error
  }
}

/** A packed file of a month that is being written. */
export class NewPack {
  readonly #month: string
  readonly #from: UnixMs
  readonly #to: UnixMs
  readonly #name: string
  readonly #path: string
  readonly #writer: PackWriter
  readonly #builder = new BlockBuilder((columns) => this.#end(columns))
  #topic_id = 0
  #isOpen = true

  constructor(directory: string, month: string) {
    this.#month = month
    this.#from = startOfMonth(month)
    this.#to = endOfMonth(month)
    this.#name = `${month}-${randomUUID()}.pack`
    this.#path = join(directory, this.#name)
    this.#writer = new PackWriter(this.#path)
  }

  has(time: number): boolean {
    return time >= this.#from && time < this.#to
  }

  add(topic_id: number, time: number, value: number, msg: string, id: number): void {
    this.#begin(topic_id)
    this.#builder.add(time, value, msg, id)
  }

  addAll(topic_id: number, slices: Iterable<Slice>): void {
    this.#begin(topic_id)
    for (const slice of slices) {
      const { columns, begin, end } = slice
      const isWhole = begin === 0 && end === columns.count
      const isLarge =
        columns.count > MAX_SAMPLES_PER_BLOCK / 2 || columns.textBytes > MAX_TEXT_PER_BLOCK / 2
      // Packing it again would save little.
      if (isWhole && isLarge && columns instanceof Block) this.copy(topic_id, columns)
      else this.#builder.addSlice(slice)
    }
  }

  /** A block as it is. */
  copy(topic_id: number, block: Block): void {
    this.#builder.end()
    this.#topic_id = topic_id
    this.#writer.copy(topic_id, block, block.copy())
  }

  /** Undefined when there are no samples. */
  finish(): Pack | undefined {
    this.#builder.end()
    if (this.#writer.samples === 0) {
      this.remove()
      return undefined
    }
    this.#isOpen = false
    return { name: this.#name, month: this.#month, ...this.#writer.finish() }
  }

  remove(): void {
    if (this.#isOpen) this.#writer.close()
    this.#isOpen = false
    rmSync(this.#path, { force: true })
  }

  #begin(topic_id: number): void {
    if (topic_id !== this.#topic_id) this.#builder.end()
    this.#topic_id = topic_id
  }

  #end(columns: Columns): void {
    this.#writer.add(this.#topic_id, columns, packBlock(columns))
  }
}
