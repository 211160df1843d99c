import type { Duplex } from 'node:stream'
import type { Client, ConnectPacket } from 'aedes'
import type { Session } from './bus.ts'
import { brokerId, type Listening } from './fan-out.ts'
import type { PacketGate } from './packet-gate.ts'

type Outcome = 'stored' | 'refused' | 'repeated' | 'failed'
type Answer = (outcome: Outcome, error?: Error) => void
export type Turn = { answer: Answer; outcome?: Outcome; error?: Error }

/** One client from its first byte to the moment nothing of it is on its way any more. */
export class Connection<S extends Session> {
  readonly client: Client
  readonly conn: Duplex
  readonly gate: PacketGate
  readonly address: string
  /** Absent before sign-in and after the token, user or key ended. */
  session: S | undefined
  owner: string | undefined
  /** Whom it is charged to. */
  payers: readonly string[] = []
  /** In whose turn its messages are handled. */
  tenant = ''
  will: ConnectPacket['will']
  isBridge = false
  /** [MQTT 3.1.3-8] a session to be kept needs a name. */
  isNameless = false
  /** Called when it has signed in, or is gone. */
  readonly arrived: () => void
  /** Signed in, and what was sent to its kept session before is sent again. */
  isReady = false
  /** The connection this one takes over from; its end comes first. */
  before: Connection<S> | undefined
  ended: Promise<void> = Promise.resolve()
  /** What it was granted. */
  readonly filters = new Map<string, Listening<Connection<S>>>()
  /** Filters whose retained messages were asked for and are not yet sent. */
  readonly retainedFor = new Map<string, 0 | 1 | 2>()
  isSendingRetained = false
  readonly #turns: Turn[] = []
  #will: Promise<void> | undefined
  #idle: (() => void) | undefined

  constructor(
    client: Client,
    {
      conn,
      gate,
      address,
      arrived
    }: { conn: Duplex; gate: PacketGate; address: string; arrived: () => void }
  ) {
    this.client = client
    this.conn = conn
    this.gate = gate
    this.address = address
    this.arrived = arrived
  }

  get isBusy(): boolean {
    if (this.#turns.length > 0 || this.#will) return true
    return !this.conn.destroyed && this.conn.writableLength > 0
  }

  /** [MQTT 4.6.0] acknowledgements keep the order of arrival, whenever the handler resolves. */
  take(answer: Answer): Turn {
    const turn: Turn = { answer }
    this.#turns.push(turn)
    return turn
  }

  settle(turn: Turn, outcome: Outcome, error?: Error): void {
    turn.outcome = outcome
    turn.error = error
    for (let next = this.#turns[0]; next?.outcome; next = this.#turns[0]) {
      this.#turns.shift()
      next.answer(next.outcome, next.error)
    }
    if (this.#turns.length === 0) this.#idle?.()
  }

  sendWill(sent: Promise<void>): void {
    this.#will = sent.finally(() => {
      this.#will = undefined
    })
  }

  /** The will and every message were handled. */
  async whenIdle(): Promise<void> {
    await this.#will
    if (this.#turns.length === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }
}

/**
 * Aedes takes a message for a duplicate when a later one was delivered first, as QoS 0 is before
 * a QoS 1 that is being queued. Duplicates are told apart in `Outbound`.
 */
export function keepDuplicates(client: Client & { duplicates?: object }): void {
  Object.defineProperty(client.duplicates ?? {}, brokerId, { get: () => 0, set: () => {} })
}

/** As Aedes does with what it reads itself. */
export function parse(
  client: Client & { _parser?: { parse(bytes: Buffer): void } },
  bytes: Buffer
): void {
  if (!client.closed) client._parser?.parse(bytes)
}
