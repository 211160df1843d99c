import type { Mount } from '../lib/mount.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { LimitOf } from './embedded/charges.ts'

export type Message = {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  retain: boolean
  /** Why its value is not stored. Whoever refuses it sets this, and its sender is told. */
  notStored?: string
  /** It is over a quota of messages a second. If its sender has a connection here, it is slowed down. */
  isTooFast?: boolean
}

/** Client ids and the group of a platform begin with this on an external broker. */
export const ownClientIds = 'caracal-'

export type PublishOptions = {
  qos?: 0 | 1 | 2
  retain?: boolean
  /**
   * The value is stored already. From an external broker it comes back to a node, which then does
   * not store it again.
   */
  isStored?: boolean
  /** Whose turns the delivery takes; by default those of the platform. */
  tenant?: string
  /** Properties of MQTT 5. Receivers with MQTT 3 do not see them. */
  contentType?: string | undefined
  responseTopic?: string
  correlationData?: Buffer
  /** After it nobody gets the message any more. */
  expirySeconds?: number
}

/** A message that somebody waited for. The properties are those that MQTT 5 passes on. */
export type HeardMessage = {
  payload: Buffer
  contentType?: string | undefined
  correlationData?: Buffer | undefined
  userProperties: readonly { name: string; value: string }[]
}

/** True: the message was for this one, and the next ones do not get it. */
export type Hearer = (message: HeardMessage) => boolean

/** Publishes to all subscribers, by the embedded broker or an external broker. */
export interface Bus {
  publish(topic: string, payload: string, options?: PublishOptions): Promise<void>
  /** Whether a message that is published now reaches anybody. Missing: nobody knows. */
  isHeard?(topic: string): boolean
  /**
   * Resolves when messages on this topic reach the hearer, whichever node their sender is connected
   * to, and answers how to stop. Retained messages from before are left out. Who came first hears a
   * message first.
   */
  hear(topic: string, hearer: Hearer): Promise<() => void>
  close(): Promise<void>
}

/**
 * Called for every message that its sender may publish. The promise is the acknowledgement: PUBACK
 * or PUBREC is sent when it resolves.
 */
export type MessageHandler = (message: Message, sender: string) => Promise<void>

/**
 * The identity of a connection. Client ids belong to an owner: only a connection of the same owner
 * can take over a client id. Owners of one account (`user:7 key:12` is of `user:7`) share its limits.
 * With a mount, all topics of the connection are below it; sessions of one owner have the same mount.
 */
export type Session = { readonly owner: string; readonly mount?: Mount | undefined }

/** A client of the embedded broker. */
export type ConnectedClient = {
  /** Rises with each connection since the start. */
  id: number
  clientId: string
  owner: string
  /** Of the installation of its mount. */
  mountedAt: number | undefined
  /** 3 is MQTT 3.1, 4 is 3.1.1. */
  level: 3 | 4 | 5
  address: string
  since: UnixMs
}

/** The certificate that a client showed over TLS, together with proof that it has the key. */
export type ClientCertificate = {
  /** SHA-256, as 64 hexadecimal digits. */
  fingerprint: string
  /** Why its chain is not trusted; undefined: it is. */
  fault: string | undefined
}

/** The text is for the client. */
export type RefusedCertificate = { refused: string }

/**
 * Whether a session may use a client id: always, only while no other client has it, or never.
 * 'unless taken' matters only for an external broker, where all owners share the client ids. On the
 * embedded broker each owner has its own. [ADR-0028]
 */
export type ClientIdUse = 'always' | 'unless taken' | 'never'

/**
 * Decides who may do what on the embedded broker. The methods for each message answer from memory.
 */
export interface BrokerRules<S extends Session> {
  signIn(credentials: {
    username: string
    password: string
    address: string
    certificate?: ClientCertificate | undefined
  }): Promise<S | 'refused' | 'throttled' | RefusedCertificate>
  /** Undefined: the token, user or key is no longer valid, and the connection must end. */
  renew(session: S): Promise<S | undefined>
  /**
   * Who pays for its connection and filters, in addition to its owner: names that `limitOf` knows.
   */
  payersOf(session: S): readonly string[]
  limitOf: LimitOf
  /** Sessions of the same tenant share one turn and one pace. */
  tenantOf(session: S): string
  /** How many messages a second a tenant may send. */
  rateOf(tenant: string): number
  mayUse(session: S, clientId: string): ClientIdUse
  /** Called when a client has connected. The answer is called when it has gone. */
  connected(session: S, clientId: string): (() => void) | undefined
  mayPublish(session: S, topic: string): boolean
  maySubscribe(session: S, filter: string): boolean
  mayReceive(session: S, topic: string): boolean
  /**
   * A text for the disk, from which `unseal` finds the session after a restart. It has no secret.
   */
  seal(session: S): string
  /** Undefined: the session is no longer valid. */
  unseal(sealed: string): Promise<S | undefined>
  /** Which of these owners were deleted and can never come back. */
  gone(owners: Iterable<string>): Promise<ReadonlySet<string>>
  /** Called for a PUBLISH or will that was dropped because its sender may not publish it. */
  refused(message: Message, session: S): void
}

/** Below the reserve of the disk nothing more is queued, and so nothing is acknowledged. */
export type DiskRoom = { readonly isEnough: boolean; whenEnough(): Promise<void> }
