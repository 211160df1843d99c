import type { Clock } from '../lib/clock.ts'
import type { UnixMs } from '../lib/unix-time.ts'

/** Since when; undefined if it ended before the platform started, and nobody wrote down when. */
export type Presence = { connected: boolean; since: UnixMs | undefined }

/** Which gateways are connected to the embedded broker. It has an entry for each that was seen. */
export class GatewayPresence {
  readonly #clock: Clock
  readonly #seen = new Map<number, { connections: number; since: UnixMs | undefined }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** At the start: the installation has a gateway, which was last connected at this time. */
  wasThere(installationId: number, until: UnixMs | undefined): void {
    const known = this.#seen.get(installationId)?.since
    const since = until !== undefined && (known === undefined || until > known) ? until : known
    this.#seen.set(installationId, { connections: 0, since })
  }

  /** Call the answer when the connection has ended. */
  arrived(installationId: number): () => void {
    const entry = this.#seen.get(installationId) ?? { connections: 0, since: undefined }
    this.#seen.set(installationId, entry)
    if (entry.connections++ === 0) entry.since = this.#clock()
    return () => {
      if (--entry.connections === 0) entry.since = this.#clock()
    }
  }

  /** Undefined: no gateway of the installation is known. */
  of(installationId: number): Presence | undefined {
    const entry = this.#seen.get(installationId)
    return entry && { connected: entry.connections > 0, since: entry.since }
  }

  forget(installationId: number): void {
    this.#seen.delete(installationId)
  }
}
