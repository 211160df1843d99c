import type { FastifyBaseLogger } from 'fastify'
import { TopicTree } from '../bus/topic-tree.ts'
import type { Clock } from '../lib/clock.ts'
import { SECOND } from '../lib/unix-time.ts'
import { addBlacklistCounts, listBlacklist } from '../registry/blacklist.ts'
import type { BlacklistMode, Registry } from '../registry/tables.ts'

type Entry = { id: number; mode: BlacklistMode }

const FLUSH_EVERY = 5 * SECOND
/** How often the same entry is worth a line in the ledger: its count tells the rest. */
const NOTE_EVERY = 10 * SECOND

/** The topic blacklist in memory, asked for each message: without entries it costs one comparison. */
export class Blacklist {
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #counted = new Map<number, number>()
  readonly #noted = new Map<number, number>()
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

  /** No client may publish on it. */
  blocks(topic: string): boolean {
    return !this.#isEmpty && this.#tree.match(topic).some(({ mode }) => mode === 'block')
  }

  /** Nothing on it is stored, wherever it comes from. */
  keepsOut(topic: string): boolean {
    return !this.#isEmpty && this.#tree.match(topic).length > 0
  }

  /** One more message that was refused; true when the ledger should show it. */
  count(topic: string): boolean {
    const now = this.#clock()
    let isNews = false
    for (const { id } of this.#tree.match(topic)) {
      this.#counted.set(id, (this.#counted.get(id) ?? 0) + 1)
      if ((this.#noted.get(id) ?? 0) + NOTE_EVERY > now) continue
      this.#noted.set(id, now)
      isNews = true
    }
    return isNews
  }

  /** What this node has counted and not yet added to the registry. */
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
      this.flush().catch((err) => log.error({ err }, 'the counts of the blacklist wait'))
    this.#timer = setInterval(flush, FLUSH_EVERY)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#flushing
    await this.flush()
  }

  /** Never one write for a message; what could not be added is added the next time. */
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
