import type { Clock } from '../lib/clock.ts'
import type { UnixMs } from '../lib/unix-time.ts'

/** Since when; undefined if it never connected, or left before the platform started. */
export type Presence = { connected: boolean; since: UnixMs | undefined }

type Entry = { connections: number; since: UnixMs | undefined }

/** Which gateways are connected to the embedded broker. One entry for each that is known. */
export class GatewayPresence {
  readonly #clock: Clock
  readonly #seen = new Map<number, Entry>()
  #changed: (installationId: number) => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Called when a gateway has come or gone, or is no longer expected. */
  onChange(listener: (installationId: number) => void): void {
    this.#changed = listener
  }

  /** The installation has a gateway, which may never have connected. */
  expect(installationId: number): void {
    this.#entry(installationId)
  }

  /** At the start: the gateway was last connected at this time. */
  wasThere(installationId: number, until: UnixMs): void {
    const entry = this.#entry(installationId)
    if (entry.since === undefined || until > entry.since) entry.since = until
  }

  /** Call the answer when the connection has ended. */
  arrived(installationId: number): () => void {
    const entry = this.#entry(installationId)
    const change = () => {
      entry.since = this.#clock()
      this.#changed(installationId)
    }
    if (entry.connections++ === 0) change()
    return () => {
      if (--entry.connections === 0) change()
    }
  }

  /** Undefined: no gateway of the installation is known. */
  of(installationId: number): Presence | undefined {
    const entry = this.#seen.get(installationId)
    return entry && { connected: entry.connections > 0, since: entry.since }
  }

  forget(installationId: number): void {
    if (this.#seen.delete(installationId)) this.#changed(installationId)
  }

  #entry(installationId: number): Entry {
    const entry: Entry = this.#seen.get(installationId) ?? { connections: 0, since: undefined }
    this.#seen.set(installationId, entry)
    return entry
  }
}
