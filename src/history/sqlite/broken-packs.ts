import { unixMs } from '../../lib/unix-time.ts'
import type { BrokenFile } from '../files.ts'
import type { Pack, Swap } from './pack.ts'

/** As `DamagedPack` says it. Errors from threads have only their message. */
const DAMAGE = /([^/\\]+)\.pack is damaged: (.*); restore this file/s
/** The name is the month and a UUID. */
const UUID_CHARACTERS = 37

/** The packed files in use that are known to be broken. Each one is told once. */
export class BrokenPacks {
  readonly #files = new Map<string, BrokenFile>()
  readonly #find: (name: string) => Promise<Pack | undefined>
  readonly #told: (file: BrokenFile) => void

  constructor(find: (name: string) => Promise<Pack | undefined>, told: (file: BrokenFile) => void) {
    this.#find = find
    this.#told = told
  }

  get list(): readonly BrokenFile[] {
    return [...this.#files.values()]
  }

  has(name: string): boolean {
    return this.#files.has(name)
  }

  add(file: BrokenFile): void {
    this.#files.set(file.name, file)
    this.#told(file)
  }

  /** An error of a thread that may be about a broken file. */
  note({ message }: Error): void {
    const [, stem = '', reason = ''] = DAMAGE.exec(message) ?? []
    const name = `${stem}.pack`
    if (stem === '' || this.#files.has(name)) return
    const [month, never] = [stem.slice(0, -UUID_CHARACTERS), unixMs(0)]
    this.#files.set(name, { name, month, samples: 0, first: never, last: never, reason })
    this.#find(name).then(
      (pack) => {
        if (!this.#files.has(name)) return
        // Another file may have taken its place while it was read.
        if (pack) this.add(brokenFile(pack, reason))
        else this.#files.delete(name)
      },
      () => {}
    )
  }

  /** A file that was copied has the damage of the old one, unless that was set aside. */
  replace({ add, remove, setAside }: Swap): void {
    const before = remove.map((name) => this.#files.get(name)).find((file) => file !== undefined)
    this.forget(remove)
    if (!before || setAside) return
    for (const pack of add) this.#files.set(pack.name, brokenFile(pack, before.reason))
  }

  forget(names: readonly string[]): void {
    for (const name of names) this.#files.delete(name)
  }
}

export const brokenFile = (
  { name, month, samples, first, last }: Pack,
  reason: string
): BrokenFile => ({ name, month, samples, first: unixMs(first), last: unixMs(last), reason })
