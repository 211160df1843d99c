/** `lost`: what cannot be read any more because of it. */
export type Finding = { file: string; fault: string; lost?: string }

/** More are counted but not kept. */
const MAX_FINDINGS = 1000

/** What is wrong, one finding for each file. */
export class Findings {
  readonly #all = new Map<string, Finding>()
  #more = 0

  /** The first fault of a file is kept, and the first text about what is lost. */
  add(file: string, fault: string, lost?: string): void {
    const known = this.#all.get(file)
    if (known) {
      if (lost !== undefined) known.lost ??= lost
    } else if (this.#all.size < MAX_FINDINGS) {
      this.#all.set(file, { file, fault, ...(lost !== undefined && { lost }) })
    } else this.#more++
  }

  has(file: string): boolean {
    return this.#all.has(file)
  }

  get list(): Finding[] {
    return [...this.#all.values()]
  }

  get count(): number {
    return this.#all.size + this.#more
  }
}
