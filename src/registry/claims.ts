/**
 * A job that one node does for all nodes. Slots are the sessions on an external broker [ADR-0020].
 * The alarms of installations are divided by a number [ADR-0065].
 */
export type Claim =
  | ('scheduler' | 'housekeeping' | 'usage' | 'segments' | 'teller')
  | `slot ${number}`
  | `alarms ${number}`
  | `data ${string}`

/** The claims that this node holds. All nodes share the registry. */
export interface Claims {
  /**
   * True when this node holds the claim. One caller asks again and again: a claim may be lost or
   * become free.
   */
  take(claim: Claim): Promise<boolean>
  release(claim: Claim): Promise<void>
  /**
   * Like `take`, but permanent: after a lost connection this node joins again only with this claim.
   */
  keep(claim: Claim): Promise<boolean>
  /** The number of nodes, with this one; undefined while it is not known. */
  nodes(): Promise<number | undefined>
  /** Nodes that read from the broker share its sessions. A node that starts or drains does not read. */
  setReading(isReading: boolean): Promise<void>
  /** The number of nodes that read; undefined while it is not known. */
  readers(): Promise<number | undefined>
  /** The listener is called when a node has changed the registry. */
  onChange(listener: () => void): void
  /** Why the held claims are not known; undefined when all is well. */
  readonly failure: string | undefined
  close(): Promise<void>
}
