type Qos = 0 | 1 | 2

export type KeptFilter = {
  filter: string
  qos: Qos
  nl?: boolean | undefined
  rap?: boolean | undefined
  rh?: number | undefined
}
/** `messageId`: undefined until the message goes out. */
export type Receiver = { key: number; qos: Qos; retain: boolean; messageId: number | undefined }
export type KeptWill = {
  /** The name of the client: its owner and client id. */
  name: string
  /** Who left it, as the rules wrote it down. */
  sealed: string
  topic: string
  payload: Uint8Array
  qos: Qos
  retain: boolean
}

/** What is written to the file of sessions. `key` is a session, `seq` a message. */
export type Change =
  | { kind: 'session'; key: number; clientId: string; owner: string; at: number }
  | { kind: 'awake'; key: number }
  | { kind: 'asleep'; key: number; at: number }
  | { kind: 'end'; key: number }
  | ({ kind: 'subscribe'; key: number } & KeptFilter)
  | { kind: 'unsubscribe'; key: number; filter: string }
  | { kind: 'message'; seq: number; topic: string; payload: Uint8Array; receivers: Receiver[] }
  | { kind: 'numbered'; key: number; ids: { seq: number; messageId: number }[] }
  | { kind: 'pubrel'; key: number; seq: number }
  | { kind: 'done'; key: number; seq: number }
  | { kind: 'receive'; key: number; messageId: number }
  | { kind: 'release'; key: number; messageId: number }
  | { kind: 'retain'; topic: string; payload: Uint8Array; qos: Qos }
  | { kind: 'unretain'; topic: string }
  | ({ kind: 'will' } & KeptWill)
  | { kind: 'unwill'; name: string }
  | { kind: 'platform'; id: string }

export type QueuedMessage = {
  seq: number
  topic: string
  payload: Uint8Array
  qos: Qos
  retain: boolean
}
export type SentMessage = QueuedMessage & { messageId: number; isReleased: boolean }

/** Everything but the queues, which are read when their session comes back. */
export type Contents = {
  sessions: { key: number; clientId: string; owner: string; used: number }[]
  filters: (KeptFilter & { key: number })[]
  retained: { topic: string; payload: Uint8Array; qos: Qos }[]
  wills: KeptWill[]
  /** What the file had beyond the limits. */
  cut: Cut
  lastKey: number
  lastSeq: number
}

/** Each read sees what was written before it. */
export type Reads = {
  contents: { asks: { now: number }; answer: Contents }
  /** What was sent and not acknowledged, in order; the QoS 2 ids that were not yet released. */
  resume: { asks: { key: number }; answer: { sent: SentMessage[]; received: number[] } }
  /** What was not sent yet, in order; at least one message when there is any. */
  page: {
    asks: { key: number; after: number; count: number; bytes: number }
    answer: QueuedMessage[]
  }
  /** Whose sessions and messages these are; undefined while nobody has told. */
  platform: { asks: object; answer: string | undefined }
  totals: { asks: object; answer: { queued: number; bytes: number } }
}
export type ReadKind = keyof Reads
export type Read = { [Kind in ReadKind]: { kind: Kind } & Reads[Kind]['asks'] }[ReadKind]

/** Changes are one transaction, then the reads are answered. */
export type Group = { changes: Change[]; reads: Read[] } | 'close'
export type GroupAnswer = {
  /** The changes are not on disk. */
  error: Error | undefined
  dropped: number
  answers: ({ value: unknown } | { error: Error })[]
}
/** How much of each kind was removed. */
export type Cut = { sessions: number; filters: number; retained: number; wills: number }
export type KeepLimits = {
  sessionsPerOwner: number
  filtersPerConnection: number
  /** Over all connections and kept sessions of an owner. */
  filtersPerOwner: number
}
/** Of a session's queue, and of all queues of one owner together. */
export type QueueLimits = { messages: number; bytes: number; ownerBytes: number }
