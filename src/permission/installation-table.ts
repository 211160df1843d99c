/** Installations of one page. Ids are given out in order, so most pages are full. */
const PER_PAGE = 1024
/** Of each installation: its organization, and its neighbours in the list of that organization. */
const NUMBERS = 3
const [ORGANIZATION, NEXT, BEFORE] = [0, 1, 2] as const
type Column = typeof ORGANIZATION | typeof NEXT | typeof BEFORE

/** Which organization each installation belongs to, in 24 bytes each. Ids are positive. */
export class InstallationTable {
  readonly #pages = new Map<number, Float64Array>()
  /** The first installation of each organization. */
  readonly #first = new Map<number, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  organizationOf(id: number): number | undefined {
    return this.#get(id, ORGANIZATION) || undefined
  }

  put(id: number, organizationId: number): void {
    this.delete(id)
    const next = this.#first.get(organizationId) ?? 0
    this.#set(id, ORGANIZATION, organizationId)
    this.#set(id, NEXT, next)
    this.#set(id, BEFORE, 0)
    if (next !== 0) this.#set(next, BEFORE, id)
    this.#first.set(organizationId, id)
    this.#size++
  }

  delete(id: number): void {
    const organization = this.organizationOf(id)
    if (organization === undefined) return
    const [next, before] = [this.#get(id, NEXT), this.#get(id, BEFORE)]
    if (next !== 0) this.#set(next, BEFORE, before)
    if (before !== 0) this.#set(before, NEXT, next)
    else if (next !== 0) this.#first.set(organization, next)
    else this.#first.delete(organization)
    this.#set(id, ORGANIZATION, 0)
    this.#size--
  }

  /** By id. */
  *ids(): Generator<number> {
    for (const number of [...this.#pages.keys()].sort((a, b) => a - b)) {
      for (let id = number * PER_PAGE; id < (number + 1) * PER_PAGE; id++) {
        if (this.organizationOf(id) !== undefined) yield id
      }
    }
  }

  /** Those that have installations. */
  organizations(): Iterable<number> {
    return this.#first.keys()
  }

  *inOrganization(organizationId: number): Generator<number> {
    for (let id = this.#first.get(organizationId) ?? 0; id !== 0; id = this.#get(id, NEXT)) yield id
  }

  #get(id: number, column: Column): number {
    const page = this.#pages.get(Math.floor(id / PER_PAGE))
    return page?.[(id % PER_PAGE) * NUMBERS + column] ?? 0
  }

  #set(id: number, column: Column, value: number): void {
    const number = Math.floor(id / PER_PAGE)
    let page = this.#pages.get(number)
    if (!page) {
      page = new Float64Array(PER_PAGE * NUMBERS)
      this.#pages.set(number, page)
    }
    page[(id % PER_PAGE) * NUMBERS + column] = value
  }
}
