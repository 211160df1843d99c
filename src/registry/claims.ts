import { explainAt } from './postgres.ts'
import { PostgresClaims } from './postgres-claims.ts'

/** What one node does for all; slots are the sessions on an external broker [ADR-0020]. */
export type Claim = 'scheduler' | 'housekeeping' | 'usage' | `slot ${number}` | `data ${string}`

/** What this node holds among those that share the registry. */
export interface Claims {
  /** True when it is ours by now. To be asked again and again, by one asker: it may be lost, or become free. */
  take(claim: Claim): Promise<boolean>
  release(claim: Claim): Promise<void>
  /** Like `take`, for good: without it this node is none, also after a lost connection. */
  keep(claim: Claim): Promise<boolean>
  /** How many nodes there are, this one among them; undefined while that is not known. */
  nodes(): Promise<number | undefined>
  /** Called when a node changed the registry. */
  onChange(listener: () => void): void
  /** Why it is not known what is held; undefined when all is well. */
  readonly failure: string | undefined
  close(): Promise<void>
}

/**
 * `isAlone`: this node keeps something that others need in its own directory, so there can be no
 * others. A registry in a file belongs to the one process that holds its directory anyway.
 */
export const openClaims = (url: string, isAlone: boolean): Promise<Claims> =>
  url === ''
    ? Promise.resolve(everything)
    : PostgresClaims.open(url, isAlone).catch(explainAt('CARACAL_REGISTRY_URL', url))

const everything: Claims = {
  take: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  keep: () => Promise.resolve(true),
  nodes: () => Promise.resolve(1),
  onChange: () => {},
  failure: undefined,
  close: () => Promise.resolve()
}
