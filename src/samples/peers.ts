import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Claims } from '../registry/claims.ts'

/** The bus of a broker that all nodes share. */
export type SharedBus = Bus & {
  /**
   * Only this platform publishes and listens under this topic. No filter of a device matches it.
   */
  readonly ownTopics: string
  listen(filter: string, handler: (topic: string, payload: Buffer) => void): void
}

type Parts = {
  bus: SharedBus
  claims: Claims
  log: FastifyBaseLogger
  /** The id of this node, which its data directory keeps. */
  node: string
  /** Moves to history what this node has acknowledged. */
  settle: () => Promise<void>
}

type Question = { asker: string; number: number; task: { step: 'settle' } }

/** How long to wait for nodes that do not answer, because they have just stopped. */
const ANSWER_LIMIT_MS = 5 * SECOND

/** [ADR-0047] Before values are deleted, all nodes move what they have acknowledged to history. */
export class Peers {
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  readonly #ask: string
  readonly #done: string
  /** The nodes that have settled, by the number of the question. */
  readonly #doneBy = new Map<number, Set<string>>()
  #questions = 0

  constructor(parts: Parts) {
    const { ownTopics } = parts.bus
    this.#parts = parts
    this.#ask = `${ownTopics}/ask`
    this.#done = `${ownTopics}/done/${parts.node}`
  }

  start(): void {
    const { bus } = this.#parts
    const hear = (topic: string, payload: Buffer) => this.#hear(topic, payload.toString())
    for (const filter of [this.#ask, this.#done]) bus.listen(filter, hear)
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** True when all other nodes have settled, false if one does not answer. */
  async settleAll(): Promise<boolean> {
    const { bus, claims, node } = this.#parts
    if ((await claims.nodes()) === 1) return true
    const number = ++this.#questions
    const done = new Set<string>()
    this.#doneBy.set(number, done)
    try {
      const question: Question = { asker: node, number, task: { step: 'settle' } }
      await bus.publish(this.#ask, JSON.stringify(question), { qos: 1 })
      return await this.#isAnswered(done)
    } finally {
      this.#doneBy.delete(number)
    }
  }

  #hear(topic: string, text: string): void {
    if (topic === this.#ask) {
      void this.#settle(text)
      return
    }
    const [number, by = ''] = text.split(' ')
    this.#doneBy.get(Number(number))?.add(by)
  }

  /** A node that cannot do it does not answer. */
  async #settle(text: string): Promise<void> {
    const { bus, node, settle, log } = this.#parts
    try {
      const { asker, number }: Question = JSON.parse(text)
      if (asker === node) return
      await settle()
      await bus.publish(`${bus.ownTopics}/done/${asker}`, `${number} ${node}`, { qos: 1 })
    } catch (err) {
      log.warn({ err }, 'what another node asked for could not be done')
    }
  }

  async #isAnswered(answers: ReadonlySet<string>): Promise<boolean> {
    const { signal } = this.#stopping
    const end = performance.now() + ANSWER_LIMIT_MS
    while (answers.size + 1 < ((await this.#parts.claims.nodes()) ?? Number.POSITIVE_INFINITY)) {
      if (performance.now() >= end) return false
      await wait(SECOND / 20, undefined, { signal })
    }
    return true
  }
}
