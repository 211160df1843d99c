import type { HeardMessage, Hearer } from './bus.ts'

/** Those who wait for messages on a topic. */
export class Hearers {
  readonly #byTopic = new Map<string, Set<Hearer>>()

  get isEmpty(): boolean {
    return this.#byTopic.size === 0
  }

  get topics(): string[] {
    return [...this.#byTopic.keys()]
  }

  has(topic: string): boolean {
    return this.#byTopic.has(topic)
  }

  add(topic: string, hearer: Hearer): void {
    const hearers = this.#byTopic.get(topic)
    if (hearers) hearers.add(hearer)
    else this.#byTopic.set(topic, new Set([hearer]))
  }

  remove(topic: string, hearer: Hearer): void {
    const hearers = this.#byTopic.get(topic)
    hearers?.delete(hearer)
    if (hearers?.size === 0) this.#byTopic.delete(topic)
  }

  tell(topic: string, message: HeardMessage): void {
    for (const hearer of this.#byTopic.get(topic) ?? []) if (hearer(message)) return
  }
}
