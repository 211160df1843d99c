/** Something that is due at a time. `place` belongs to the list. */
export type Due = { dueAt: number; place: number }

/** Not in the list. */
export const NOWHERE = -1

/** Finds what is due first, in a few steps even among millions. A heap. */
export class DueTimes<T extends Due> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  /** Adds the item, or moves it if it is there. */
  put(item: T, dueAt: number): void {
    const before = item.dueAt
    item.dueAt = dueAt
    if (item.place === NOWHERE) {
      item.place = this.#items.push(item) - 1
      this.#rise(item)
    } else if (dueAt < before) this.#rise(item)
    else this.#sink(item)
  }

  remove(item: T): void {
    const { place } = item
    if (place === NOWHERE) return
    item.place = NOWHERE
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#set(last, place)
    this.#rise(last)
    this.#sink(last)
  }

  #set(item: T, place: number): void {
    this.#items[place] = item
    item.place = place
  }

  #rise(item: T): void {
    let { place } = item
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#items[above] as T
      if (parent.dueAt <= item.dueAt) break
      this.#set(parent, place)
      place = above
    }
    this.#set(item, place)
  }

  #sink(item: T): void {
    let { place } = item
    for (;;) {
      let below = 2 * place + 1
      const [left, right] = [this.#items[below], this.#items[below + 1]]
      if (left === undefined) break
      if (right !== undefined && right.dueAt < left.dueAt) below++
      const child = this.#items[below] as T
      if (child.dueAt >= item.dueAt) break
      this.#set(child, place)
      place = below
    }
    this.#set(item, place)
  }
}
