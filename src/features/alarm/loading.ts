import type { FastifyBaseLogger } from 'fastify'
import type { Spool } from '../../history/spool/spool.ts'
import { RuleSet } from '../../lib/alarm/rule-set.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Directory } from '../../permission/directory.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { hasRules, watchedOwners } from '../../registry/rules.ts'
import type { Registry } from '../../registry/tables.ts'
import type { GatewayAlarms } from './gateway-alarms.ts'
import { partitionOf } from './partitions.ts'
import type { RuleSource } from './rule-source.ts'
import { installationsWithStates, readStates } from './states.ts'
import { headFrom, type Rules, Watched } from './watched.ts'
import type { Watching } from './watching.ts'

type Parts = {
  registry: Registry
  spool: Spool
  directory: Directory
  watching: Watching
  source: RuleSource
  gateways: GatewayAlarms
  clock: Clock
  log: FastifyBaseLogger
  /** False with ACK=history: values do not go through the spool, so no rule sees them. */
  hasValues: boolean
}

/** The name of the reader of the spool. */
export const READER = 'alarms'
/** Installations whose answer is remembered. */
const MAX_ASKED = 100_000
/**
 * A large installation whose functions change all the time is not read all the time: it rests for so
 * many times what the last reading took.
 */
const REST_TIMES = 10
/** Of its rules and functions together. */
const LARGE = 20_000

/** Brings installations with rules into memory, and keeps their rules current. */
export class Loading {
  readonly #parts: Parts
  #owners = { installations: new Set<number>(), organizations: new Set<number>() }
  readonly #asked = new Map<number, boolean>()
  #isRegistered = false
  readonly #stale = new Set<number>()
  /** It is read at the moment. What changes meanwhile is read again. */
  #reading: number | undefined
  readonly #restUntil = new Map<number, number>()
  /** They have states in the registry. */
  readonly #toLoad = new Set<number>()
  readonly #newPartitions = new Set<number>()
  readonly #removed = new Set<number>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Reads who has rules, and hears of changes from now on. */
  async open(): Promise<void> {
    const { directory, registry, log, hasValues } = this.#parts
    if (!hasValues) {
      if (await hasRules(registry)) log.warn('no rule is judged with CARACAL_ACK=history')
      return
    }
    directory.onRuleChange((installations) => this.#changed(installations))
    // An organization may be below other ones now.
    directory.onQuotaChange(() => this.#changed('all'))
    directory.onMoved(({ id }) => {
      this.#asked.delete(id)
      this.#stale.add(id)
    })
    directory.onRemoved((id) => {
      this.#asked.delete(id)
      this.#removed.add(id)
    })
    await this.#changed('all')
  }

  /** Values are read from the spool. */
  get isUsed(): boolean {
    return this.#isRegistered
  }

  /** Whether the installation, or an organization above it, has an active rule. */
  isRuled(id: number): boolean {
    const known = this.#asked.get(id)
    if (known !== undefined) return known
    const { installations, organizations } = this.#owners
    const ref = this.#parts.directory.installation(id)
    // It may come at any time.
    if (!ref) return false
    const isRuled = installations.has(id) || organizations.has(ref.organization_id)
    if (this.#asked.size >= MAX_ASKED) this.#asked.clear()
    this.#asked.set(id, isRuled)
    return isRuled
  }

  isReady(id: number): boolean {
    if (this.#stale.size > 0 && this.#stale.has(id) && !this.#rests(id)) return false
    return this.#parts.watching.get(id) !== undefined
  }

  async makeReady(id: number): Promise<void> {
    const { watching, directory, source } = this.#parts
    const began = performance.now()
    let isLarge = false
    this.#stale.delete(id)
    this.#toLoad.delete(id)
    const ref = directory.installation(id)
    if (!ref || !watching.holds(id)) return watching.forget(id)
    this.#reading = id
    try {
      const rules = (await source.of(ref)) ?? (await noRules(ref))
      isLarge = rules.read >= LARGE
      const known = watching.get(id)
      if (known) await this.#refresh(known, rules)
      else await this.#load(ref, rules)
    } catch (error) {
      const again = watching.get(id) ? this.#stale : this.#toLoad
      again.add(id)
      throw error
    } finally {
      this.#reading = undefined
    }
    if (isLarge) this.#rest(id, performance.now() - began)
  }

  /** States of new partitions are read, and what was deleted is forgotten. */
  async settle(): Promise<void> {
    const { watching, gateways, spool } = this.#parts
    for (const id of this.#removed) {
      watching.forget(id)
      gateways.forget(id)
      this.#stale.delete(id)
      this.#restUntil.delete(id)
    }
    this.#removed.clear()
    if (!this.#isRegistered) return
    await this.#findStates()
    const isNeeded = this.#isWanted || watching.dirty.size > 0 || this.#toLoad.size > 0
    if (isNeeded || this.#stale.size > 0) return
    // Before the call, because a new rule may register the reader meanwhile.
    this.#isRegistered = false
    await spool.remove(READER)
  }

  onTaken(partitions: readonly number[]): void {
    for (const number of partitions) this.#newPartitions.add(number)
  }

  /** Reads installations for so long, besides those that send values. */
  async refreshFor(limitMs: number): Promise<void> {
    const { watching } = this.#parts
    const end = performance.now() + limitMs
    for (const id of [...this.#toLoad]) {
      if (performance.now() > end) return
      if (watching.get(id)) this.#toLoad.delete(id)
      else await this.makeReady(id)
    }
    for (const id of [...this.#stale]) {
      if (performance.now() > end) return
      if (!watching.get(id)) this.#stale.delete(id)
      else if (!this.#rests(id)) await this.makeReady(id)
    }
  }

  /** Its states are in the registry. An installation without rules is no longer watched. */
  written(watched: Watched): void {
    if (watched.rules.isEmpty && watched.parts.every(({ topics }) => topics.size === 0)) {
      this.#parts.watching.forget(watched.id)
    }
  }

  get #isWanted(): boolean {
    return this.#owners.installations.size > 0 || this.#owners.organizations.size > 0
  }

  /** The directory waits for this: values that are stored from now on are judged. */
  async #changed(installations: readonly number[] | 'all'): Promise<void> {
    const { registry, spool, watching, source } = this.#parts
    this.#owners = await watchedOwners(registry)
    this.#asked.clear()
    if (installations === 'all') {
      source.forget()
      for (const { id } of watching.all()) this.#stale.add(id)
      if (this.#reading !== undefined) this.#stale.add(this.#reading)
    } else {
      for (const id of installations) {
        if (watching.get(id) || id === this.#reading) this.#stale.add(id)
      }
    }
    if (!this.#isWanted || this.#isRegistered) return
    await spool.register(READER)
    this.#isRegistered = true
  }

  async #findStates(): Promise<void> {
    if (this.#newPartitions.size === 0) return
    const wanted = new Set(this.#newPartitions)
    for await (const ids of installationsWithStates(this.#parts.registry)) {
      for (const id of ids) if (wanted.has(partitionOf(id))) this.#toLoad.add(id)
    }
    for (const number of wanted) this.#newPartitions.delete(number)
  }

  async #load({ id, client_id }: InstallationRef, rules: Rules): Promise<void> {
    const { registry, watching, gateways, clock } = this.#parts
    const rows = await readStates(registry, id)
    const partition = partitionOf(id)
    const now = clock()
    const running = watching.runningOf(partition, now)
    const head = headFrom(rows)
    const watched = new Watched({ id, clientId: client_id, partition }, rules, { head, running })
    await watched.restore(rows, now)
    watching.add(watched)
    await watching.setHeld(watched, gateways.isGone(id), now)
    await watching.schedule(watched.watches())
    this.written(watched)
  }

  async #refresh(watched: Watched, rules: Rules): Promise<void> {
    const { watching, clock } = this.#parts
    watching.unschedule(await watched.setRules(rules, clock()))
    watching.noteChanges(watched)
    await watching.schedule(watched.watches())
    if (rules.rules.isEmpty && ![...watched.parts].some((part) => watching.dirty.has(part))) {
      this.written(watched)
    }
  }

  #rests(id: number): boolean {
    return (this.#restUntil.get(id) ?? 0) > performance.now()
  }

  #rest(id: number, tookMs: number): void {
    if (this.#restUntil.size >= MAX_ASKED) this.#restUntil.clear()
    this.#restUntil.set(id, performance.now() + REST_TIMES * tookMs)
  }
}

const noRules = async ({ client_id }: InstallationRef): Promise<Rules> => ({
  rules: await RuleSet.of([], { clientId: client_id, zone: 'UTC' }),
  zone: 'UTC',
  read: 0
})
