import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { arrivalOf } from '../../history/sample-ids.ts'
import type { Ahead } from '../../history/spool/groups.ts'
import { piecesOf, type Spool } from '../../history/spool/spool.ts'
import type { Clock } from '../../lib/clock.ts'
import { Outage } from '../../lib/outage.ts'
import { decodeSamples } from '../../lib/sample.ts'
import { Turns } from '../../lib/turns.ts'
import { SECOND, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import type { Registry } from '../../registry/tables.ts'
import type { GatewayAlarms } from './gateway-alarms.ts'
import type { Handed, Handover } from './handover.ts'
import { type Loading, READER } from './loading.ts'
import { PartitionLost } from './partitions.ts'
import { writeHeads, writeParts, writeSeen } from './round.ts'
import type { Shares } from './shares.ts'
import type { Part, Watched } from './watched.ts'
import type { Source, Value, Watching } from './watching.ts'

export type WatcherParts = {
  registry: Registry
  spool: Spool
  watching: Watching
  loading: Loading
  shares: Shares
  gateways: GatewayAlarms
  /** Undefined: there can be no other node. */
  handover: Handover | undefined
  /** The id of this node. */
  node: string
  clock: Clock
  log: FastifyBaseLogger
  /** Alarms of the installation with this client id have changed. */
  tell: (clientId: number) => void
}

const BATCH = { maxSamples: 20_000, maxBytes: 4 * 1024 * 1024 }
/** Alarms are written so often, and the next values are read. */
const TURN_MS = SECOND / 4
const MAX_PAUSE_MS = 10 * SECOND
/** States without an alarm may wait, and their values stay in the spool. */
const DEFER_MS = 20 * SECOND
/** Each pass is a commit of the spool. */
const PASS_EVERY_MS = SECOND
/** How far this node has watched is written at least so often. */
const SEEN_EVERY_MS = 5 * SECOND
/** What other nodes hand over comes so much later. */
const HANDOVER_MS = 3 * SECOND
/** So long a turn reads installations again, besides those that send values. */
const REFRESH_MS = SECOND / 5
/** Imported values that are judged at once. */
const VALUES_PER_IMPORT = 20_000

/** Somebody waits until something is written. */
type Awaiting = { resolve: () => void; reject: (error: unknown) => void }
type Import = { values: Value[]; done: Awaiting }

/**
 * [ADR-0065] Judges stored values by the rules of their installations. One thing is done after
 * another: nothing changes while it is written.
 */
export class Watcher {
  readonly #parts: WatcherParts
  readonly #stopping = new AbortController()
  readonly #outage: Outage
  readonly #heads = new Set<Watched>()
  readonly #imports: Import[] = []
  readonly #awaiting: Awaiting[] = []
  #running: Promise<void> | undefined
  /** The last group of the spool that was judged. */
  #position = 0
  #passed = 0
  #passedAt = Number.NEGATIVE_INFINITY
  #seenAt = Number.NEGATIVE_INFINITY
  #hasFailed = false
  /** Values that arrived until then are judged. */
  #reached: UnixMs
  rounds = 0

  constructor(parts: WatcherParts) {
    this.#parts = parts
    this.#reached = parts.clock()
    this.#outage = new Outage(parts.log, {
      fails: 'alarms are late: values are not judged',
      back: 'values are judged again'
    })
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    for (const { done } of this.#imports.splice(0)) done.reject(new Error('the platform stops'))
  }

  /** Some rule is active. */
  get isUsed(): boolean {
    return this.#parts.loading.isUsed
  }

  /** Values that were judged since the start. */
  get judged(): number {
    return this.#parts.watching.judged
  }

  /** Rules on topics in memory. */
  get watches(): number {
    return this.#parts.watching.watches
  }

  /** How far the rules are behind. */
  get behindMs(): number {
    const { loading, clock } = this.#parts
    return loading.isUsed ? Math.max(0, clock() - this.#reached - TURN_MS) : 0
  }

  /**
   * Judges imported values. Nobody is told. Resolves when the alarms are written.
   */
  async judgeImport({ id }: InstallationRef, rows: Buffer): Promise<void> {
    const { loading, handover, watching } = this.#parts
    if (!loading.isRuled(id)) return
    let values: Value[] = []
    const turns = new Turns()
    const judge = async () => {
      values.sort((a, b) => a.timestamp - b.timestamp)
      const some = values
      values = []
      if (handover && !watching.holds(id)) return handover.handImport(some)
      const done = Promise.withResolvers<void>()
      this.#imports.push({ values: some, done })
      return done.promise
    }
    for (const { installation_id, topic, timestamp, value } of decodeSamples(rows)) {
      values.push({ id: 0, installation_id, topic, timestamp, value })
      if (turns.isOver(2)) await turns.next()
      if (values.length >= VALUES_PER_IMPORT) await judge()
    }
    if (values.length > 0) await judge()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let pauseMs = TURN_MS
    while (!signal.aborted) {
      const began = performance.now()
      let hasMore = false
      try {
        hasMore = await this.turn()
        this.#outage.worked()
        pauseMs = TURN_MS
      } catch (err) {
        this.#hasFailed = true
        for (const { reject } of this.#awaiting.splice(0)) reject(err)
        if (err instanceof PartitionLost) this.#loseAll()
        this.#outage.failed(err)
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
      }
      if (hasMore) continue
      const left = Math.max(0, pauseMs - (performance.now() - began))
      await wait(left, undefined, { signal }).catch(() => {})
    }
    await this.#finish().catch((err) =>
      this.#parts.log.warn({ err }, 'the last alarms are written at the next start')
    )
  }

  /** True: more values wait. */
  async turn(): Promise<boolean> {
    const { watching, loading, shares, handover, node, clock } = this.#parts
    // What was judged is written before more is judged, so that a registry that fails costs no
    // memory.
    if (this.#hasFailed) await this.#write({ isAll: true })
    this.#hasFailed = false
    if (loading.isUsed) await this.#share()
    else await shares.releaseAll()
    await loading.settle()
    await watching.tick(clock())
    const now = clock()
    const batch = loading.isUsed && !handover?.isFull ? await this.#read() : undefined
    if (batch) await this.#judgeBatch(batch)
    const handed = handover?.takeInbox() ?? []
    for (const one of handed) await this.#judgeHanded(one)
    for (const { values, done } of this.#imports.splice(0)) {
      this.#awaiting.push(done)
      await this.#judgeHanded({
        ...{ from: node, number: 0, partition: 0 },
        isImport: true,
        values
      })
    }
    const isReached = !batch || batch.isNewest
    if (isReached) await watching.advance(now - this.#grace)
    await this.#followGateways(now)
    await loading.refreshFor(REFRESH_MS)
    await this.#write({ isAll: false })
    for (const { resolve } of this.#awaiting.splice(0)) resolve()
    for (const one of handed) await handover?.confirm(one)
    await handover?.send()
    await this.#pass()
    this.#reached = isReached ? now : this.#reached
    return !isReached
  }

  async #share(): Promise<void> {
    const { taken, lost } = await this.#parts.shares.share(() => this.#write({ isAll: true }))
    if (lost) this.#readAgain()
    for (const number of taken) await this.#takeBack(number)
  }

  /** Other nodes may still have values that arrived before. */
  get #grace(): number {
    return this.#parts.shares.isAlone ? 0 : HANDOVER_MS
  }

  async #read(): Promise<Ahead | undefined> {
    const { spool, log } = this.#parts
    const batch = await spool.readOn(READER, this.#position, BATCH)
    if (batch && this.#position > 0 && batch.begin > this.#position) {
      log.error('the rules were too far behind and have missed values')
    }
    return batch
  }

  async #judgeBatch({ rows: bytes, begin, last }: Ahead): Promise<void> {
    const { watching, loading, handover, node, clock } = this.#parts
    const rows = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const source: Source = { node, isImport: false, isAwaited: false, needsAfter: begin }
    const turns = new Turns()
    const isRuled = (id: number) => loading.isRuled(id)
    for (const piece of piecesOf(rows)) {
      const now = clock()
      for (const sample of decodeSamples(piece, isRuled)) {
        if (turns.isOver(4)) await turns.next()
        if (handover && !watching.holds(sample.installation_id)) handover.add(sample, begin)
        else {
          const arrival = this.#arrivalOf(sample, now)
          const preparing = this.#prepare(sample, arrival)
          if (preparing) await preparing
          watching.judge(sample, source, arrival)
        }
      }
      await turns.next()
    }
    this.#position = last
  }

  /** What a value needs before it is judged. Mostly nothing. */
  #prepare({ installation_id }: Value, arrival: UnixMs): Promise<void> | undefined {
    const { watching, loading } = this.#parts
    const isReady = loading.isReady(installation_id)
    // What was due before the value arrived comes first, also when all of this is late.
    const until = arrival - this.#grace
    if (isReady && watching.nextDue >= until) return undefined
    const ready = isReady ? Promise.resolve() : loading.makeReady(installation_id)
    return ready.then(() => watching.advance(until))
  }

  /** A clock that was set back gives ids that are ahead of it. */
  #arrivalOf({ id }: Value, now: UnixMs): UnixMs {
    return id === 0 ? now : unixMs(Math.min(arrivalOf(id), now))
  }

  async #judge(value: Value, source: Source): Promise<void> {
    const { watching, clock } = this.#parts
    const arrival = this.#arrivalOf(value, clock())
    await this.#prepare(value, arrival)
    watching.judge(value, source, arrival)
  }

  async #judgeHanded({ from, isImport, values }: Handed): Promise<void> {
    const source = {
      ...{ node: from, isImport, isAwaited: true },
      needsAfter: Number.POSITIVE_INFINITY
    }
    const turns = new Turns()
    for (const value of values) {
      if (turns.isOver(4)) await turns.next()
      await this.#judge(value, source)
    }
  }

  /** Values that waited for another node. */
  async #takeBack(partition: number): Promise<void> {
    const { handover, node } = this.#parts
    for (const { value, isImport, needsAfter, onDone } of handover?.takeBack(partition) ?? []) {
      await this.#judge(value, { node, isImport, isAwaited: isImport, needsAfter })
      if (onDone) this.#awaiting.push({ resolve: onDone, reject: onDone })
    }
  }

  async #followGateways(now: UnixMs): Promise<void> {
    const { gateways, watching, registry } = this.#parts
    for (const id of gateways.look()) {
      const watched = watching.get(id)
      if (watched && (await watching.setHeld(watched, gateways.isGone(id), now)))
        this.#heads.add(watched)
    }
    if (this.#heads.size > 0) await writeHeads(registry, this.#heads)
    this.#heads.clear()
    await gateways.write()
  }

  async #write({ isAll }: { isAll: boolean }): Promise<void> {
    const { watching, registry, shares, clock, tell, loading } = this.#parts
    const now = clock()
    const due = [...watching.dirty].filter(
      (part) => isAll || part.isUrgent || now - part.changedAt >= DEFER_MS
    )
    const round = {
      ...{ registry, holder: shares.holder, held: () => watching.held },
      onWritten: tell
    }
    if (due.length > 0) {
      this.rounds++
      await writeParts(round, due)
      this.#seenAt = now
      for (const part of due) this.#written(part)
    } else if (loading.isUsed && Math.abs(now - this.#seenAt) >= SEEN_EVERY_MS) {
      await writeSeen(round)
      this.#seenAt = now
    }
  }

  #written(part: Part): void {
    const { watching, loading } = this.#parts
    watching.dirty.delete(part)
    loading.written(part.installation)
  }

  async #pass(): Promise<void> {
    const { spool, watching, handover, loading, clock } = this.#parts
    if (!loading.isUsed) return
    let last = Math.min(this.#position, handover?.needsAfter ?? Number.POSITIVE_INFINITY)
    for (const { needsAfter } of watching.dirty) last = Math.min(last, needsAfter)
    const now = clock()
    if (last <= this.#passed || Math.abs(now - this.#passedAt) < PASS_EVERY_MS) return
    await spool.pass(READER, { last })
    this.#passed = last
    this.#passedAt = now
  }

  /** What was judged and not written is in the spool. Cursors know what was written. */
  #readAgain(): void {
    this.#position = 0
    this.#parts.handover?.forgetValues()
  }

  #loseAll(): void {
    this.#parts.shares.loseAll()
    this.#readAgain()
  }

  async #finish(): Promise<void> {
    await this.#write({ isAll: true })
    this.#passedAt = Number.NEGATIVE_INFINITY
    await this.#pass()
    await this.#parts.shares.releaseAll()
  }
}
