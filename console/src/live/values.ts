import { useSyncExternalStore } from 'react'

export type Value = { value: number; msg: string; timestamp: number; arrived: number }

/** The newest value of each topic of an installation. Those who watch are told once per frame. */
export class LiveValues {
  readonly #values = new Map<string, Value>()
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #listWatchers = new Set<() => void>()
  readonly #changed = new Set<string>()
  #topics: readonly string[] = []
  #frame: number | undefined

  /** `arrived` is 0 for values that were there before: they do not glow. */
  put(topic: string, value: Value): void {
    const before = this.#values.get(topic)
    if (before && before.timestamp > value.timestamp) return
    if (before && before.timestamp === value.timestamp && before.value === value.value) return
    this.#values.set(topic, value)
    this.#changed.add(topic)
    if (!before) this.#topics = []
    this.#frame ??= requestAnimationFrame(() => this.#tell())
  }

  #tell(): void {
    this.#frame = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    if (this.#topics.length !== this.#values.size) {
      this.#topics = [...this.#values.keys()].sort()
      for (const watcher of this.#listWatchers) watcher()
    }
    for (const topic of changed) for (const watcher of this.#watchers.get(topic) ?? []) watcher()
  }

  get(topic: string): Value | undefined {
    return this.#values.get(topic)
  }

  useTopics(): readonly string[] {
    return useSyncExternalStore(
      (watcher) => {
        this.#listWatchers.add(watcher)
        return () => this.#listWatchers.delete(watcher)
      },
      () => this.#topics
    )
  }

  useValue(topic: string): Value | undefined {
    return useSyncExternalStore(
      (watcher) => this.watch(topic, watcher),
      () => this.#values.get(topic)
    )
  }

  /** Calls `watcher` when the value changes. Returns how to stop. */
  watch(topic: string, watcher: () => void): () => void {
    const watchers = this.#watchers.get(topic) ?? new Set()
    this.#watchers.set(topic, watchers.add(watcher))
    return () => watchers.delete(watcher)
  }
}

/** [contract: MQTT] The value of a message; undefined if the platform would not store it. */
export function readValue(payload: Uint8Array, arrived: number): Value | undefined {
  try {
    const { value, msg, timestamp } = JSON.parse(new TextDecoder().decode(payload)) ?? {}
    if (typeof value !== 'number') return undefined
    const at = timestamp ?? arrived / 1000
    return typeof at === 'number' ? { value, msg: msg ?? '', timestamp: at, arrived } : undefined
  } catch {
    return undefined
  }
}
