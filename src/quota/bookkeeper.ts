import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { History } from '../history/history.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import type { Claims } from '../registry/claims.ts'
import type { Registry } from '../registry/tables.ts'
import type { Account, UnwrittenCharges } from './account.ts'
import type { Accounts } from './accounts.ts'
import type { Meter } from './meter.ts'
import {
  addUsage,
  confirmUsage,
  hasUsage,
  type MonthBytes,
  raiseMonths,
  readUsage,
  type UsageRow
} from './usage.ts'

type Parts = {
  registry: Registry
  history: History
  accounts: Accounts
  meter: Meter
  claims: Claims
  hasRoom: () => boolean
  clock: Clock
  log: FastifyBaseLogger
}

const FLUSH_EVERY_MS = 5 * SECOND
/** The registry has other work too, however many owners there are. */
const OWNERS_PER_TRANSACTION = 200
const OWNERS_PER_ROUND = 2000
/** Rows of other nodes may become visible later than their `updated` time. */
const OVERLAP_MS = MINUTE

/** Writes charges to the registry, and reads what other nodes have charged. [ADR-0037] */
export class Bookkeeper {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #counting: Promise<void> | undefined
  #areTopicsCounted = false
  #isStopping = false
  /** The `updated` time of the newest row that was read. */
  #read = 0

  /** Reads what is used before anybody asks. */
  static async open(parts: Parts): Promise<Bookkeeper> {
    const bookkeeper = new Bookkeeper(parts)
    await bookkeeper.#readBack()
    return bookkeeper
  }

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    const work = () => this.flush(OWNERS_PER_ROUND).catch((err) => this.#tell(err))
    this.#timer = setInterval(work, FLUSH_EVERY_MS)
    void work()
    this.#counting = this.#countHistory().catch((err) => this.#tell(err))
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await this.#counting
    await this.#working?.catch(() => {})
    await this.flush(Number.POSITIVE_INFINITY)
  }

  /** Writes at most so many owners. What could not be written is written the next time. */
  flush(most: number): Promise<void> {
    this.#working ??= this.#flush(most).finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #flush(most: number): Promise<void> {
    const { meter, hasRoom } = this.#parts
    if (!hasRoom()) return
    for (let left = most; left > 0; left -= OWNERS_PER_TRANSACTION) {
      const accounts = meter.takeChanged(Math.min(OWNERS_PER_TRANSACTION, left))
      if (accounts.length === 0) break
      await this.#write(accounts)
      await this.#countNewTopics(accounts)
      await nextTurn()
    }
    await this.#readBack()
    if (!this.#areTopicsCounted && !this.#isStopping) await this.#countTopics()
  }

  /** Once after the start, when history answers. */
  async #countTopics(): Promise<void> {
    const { accounts } = this.#parts
    for await (const _ of accounts.countAllTopics()) if (this.#isStopping) return
    this.#areTopicsCounted = true
  }

  /** While history does not answer, the number of topics stays as it was counted last. */
  async #countNewTopics(accounts: readonly Account[]): Promise<void> {
    const ids = accounts
      .filter(({ kind, unsureTopics }) => kind === 'installation' && unsureTopics > 0)
      .map(({ id }) => id)
    if (ids.length > 0) await this.#parts.accounts.countTopics(ids).catch(() => {})
  }

  async #write(accounts: readonly Account[]): Promise<void> {
    const { registry, meter } = this.#parts
    const taken = accounts.map((account) => ({ account, charges: account.takeCharges() }))
    const months = taken.flatMap(({ account, charges }) => monthsOf(account, charges))
    const rows = taken.map(({ account: { kind, id }, charges }) => ({
      ...{ kind, id, day: charges.day, day_bytes: charges.dayBytes },
      ...{ bytes: sum(charges.months.values()), messages: charges.messages }
    }))
    try {
      await addUsage(registry, rows, months)
    } catch (error) {
      for (const { account, charges } of taken) {
        account.giveBack(charges)
        meter.changed(account)
      }
      throw error
    }
  }

  async #readBack(): Promise<void> {
    const rows = await readUsage(this.#parts.registry, this.#read - OVERLAP_MS)
    for (const row of rows) {
      this.#read = Math.max(this.#read, row.updated)
      this.#post(row)
    }
  }

  #post({ kind, id, day, day_bytes, bytes, messages }: UsageRow): void {
    const { accounts, clock } = this.#parts
    const account = accounts.find({ kind, id })
    account?.readDay(day, day_bytes)
    account?.readMessages(messages, clock())
    const place = kind === 'installation' ? accounts.findPlace(id) : undefined
    if (!place) return
    const change = bytes + place.own.newBytes - place.own.bytes
    for (const payer of place.payers) payer.bytes += change
  }

  /**
   * Runs once, for a history from before usage was counted. If it is interrupted, the next start
   * begins again.
   */
  async #countHistory(): Promise<void> {
    const { registry, history, claims, log } = this.#parts
    if ((await hasUsage(registry)) || !(await claims.take('usage'))) return
    const { months } = await history.sizes()
    for (const { name: month } of months) {
      for await (const part of history.bytesOf(month)) {
        if (this.#isStopping) return
        const rows = part.map((row) => ({ ...row, month }))
        if (rows.length > 0) await raiseMonths(registry, rows)
      }
    }
    await confirmUsage(registry)
    await claims.release('usage')
    if (months.length > 0) log.info({ months: months.length }, 'the bytes of history are counted')
  }

  #tell(err: unknown): void {
    this.#parts.log.error({ err }, 'the usage could not be written to the registry')
  }
}

const monthsOf = ({ id }: Account, { months }: UnwrittenCharges): MonthBytes[] =>
  [...months].map(([month, bytes]) => ({ installation_id: id, month, bytes }))

const sum = (values: Iterable<number>): number => {
  let all = 0
  for (const value of values) all += value
  return all
}
