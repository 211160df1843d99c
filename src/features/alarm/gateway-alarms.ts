import type { GatewayPresence } from '../../identity/gateway-presence.ts'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE, type UnixMs } from '../../lib/unix-time.ts'
import type { Directory } from '../../permission/directory.ts'
import type { Registry } from '../../registry/tables.ts'
import {
  type Clearing,
  clearAlarms,
  insertAlarms,
  type NewAlarm,
  openGatewayAlarms
} from './alarms.ts'
import { connectedOnce, markConnected } from './states.ts'

type Parts = {
  registry: Registry
  gateways: GatewayPresence
  directory: Directory
  clock: Clock
  onWritten: (clientId: number) => void
}

/** A gateway that is away for less makes no alarm. */
const GONE_AFTER_MS = MINUTE
/** The `rule_id` of an alarm that no rule has raised. */
export const NO_RULE = 0
const MESSAGE = 'The gateway is not connected'
/** In one transaction. */
const MAX_AT_ONCE = 500

/**
 * Alarms of gateways that were connected and are gone. The embedded broker alone knows who is
 * connected, so one node does this.
 */
export class GatewayAlarms {
  readonly #parts: Parts
  /** Gateways that were connected at least once, as the registry knows. */
  readonly #known = new Set<number>()
  /** They came for the first time, and the registry does not know that yet. */
  readonly #fresh = new Set<number>()
  /** Since when; in the order of time. */
  readonly #gone = new Map<number, UnixMs>()
  readonly #open = new Map<number, number>()
  /** They are back since then, or no longer expected. */
  readonly #back = new Map<number, UnixMs>()
  /** Gateways that came or went since the last look. */
  readonly #changed = new Set<number>()
  readonly #began: UnixMs

  constructor(parts: Parts) {
    this.#parts = parts
    this.#began = parts.clock()
  }

  /** The minute of a gateway that is not back after a restart begins now. */
  async open(): Promise<void> {
    const { registry, gateways, clock } = this.#parts
    const now = clock()
    gateways.onChange((id) => this.#changed.add(id))
    for (const { installation_id, raised_at } of await openGatewayAlarms(registry)) {
      this.#open.set(installation_id, raised_at)
      if (!gateways.of(installation_id)) this.#back.set(installation_id, now)
    }
    for await (const ids of connectedOnce(registry)) {
      for (const id of ids) {
        this.#known.add(id)
        this.#see(id, now)
      }
    }
    for (const { id } of this.#parts.directory.installations()) this.#see(id, now)
  }

  /** Whether silence is held: the gateway was connected, and is gone. */
  isGone(installationId: number): boolean {
    const isOpen = this.#open.has(installationId) && !this.#back.has(installationId)
    return isOpen || this.#gone.has(installationId)
  }

  get openAlarms(): number {
    return this.#open.size
  }

  forget(installationId: number): void {
    this.#known.delete(installationId)
    for (const map of [this.#fresh, this.#gone, this.#open, this.#back, this.#changed]) {
      map.delete(installationId)
    }
  }

  /** Answers the installations whose gateway has come or gone. */
  look(): number[] {
    const now = this.#parts.clock()
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const id of changed) this.#see(id, now)
    return changed
  }

  /** Writes what a minute has made true. */
  async write(): Promise<void> {
    const { registry, onWritten, directory } = this.#parts
    const now = this.#parts.clock()
    while (this.#fresh.size > 0) {
      const some = [...this.#fresh].slice(0, MAX_AT_ONCE)
      await markConnected(registry, some)
      for (const id of some) {
        this.#fresh.delete(id)
        this.#known.add(id)
      }
    }
    for (;;) {
      const raised = this.#due(now)
      const cleared = [...this.#back].slice(0, MAX_AT_ONCE)
      if (raised.length === 0 && cleared.length === 0) return
      const clearings = cleared.map(([id, at]) => this.#clearing(id, at))
      await registry.transaction().execute(async (registry) => {
        await insertAlarms(registry, raised)
        await clearAlarms(registry, clearings)
      })
      for (const { installation_id, raised_at } of raised) {
        this.#gone.delete(installation_id)
        this.#open.set(installation_id, raised_at)
      }
      for (const [id, at] of cleared) {
        if (this.#back.get(id) === at) this.#back.delete(id)
        this.#open.delete(id)
      }
      for (const { installation_id: id } of [...raised, ...clearings]) {
        const client_id = directory.installation(id)?.client_id
        if (client_id !== undefined) onWritten(client_id)
      }
    }
  }

  #see(id: number, now: UnixMs): void {
    const presence = this.#parts.gateways.of(id)
    if (presence?.connected) {
      if (!this.#known.has(id)) this.#fresh.add(id)
      this.#gone.delete(id)
      if (this.#open.has(id)) this.#back.set(id, presence.since ?? now)
    } else if (!presence) {
      this.#gone.delete(id)
      if (this.#open.has(id)) this.#back.set(id, now)
    } else if (presence.since !== undefined || this.#known.has(id)) {
      this.#back.delete(id)
      const since = Math.max(presence.since ?? 0, this.#began) as UnixMs
      if (this.#open.has(id) || this.#gone.get(id) === since) return
      this.#gone.delete(id)
      this.#gone.set(id, since)
    }
  }

  #due(now: UnixMs): NewAlarm[] {
    const due: NewAlarm[] = []
    for (const [installation_id, since] of this.#gone) {
      if (now - since < GONE_AFTER_MS || due.length >= MAX_AT_ONCE) break
      const clientId = this.#parts.directory.installation(installation_id)?.client_id
      if (clientId === undefined) {
        this.#gone.delete(installation_id)
        continue
      }
      due.push({
        ...{ installation_id, rule_id: NO_RULE, topic: String(clientId), severity: 'critical' },
        ...{ raised_at: since + GONE_AFTER_MS, value: null, message: MESSAGE, isTold: true }
      })
    }
    return due
  }

  #clearing(installation_id: number, cleared_at: number): Clearing {
    const clientId = this.#parts.directory.installation(installation_id)?.client_id ?? 0
    return { installation_id, rule_id: NO_RULE, topic: String(clientId), cleared_at }
  }
}
