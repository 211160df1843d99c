import type { NewcomerLimits } from '../../lib/newcomers.ts'
import type { BrokerExcess } from './excesses.ts'
import type { InFlightLimits } from './in-flight.ts'
import type { KeptLimits } from './kept.ts'
import type { SessionLimits } from './store/changes.ts'

export type BrokerLimits = KeptLimits &
  SessionLimits &
  InFlightLimits & {
    packetBytes: number
    filtersPerSubscribe: number
    connectionsPerOwner: number
    connectTimeoutMs: number
    /** Limits of connections that have not signed in. */
    newcomers: NewcomerLimits
    drainMs: number
    /** The longest session expiry, in seconds, that a client can ask for. */
    sessionExpiry: number
    /** The longest keep alive of MQTT 5, in seconds. */
    keepAlive: number
  }

/** Why a message was dropped, for one receiver or for all. */
export type DropReason =
  | 'forbidden'
  | 'slow'
  | 'too large'
  | 'queue full'
  | 'retained full'
  | 'disk reserve'
export type Counts = {
  connections: number
  received: number
  delivered: number
  /** Connections with a version of MQTT that the broker does not speak. */
  refusedVersions: number
  dropped: Record<DropReason, number>
  /** What was refused because it was over a limit. */
  refused: Record<BrokerExcess, number>
}

export const noCounts = (): Counts => ({
  connections: 0,
  received: 0,
  delivered: 0,
  refusedVersions: 0,
  dropped: {
    ...{ forbidden: 0, slow: 0, 'too large': 0 },
    ...{ 'queue full': 0, 'retained full': 0, 'disk reserve': 0 }
  },
  refused: { connections: 0, sessions: 0, filters: 0, newcomers: 0 }
})
