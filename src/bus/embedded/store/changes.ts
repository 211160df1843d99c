type Qos = 0 | 1 | 2

export type KeptFilter = {
  filter: string
  qos: Qos
  nl?: boolean | undefined
  rap?: boolean | undefined
  rh?: number | undefined
  id?: number | undefined
}
/** What a message has from a sender of MQTT 5. `expires` is a time. */
export type KeptProperties = {
  properties?: Uint8Array | undefined
  expires?: number | undefined
}
/** `messageId` is undefined until the message is sent. */
export type Receiver = {
  key: number
  qos: Qos
  retain: boolean
  messageId: number | undefined
  /** The identifiers of the filters that matched. */
  ids?: number[] | undefined
}
export type KeptWill = {
  /** The name of the client: its owner and client id. */
  name: string
  /** The session of the client, as `BrokerRules.seal` wrote it. */
  sealed: string
  topic: string
  payload: Uint8Array
  qos: Qos
  retain: boolean
  properties?: Uint8Array | undefined
  /** In seconds, as `delay`. */
  expiry?: number | undefined
  delay?: number | undefined
  /** When it is sent if the client does not come back; undefined while the client is connected. */
  due?: number | undefined
}

/** After how many seconds a session ends that nobody uses; undefined: it has no end of its own. */
type Expiry = { expiresAfter?: number | undefined }

/** A change in the file of sessions. `key` is the number of a session, `seq` that of a message. */
export type Change =
  | ({ kind: 'session'; key: number; clientId: string; owner: string; at: number } & Expiry)
  | ({ kind: 'awake'; key: number } & Expiry)
  | ({ kind: 'asleep'; key: number; at: number } & Expiry)
  | { kind: 'end'; key: number }
  | ({ kind: 'subscribe'; key: number } & KeptFilter)
  | { kind: 'unsubscribe'; key: number; filter: string }
  | ({
      kind: 'message'
      seq: number
      topic: string
      payload: Uint8Array
      receivers: Receiver[]
    } & KeptProperties)
  | { kind: 'numbered'; key: number; ids: { seq: number; messageId: number }[] }
  | { kind: 'pubrel'; key: number; seq: number }
  | { kind: 'done'; key: number; seq: number }
  | { kind: 'receive'; key: number; messageId: number }
  | { kind: 'release'; key: number; messageId: number }
  | ({ kind: 'retain'; topic: string; payload: Uint8Array; qos: Qos } & KeptProperties)
  | { kind: 'unretain'; topic: string }
  | ({ kind: 'will' } & KeptWill)
  | { kind: 'due'; name: string; at: number }
  | { kind: 'unwill'; name: string }
  | { kind: 'platform'; id: string }

export type QueuedMessage = {
  seq: number
  topic: string
  payload: Uint8Array
  qos: Qos
  retain: boolean
  ids?: number[] | undefined
} & KeptProperties
export type SentMessage = QueuedMessage & { messageId: number; isReleased: boolean }

/** Everything except the queues. A queue is read when its client connects again. */
export type Contents = {
  sessions: ({ key: number; clientId: string; owner: string; used: number } & Expiry)[]
  filters: (KeptFilter & { key: number })[]
  retained: ({ topic: string; payload: Uint8Array; qos: Qos } & KeptProperties)[]
  wills: KeptWill[]
  /** What was removed because it was over the limits. */
  cut: Cut
  lastKey: number
  lastSeq: number
}

/** A read sees all changes that were written before it. */
export type Reads = {
  contents: { asks: { now: number }; answer: Contents }
  /**
   * Sent messages that are not acknowledged, in order, and received QoS 2 ids that are not
   * released.
   */
  resume: { asks: { key: number }; answer: { sent: SentMessage[]; received: number[] } }
  /** The next messages of a queue, in order; at least one if there is any. */
  page: {
    asks: { key: number; after: number; count: number; bytes: number }
    answer: QueuedMessage[]
  }
  /** The id of the platform that the file belongs to; undefined if none is written yet. */
  platform: { asks: object; answer: string | undefined }
  totals: { asks: object; answer: { queued: number; bytes: number } }
}
export type ReadKind = keyof Reads
export type Read = { [Kind in ReadKind]: { kind: Kind } & Reads[Kind]['asks'] }[ReadKind]

/** The changes are one transaction. After it the reads are answered. */
export type CommitGroup = { changes: Change[]; reads: Read[] }
export type GroupAnswer = {
  /** Set if the changes are not on disk. */
  error: Error | undefined
  /** Messages that full queues lost. */
  dropped: number
  answers: ({ value: unknown } | { error: Error })[]
}
/** How many of each kind were removed. */
export type Cut = { sessions: number; filters: number; retained: number; wills: number }
export type SessionLimits = {
  sessionsPerOwner: number
  filtersPerConnection: number
  /** Of all connections and kept sessions of an owner together. */
  filtersPerOwner: number
}
/** `messages` and `bytes` limit one queue, `ownerBytes` limits all queues of an owner together. */
export type QueueLimits = { messages: number; bytes: number; ownerBytes: number }
