import { ownText } from '../../lib/own-text.ts'
import type { Sample } from '../../lib/sample.ts'
import type { Held } from '../history.ts'

const MAX_BYTES = 16 * 1024 * 1024

/** The newest long messages, because most of them are not in history yet. */
export class LongMessages {
  /** By topic, oldest first. */
  readonly #kept = new Map<string, { id: number; msg: string }>()
  #bytes = 0

  keep({ topic, id, msg }: Sample): void {
    this.#forget(topic)
    this.#kept.set(topic, { id, msg: ownText(msg) })
    this.#bytes += bytesOf(msg)
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MAX_BYTES) break
      this.#forget(oldest)
    }
  }

  find({ topic, id }: Held): string | undefined {
    const kept = this.#kept.get(topic)
    return kept?.id === id ? kept.msg : undefined
  }

  #forget(topic: string): void {
    const kept = this.#kept.get(topic)
    if (!kept) return
    this.#kept.delete(topic)
    this.#bytes -= bytesOf(kept.msg)
  }
}

/** A character takes at most two bytes. */
const bytesOf = (msg: string): number => 2 * msg.length
