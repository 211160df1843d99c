import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { Seldom } from '../../lib/seldom.ts'
import { TopicTree } from '../../lib/topic-tree.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type { Registry } from '../../registry/tables.ts'
import { addBlacklistCounts, listBlacklist } from './entries.ts'
import type { BlacklistMode } from './tables.ts'

type Entry = { id: number; mode: BlacklistMode }

const FLUSH_EVERY_MS = 5 * SECOND
/** An entry gets at most one ledger line in this time; its count has all messages. */
const NOTE_EVERY_MS = 10 * SECOND

/**
 * The topic blacklist in memory. Every message is checked; without entries this is one comparison.
 */
export class Blacklist {
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #counted = new Map<number, number>()
  readonly #notes = new Seldom(NOTE_EVERY_MS)
  #tree = new TopicTree<Entry>()
  #isEmpty = true
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined

  static async open(registry: Registry, clock: Clock): Promise<Blacklist> {
    const blacklist = new Blacklist(registry, clock)
    await blacklist.reload()
    return blacklist
  }

  private constructor(registry: Registry, clock: Clock) {
    this.#registry = registry
    this.#clock = clock
  }

  /** Whether clients may not publish on the topic. */
  blocks(topic: string): boolean {
    return !this.#isEmpty && this.#tree.match(topic).some(({ mode }) => mode === 'block')
  }

  /** Whether samples on the topic are not stored, whoever published them. */
  keepsOut(topic: string): boolean {
    return !this.#isEmpty && this.#tree.match(topic).length > 0
  }

  /** Counts a refused message; true if the ledger should show it. */
  count(topic: string): boolean {
    const now = this.#clock()
    let isNews = false
    for (const { id } of this.#tree.match(topic)) {
      this.#counted.set(id, (this.#counted.get(id) ?? 0) + 1)
      if (this.#notes.isDue(String(id), now)) isNews = true
    }
    return isNews
  }

  /** Messages that this node has counted and not yet added to the registry. */
  counted(id: number): number {
    return this.#counted.get(id) ?? 0
  }

  async reload(): Promise<void> {
    const entries = (await listBlacklist(this.#registry)).filter(({ enabled }) => enabled)
    const tree = new TopicTree<Entry>()
    for (const { id, mode, topic } of entries) tree.add(topic, { id, mode })
    this.#tree = tree
    this.#isEmpty = entries.length === 0
  }

  start(log: Pick<FastifyBaseLogger, 'error'>): void {
    const flush = () =>
      this.flush().catch((err) =>
        log.error({ err }, 'the blacklist counts could not be stored yet')
      )
    this.#timer = setInterval(flush, FLUSH_EVERY_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#flushing
    await this.flush()
  }

  /** Adds the counts to the registry. Counts that could not be added are added the next time. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  async #flush(): Promise<void> {
    if (this.#counted.size === 0) return
    const counts = new Map(this.#counted)
    await addBlacklistCounts(this.#registry, counts)
    for (const [id, count] of counts) {
      const rest = this.counted(id) - count
      if (rest > 0) this.#counted.set(id, rest)
      else this.#counted.delete(id)
    }
  }
}
