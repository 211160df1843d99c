import type { AedesPublishPacket } from 'aedes'
import type { LimitOf } from './charges.ts'

/**
 * As it goes through Aedes; `clientId` is the sender where its own messages must not come back.
 * `outboxes`: of connected kept sessions, to which it goes under a number that it has already.
 */
export type Publish = AedesPublishPacket & {
  clientId?: string
  outboxes?: { pass(seq: number): void }[]
}

export type Message = { topic: string; payload: Buffer; qos: 0 | 1 | 2; retain: boolean }

/** How the sessions, the group and the nodes of a platform are called on an external broker. */
export const ownClientIds = 'caracal-'

/** Publishing to everyone who listens; embedded broker or a server of its own. */
export interface Bus {
  publish(
    topic: string,
    payload: string,
    options?: { qos?: 0 | 1 | 2; retain?: boolean }
  ): Promise<void>
  close(): Promise<void>
}

/**
 * Called for every message a sender may publish. The promise is the acknowledgement: PUBACK or
 * PUBREC goes out when it resolves.
 */
export type MessageHandler = (message: Message, sender: string) => Promise<void>

/** A connection's identity. Client ids belong to an owner: only sessions of the same one take over from each other. */
export type Session = { readonly owner: string }

/**
 * Whether a client id is open to a session: whoever has it, while nobody else has it, or not. Only an
 * external broker has one room for all owners; here each owner has its own. [ADR-0028]
 */
export type ClientIdUse = 'always' | 'unless taken' | 'never'

/** Who may do what on the embedded broker. What is asked for each message answers from memory. */
export interface BrokerRules<S extends Session> {
  signIn(credentials: {
    username: string
    password: string
    address: string
  }): Promise<S | 'refused' | 'throttled'>
  /** Undefined: the token, user or key ended and the connection must go. */
  renew(session: S): Promise<S | undefined>
  /** Who pays for its connection and filters, beside its owner: names that `limitOf` knows. */
  payersOf(session: S): readonly string[]
  limitOf: LimitOf
  /** Who shares one turn when tenants take turns. */
  tenantOf(session: S): string
  mayUse(session: S, clientId: string): ClientIdUse
  mayPublish(session: S, topic: string): boolean
  maySubscribe(session: S, filter: string): boolean
  mayReceive(session: S, topic: string): boolean
  /** What can be kept on disk of a session, to find it again after a restart; no secret. */
  seal(session: S): string
  /** Undefined: it ended meanwhile. */
  unseal(sealed: string): Promise<S | undefined>
  /** Those of these owners who can never come back. */
  gone(owners: Iterable<string>): Promise<ReadonlySet<string>>
  /** A PUBLISH or will that was acknowledged and dropped because `mayPublish` said no. */
  refused(message: Message, session: S): void
}

/** Below the reserve nothing more is queued, and so not acknowledged. */
export type DiskRoom = { readonly isEnough: boolean; whenEnough(): Promise<void> }
