export type Message = { topic: string; payload: Buffer; qos: 0 | 1 | 2; retain: boolean }

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

/** A connection's identity. Two sessions with the same owner may take over each other's client id. */
export type Session = { readonly owner: string }

/** Who may do what on the embedded broker. Everything but sign-in answers from memory. */
export interface BrokerRules<S extends Session> {
  signIn(credentials: {
    username: string
    password: string
    address: string
  }): Promise<S | 'refused' | 'throttled'>
  /** Undefined: the token, user or key ended and the connection must go. */
  renew(session: S): Promise<S | undefined>
  mayPublish(session: S, topic: string): boolean
  maySubscribe(session: S, filter: string): boolean
  mayReceive(session: S, topic: string): boolean
  /** A PUBLISH or will that was acknowledged and dropped because `mayPublish` said no. */
  refused(message: Message, session: S): void
}
