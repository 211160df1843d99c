import type { Duplex } from 'node:stream'
import type { Client, ConnectPacket } from 'aedes'
import { hasWildcard, topicMatches } from '../lib/topic.ts'
import type { Session } from './bus.ts'
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
  will: ConnectPacket['will']
  isBridge = false
  /** [MQTT 3.1.3-8] a session to be kept needs a name. */
  isNameless = false
  /** Signed in, and what was sent to its kept session before is sent again. */
  isReady = false
  /** The connection this one takes over from; its end comes first. */
  before: Connection<S> | undefined
  ended: Promise<void> = Promise.resolve()
  /** Aedes' counter of the last message. */
  lastForwarded = 0
  readonly filters = new Map<string, 0 | 1 | 2>()
  readonly #turns: Turn[] = []
  #will: Promise<void> | undefined
  #lowestQos = 2
  #idle: (() => void) | undefined

  constructor(
    client: Client,
    { conn, gate, address }: { conn: Duplex; gate: PacketGate; address: string }
  ) {
    this.client = client
    this.conn = conn
    this.gate = gate
    this.address = address
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

  grant(filter: string, qos: 0 | 1 | 2): void {
    this.filters.set(filter, qos)
    this.#lowestQos = Math.min(this.#lowestQos, qos)
  }

  /** [MQTT 3.8.4-6] Aedes lowers the QoS only where the filter is the topic itself. */
  grantedQos(topic: string, qos: 0 | 1 | 2): 0 | 1 | 2 {
    if (qos <= this.#lowestQos) return qos
    let granted: 0 | 1 | 2 | undefined
    for (const [filter, atMost] of this.filters) {
      if (granted !== undefined && granted >= atMost) continue
      if (filter === topic || (hasWildcard(filter) && topicMatches(filter, topic))) granted = atMost
    }
    return granted === undefined || granted > qos ? qos : granted
  }
}
