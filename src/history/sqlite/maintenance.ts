import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { moveFile } from '../../lib/move-file.ts'
import type { Outage } from '../../lib/outage.ts'
import { isDamaged, isDiskFull } from '../../lib/storage-fault.ts'
import {
  endOfMonth,
  MINUTE,
  monthOf,
  SECOND,
  startOfMonth,
  type UnixMs,
  unixMs
} from '../../lib/unix-time.ts'
import type { Damage } from '../files.ts'
import type { MonthSize, RemovalQuery } from '../history.ts'
import type { BrokenPacks } from './broken-packs.ts'
import { nextMerge } from './merge-plan.ts'
import type { Pack, Removal, Swap } from './pack.ts'
import type { SqlitePacker } from './packer.ts'
import type { WorkerLane } from './worker-lane.ts'
import type { SqliteWriter } from './writer.ts'

/** Rows are packed when nothing was written for so long, or at the latest at this age or number. */
const PAUSE_MS = MINUTE
const MAX_AGE_MS = 10 * MINUTE
const MAX_ROWS = 500_000
const CHECK_MS = 15 * SECOND

const ALL_TIMES = { from: unixMs(0), to: unixMs(Number.MAX_SAFE_INTEGER) }

type Lanes = {
  writer: WorkerLane<SqliteWriter>
  /** Started when it is needed. */
  packer: () => WorkerLane<SqlitePacker>
  /** Ends the thread of the packer, which gives back the memory of its work. */
  restPacker: () => Promise<void>
  /** Tells all threads that read to close these files, and waits until they have. */
  forget: (names: readonly string[]) => Promise<unknown>
}
export type MaintenanceOptions = {
  directory: string
  /** Where broken files go. */
  quarantine: string
  clock: Clock
  broken: BrokenPacks
  /** Told whether packing works. It is tried again and again. */
  outage: Pick<Outage, 'failed' | 'worked'>
}

/**
 * Packs rows that have settled, merges packed files, and removes samples. One thing after another,
 * so that no two of them work on the same files.
 */
export class Maintenance {
  readonly #lanes: Lanes
  readonly #options: MaintenanceOptions
  readonly #timer: NodeJS.Timeout
  readonly #closing = new AbortController()
  #last: Promise<unknown> = Promise.resolve()
  #isWaiting = false
  #rows = 0
  /** Of the rows that are not packed. Those of an earlier start count from now on. */
  #oldestWrite: UnixMs
  #newestWrite: UnixMs
  #erasing: { installations: number[]; done: Promise<void> } | undefined

  constructor(lanes: Lanes, options: MaintenanceOptions) {
    this.#lanes = lanes
    this.#options = options
    this.#oldestWrite = options.clock()
    this.#newestWrite = options.clock()
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  /** Tells that so many rows were written. */
  wrote(rows: number): void {
    const now = this.#options.clock()
    if (this.#rows === 0) this.#oldestWrite = now
    this.#newestWrite = now
    this.#rows += rows
    if (this.#rows >= MAX_ROWS) this.#check()
  }

  /** Packs everything that is stored now. */
  packAll(): Promise<void> {
    return this.#inTurn(() => this.#pack(true))
  }

  /** Several installations that are erased at about the same time are erased together. */
  erase(installation_id: number): Promise<void> {
    if (this.#erasing === undefined) {
      const installations: number[] = []
      const done = this.#inTurn(() => {
        this.#erasing = undefined
        return this.#erase(installations)
      })
      this.#erasing = { installations, done }
    }
    this.#erasing.installations.push(installation_id)
    return this.#erasing.done
  }

  /** Answers how many samples were removed. */
  remove(query: RemovalQuery): Promise<number> {
    return this.#inTurn(() => this.#removeSome(query))
  }

  dropBefore(moment: UnixMs): Promise<MonthSize[]> {
    return this.#inTurn(() => this.#dropBefore(moment))
  }

  /** While the work runs, no samples are packed, removed or dropped. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work)
  }

  /** Removes files that an unfinished piece of work left behind. */
  begin(): Promise<void> {
    return this.#inTurn(async () => {
      const packs = await this.#packs()
      const known = new Set(packs.map(({ name }) => name))
      const entries = await readdir(this.#options.directory)
      const unknown = entries.filter((entry) => entry.endsWith('.pack') && !known.has(entry))
      const quarantined = await this.#lanes.writer.call('quarantined', [])
      const isQuarantined = new Set(quarantined.map(({ name }) => name))
      for (const name of unknown) if (isQuarantined.has(name)) await this.#moveAway(name)
      await this.#unlink(unknown.filter((name) => !isQuarantined.has(name)))
    })
  }

  /** Reads a whole file. Undefined when it is whole, or no longer in use. */
  inspect(name: string): Promise<Damage | undefined> {
    return this.#inTurn(async () => {
      const pack = (await this.#packs()).find((one) => one.name === name)
      const damage = pack && (await this.#packer('inspect', [pack]))
      // It may have been put back from a backup, while threads still hold the broken one.
      if (!damage && this.#options.broken.has(name)) await this.#lanes.forget([name])
      return damage
    })
  }

  /** Keeps what is whole of a broken file, and moves the file away. Undefined as above. */
  quarantine(name: string): Promise<Damage | undefined> {
    return this.#inTurn(async () => {
      const pack = (await this.#packs()).find((one) => one.name === name)
      const found = pack && (await this.#packer('salvage', [pack]))
      if (!found) return undefined
      const { add, damage, topics } = found
      const setAside = { damage, topics, at: this.#options.clock() }
      await this.#swap({ add, remove: [name], setAside })
      return damage
    })
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('History is closed'))
    clearInterval(this.#timer)
    await this.#last.catch(() => {})
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      this.#closing.signal.throwIfAborted()
      return work()
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  #check(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    const { outage } = this.#options
    this.#inTurn(() => this.#pack(false).finally(this.#lanes.restPacker))
      .then(
        () => outage.worked(),
        (error) => {
          if (!this.#closing.signal.aborted) outage.failed(error)
        }
      )
      .finally(() => {
        this.#isWaiting = false
      })
  }

  async #pack(isForced: boolean): Promise<void> {
    const now = this.#options.clock()
    const isDue =
      this.#rows >= MAX_ROWS ||
      now - this.#newestWrite >= PAUSE_MS ||
      now - this.#oldestWrite >= MAX_AGE_MS
    const frozen = () => this.#lanes.writer.call('frozen', [])
    await this.#packRows(await (isForced || isDue ? this.#freeze() : frozen()))
    await this.#mergeFiles()
  }

  #freeze(): Promise<string[]> {
    this.#rows = 0
    return this.#lanes.writer.call('freeze', [])
  }

  /** Packs these tables, but drops months that ended before a moment. */
  async #packRows(tables: readonly string[], moment = unixMs(0)): Promise<void> {
    if (tables.length === 0) return
    const all = await this.#lanes.writer.call('rowMonths', [])
    for (const table of tables) {
      const months = all
        .filter(({ name, month }) => name === table && endOfMonth(month) > moment)
        .map(({ month }) => month)
      const from = startOfMonth(monthOf(moment))
      const add = await this.#packer('packRows', [table, months, from])
      await this.#swap({ add, remove: [], dropRows: table })
      await this.#giveSpaceBack()
    }
  }

  async #mergeFiles(): Promise<void> {
    for (;;) {
      const { broken } = this.#options
      const packs = (await this.#packs()).filter(({ name }) => !broken.has(name))
      const merge = nextMerge(packs, this.#options.clock())
      if (merge === undefined) return
      try {
        const add = await this.#packer('merge', [merge.names, merge.month])
        await this.#swap({ add, remove: merge.names })
      } catch (error) {
        // A file that is broken is left out from now on.
        if (!merge.names.some((name) => broken.has(name))) throw error
      }
    }
  }

  async #erase(installations: readonly number[]): Promise<void> {
    const topic_ids = await this.#lanes.writer.call('topicsOf', [installations])
    await this.#remove({ topic_ids, ...ALL_TIMES })
    await this.#lanes.writer.call('forgetTopics', [topic_ids])
    await this.#giveSpaceBack()
  }

  async #removeSome({ keepsLatest = false, ...query }: RemovalQuery): Promise<number> {
    const { writer } = this.#lanes
    const found = await this.#packer('survey', [query])
    const topic_ids = found.map(({ topic_id }) => topic_id)
    // First, so that a latest value that was removed is never left after a crash.
    if (!keepsLatest) await writer.call('replaceLatest', [query, found])
    await this.#remove({ ...query, topic_ids })
    if (!keepsLatest) {
      const left = await this.#packer('survey', [query])
      await writer.call('replaceLatest', [query, left.filter(({ count }) => count === 0)])
      await writer.call('forgetEmptyTopics', [topic_ids])
    }
    return found.reduce((sum, { count }) => sum + count, 0)
  }

  async #remove(removed: Removal): Promise<void> {
    const { topic_ids, from, to } = removed
    if (topic_ids.length === 0) return
    // In parts, so that new samples can be stored in between.
    while (await this.#lanes.writer.call('eraseRows', [topic_ids, from, to]));
    let damage: unknown
    for (const { name, month, first, last } of await this.#packs()) {
      if (first > to || last < from) continue
      try {
        const add = await this.#packer('without', [name, month, removed])
        if (add) await this.#swap({ add, remove: [name] })
      } catch (error) {
        if (!isDamaged(error)) throw error
        // The other files are done. Nobody can say what is in this one, so nothing is over.
        damage ??= error
      }
    }
    await this.#giveSpaceBack()
    if (damage) throw damage
  }

  async #dropBefore(moment: UnixMs): Promise<MonthSize[]> {
    const { writer } = this.#lanes
    const isPast = (month: string) => endOfMonth(month) <= moment
    await writer.call('forgetQuarantined', [monthOf(unixMs(startOfMonth(monthOf(moment)) - 1))])
    const { months } = await writer.call('sizes', [])
    const dropped = months.filter(({ name }) => isPast(name))
    if (dropped.length === 0) return []
    const past = (await this.#packs()).filter(({ month }) => isPast(month))
    await this.#swap({ add: [], remove: past.map(({ name }) => name) })
    // Rows of other months that are in the same tables are packed.
    const rows = (await writer.call('rowMonths', [])).filter(({ month }) => isPast(month))
    const touched = new Set(rows.map(({ name }) => name))
    if (touched.size > 0) {
      const frozen = await this.#freeze()
      await this.#packRows(
        frozen.filter((name) => touched.has(name)),
        moment
      )
    }
    await writer.call('forgetBatches', [])
    return dropped
  }

  #packer<Name extends 'packRows' | 'merge' | 'without' | 'survey' | 'inspect' | 'salvage'>(
    method: Name,
    args: Parameters<SqlitePacker[Name]>
  ): Promise<ReturnType<SqlitePacker[Name]>> {
    const { signal } = this.#closing
    return this.#lanes.packer().call(method, args as never, { signal }) as never
  }

  #packs(): Promise<Pack[]> {
    return this.#lanes.writer.call('packs', [])
  }

  /** The old files go when no reader holds them. */
  async #swap(swap: Swap): Promise<void> {
    try {
      await this.#lanes.writer.call('swap', [swap])
    } catch (error) {
      // After other errors the list may still be on disk. Then a crash would bring it back.
      if (isDiskFull(error)) await this.#unlink(swap.add.map(({ name }) => name))
      throw error
    }
    if (swap.remove.length === 0) return
    await this.#lanes.forget(swap.remove)
    this.#options.broken.replace(swap)
    if (swap.setAside) for (const name of swap.remove) await this.#moveAway(name)
    else await this.#unlink(swap.remove)
  }

  async #moveAway(name: string): Promise<void> {
    const { directory, quarantine } = this.#options
    await moveFile(join(directory, name), quarantine).catch(({ message }) => {
      throw new Error(
        `${name} is no longer used, but could not be moved to ${quarantine} (${message}): it stays in ${directory} until the next start`
      )
    })
  }

  async #unlink(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.#options.directory, name), { force: true })
  }

  async #giveSpaceBack(): Promise<void> {
    while ((await this.#lanes.writer.call('giveBack', [])) > 0);
  }
}
