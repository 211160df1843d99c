import type { Duplex } from 'node:stream'
import type { Client, ConnectPacket } from 'aedes'
import type { Mount } from '../../lib/mount.ts'
import { accountOf } from '../../lib/owner.ts'
import type { Session } from '../bus.ts'
import { brokerId, type Listening } from './fan-out.ts'
import type { PacketGate } from './packet-gate.ts'
import { Pubacks } from './pubacks.ts'

type Outcome = 'stored' | 'refused' | 'repeated' | 'failed'
type Answer = (outcome: Outcome, error?: Error) => void
export type PendingAnswer = { answer: Answer; outcome?: Outcome; error?: Error }

/** One client, from its first byte until all of its messages are handled. */
export class Connection<S extends Session> {
  readonly client: Client
  readonly conn: Duplex
  readonly gate: PacketGate
  readonly pubacks: Pubacks
  readonly address: string
  /** Undefined before sign-in, and when the token, user or key is no longer valid. */
  session: S | undefined
  owner: string | undefined
  /** Whose limits it counts for. */
  account = ''
  /** Topics of its packets get it when they arrive, and lose it when they are sent. */
  mount: Mount | undefined
  /** Who pays for it. */
  payers: readonly string[] = []
  /** Its messages are handled in the turns of this tenant. */
  tenant = ''
  will: ConnectPacket['will']
  isBridge = false
  /** [MQTT 3.1.3-8] It asks for a kept session and has no client id, which is refused. */
  isNameless = false
  /** Call this when the client has signed in or is gone. */
  readonly arrived: () => void
  /** The client has signed in, and the old messages of its kept session are repeated. */
  isReady = false
  /** Call this when a client that was ready is gone. */
  left: (() => void) | undefined
  /** The connection that this one replaces. It ends first. */
  before: Connection<Session> | undefined
  ended: Promise<void> = Promise.resolve()
  /** The filters that were granted. */
  readonly filters = new Map<string, Listening<Connection<Session>>>()
  /** Filters whose retained messages are not yet sent. */
  readonly retainedFor = new Map<string, 0 | 1 | 2>()
  isSendingRetained = false
  readonly #pending: PendingAnswer[] = []
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
    this.pubacks = new Pubacks(client)
    this.address = address
    this.arrived = arrived
  }

  signIn(session: S): void {
    this.session = session
    this.owner = session.owner
    this.account = accountOf(session.owner)
    this.mount = session.mount
    // Its topic came with CONNECT, before the mount was known.
    if (this.mount && this.will) this.will.topic = this.mount.enter(this.will.topic)
  }

  get isBusy(): boolean {
    if (this.#pending.length > 0 || this.#will) return true
    return !this.conn.destroyed && this.conn.writableLength > 0
  }

  /** [MQTT 4.6.0] Acknowledgements keep the order of arrival, whenever the handler resolves. */
  take(answer: Answer): PendingAnswer {
    const pending: PendingAnswer = { answer }
    this.#pending.push(pending)
    return pending
  }

  settle(pending: PendingAnswer, outcome: Outcome, error?: Error): void {
    pending.outcome = outcome
    pending.error = error
    for (let next = this.#pending[0]; next?.outcome; next = this.#pending[0]) {
      this.#pending.shift()
      next.answer(next.outcome, next.error)
    }
    if (this.#pending.length === 0) this.#idle?.()
  }

  sendWill(sent: Promise<void>): void {
    this.#will = sent.finally(() => {
      this.#will = undefined
    })
  }

  /** Resolves when the will and all messages are handled. */
  async whenIdle(): Promise<void> {
    await this.#will
    if (this.#pending.length === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }
}

/**
 * Aedes takes a message for a duplicate if a later one was delivered first. This happens when QoS 0
 * overtakes a QoS 1 message that is being queued. `Deliveries` finds duplicates instead.
 */
export function keepDuplicates(client: Client & { duplicates?: object }): void {
  Object.defineProperty(client.duplicates ?? {}, brokerId, { get: () => 0, set: () => {} })
}

/** Gives bytes to the parser, as Aedes does with bytes that it reads itself. */
export function parse(
  client: Client & { _parser?: { parse(bytes: Buffer): void } },
  bytes: Buffer
): void {
  if (!client.closed) client._parser?.parse(bytes)
}
