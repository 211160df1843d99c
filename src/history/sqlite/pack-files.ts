import { join } from 'node:path'
import { PackReader } from './pack-file.ts'

/** However many files exist, a thread holds so many open. */
const MAX_OPEN = 32

/** The packed files of a directory, opened when they are read. */
export class PackFiles {
  readonly #directory: string
  readonly #readers = new Map<string, PackReader>()
  /** The one that was opened last is the last. */
  readonly #open: PackReader[] = []

  constructor(directory: string) {
    this.#directory = directory
  }

  reader(name: string): PackReader {
    let reader = this.#readers.get(name)
    if (reader === undefined) {
      reader = new PackReader(join(this.#directory, name), (opened) => this.#opened(opened))
      this.#readers.set(name, reader)
    }
    return reader
  }

  /** After this, the files can be removed. */
  forget(names: readonly string[]): void {
    for (const name of names) {
      this.#readers.get(name)?.rest()
      this.#readers.delete(name)
    }
  }

  close(): void {
    this.forget([...this.#readers.keys()])
  }

  #opened(reader: PackReader): void {
    this.#open.push(reader)
    if (this.#open.length > MAX_OPEN) this.#open.shift()?.rest()
  }
}
