import type { Duplex } from 'node:stream'
import type { Mount } from '../../lib/mount.ts'
import { accountOf } from '../../lib/owner.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { ClientCertificate, Session } from '../bus.ts'
import { Acks } from './acks.ts'
import type { Listening } from './fan-out.ts'
import { PacketGate } from './packet-gate.ts'
import type { KeptSession } from './sessions.ts'
import type { Terms } from './terms.ts'
import type { Window } from './window.ts'
import { disconnect } from './wire/encode.ts'
import type { Level, Qos, Will } from './wire/packets.ts'
import { BadPacket, type Reason, reasons } from './wire/reasons.ts'

export type Outcome = 'stored' | 'refused' | 'repeated' | 'failed'
type Answer = (outcome: Outcome) => void
export type PendingAnswer = { answer: Answer; outcome?: Outcome }
type Options<S extends Session> = {
  address: string
  certificate: ClientCertificate | undefined
  arrived: () => void
  packetBytes: number
  connectTimeoutMs: number
  /** `handled` is called once when the work for the packet is done. */
  take: (connection: Connection<S>, header: number, body: Buffer, handled: () => void) => void
  refuse: (connection: Connection<S>, level: number) => void
  failed: (connection: Connection<S>, error: Error) => void
}

const MAX_MESSAGE_ID = 65_535
/** A client that reads nothing for so long loses its connection. */
const DRAIN_MS = 60_000
/** How long a client has to read the last packet, behind everything that was sent before. */
const GOODBYE_MS = 5000
const REFUSED_MS = 500

/** One client, from its first byte until all of its messages are handled. */
export class Connection<S extends Session> {
  readonly conn: Duplex
  readonly gate: PacketGate
  readonly acks: Acks
  readonly address: string
  readonly certificate: ClientCertificate | undefined
  readonly #failed: (error: Error) => void
  level: Level = 4
  /** As the client sent it, until sign-in. Then the name of the client. */
  name = ''
  isSigningIn = false
  /** Undefined for MQTT 3. */
  terms: Terms | undefined
  /** For MQTT 5 without a kept session. */
  window: Window | undefined
  /** CONNACK is sent. */
  isAccepted = false
  /** The session outlives the connection. */
  kept: KeptSession | undefined
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
  /** Undefined also after DISCONNECT, and before it is on disk. */
  will: Will | undefined
  isBridge = false
  /** Call this when the client has signed in or is gone. */
  readonly arrived: () => void
  /** The client has signed in, and the old messages of its kept session are repeated. */
  isReady = false
  /** Set when it is ready. */
  entered: { id: number; since: UnixMs } | undefined
  /** Call this when a client that was ready is gone. */
  left: (() => void) | undefined
  /** The connection that this one replaces. It ends first. */
  before: Connection<Session> | undefined
  /** Resolves when CONNECT is handled. */
  signedIn: Promise<void> = Promise.resolve()
  /** Resolves when the connection is gone and all of its messages are handled. */
  ended: Promise<void> = Promise.resolve()
  /** The filters that were granted. */
  readonly filters = new Map<string, Listening<Connection<S>>>()
  /** Filters whose retained messages are not yet sent. */
  readonly retainedFor = new Map<string, { qos: Qos; id?: number | undefined }>()
  isSendingRetained = false
  readonly #pending: PendingAnswer[] = []
  #will: Promise<void> | undefined
  #idle: (() => void) | undefined
  #lastId = 0
  readonly #gone = Promise.withResolvers<void>()
  #isClosed = false
  #isCorked = false
  #drain: Promise<void> | undefined
  /** Ends the connection: CONNECT did not come in time, or the client was silent for too long. */
  #timer: NodeJS.Timeout | undefined

  constructor(conn: Duplex, options: Options<S>) {
    const { address, certificate, arrived, packetBytes, connectTimeoutMs } = options
    const { take, refuse, failed } = options
    this.conn = conn
    this.address = address
    this.certificate = certificate
    this.arrived = arrived
    this.acks = new Acks(this)
    this.#failed = (error) => failed(this, error)
    this.gate = new PacketGate(conn, {
      limit: packetBytes,
      take: (header, body, handled) => take(this, header, body, handled),
      refuse: (level) => refuse(this, level),
      fail: (error) => this.fail(error)
    })
    conn.on('error', this.#failed)
    conn.on('end', () => this.close())
    conn.once('close', () => this.close())
    this.#timer = setTimeout(
      () => this.fail(new Error('connect did not arrive in time')),
      connectTimeoutMs
    )
  }

  /** Resolves when nothing more is read from the client. */
  get whenClosed(): Promise<void> {
    return this.#gone.promise
  }

  get isClosed(): boolean {
    return this.#isClosed || this.conn.destroyed
  }

  signIn(session: S): void {
    this.session = session
    this.owner = session.owner
    this.account = accountOf(session.owner)
    this.mount = session.mount
  }

  /** False: the client does not read as fast as the broker writes. */
  write(bytes: Buffer): boolean {
    if (this.isClosed) return true
    if (!this.#isCorked) {
      this.#isCorked = true
      this.conn.cork()
      // Everything that is written in this round goes out together.
      process.nextTick(() => this.#flush())
    }
    return this.conn.write(bytes)
  }

  /** Resolves when the client reads again, or is gone. Undefined: it reads. */
  drained(): Promise<void> | undefined {
    if (!this.conn.writableNeedDrain || this.isClosed) return undefined
    this.#drain ??= new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.fail(new Error('drain timeout')), DRAIN_MS).unref()
      const goOn = () => {
        clearTimeout(timer)
        this.conn.off('drain', goOn)
        this.conn.off('close', goOn)
        this.#drain = undefined
        resolve()
      }
      this.conn.on('drain', goOn)
      this.conn.on('close', goOn)
    })
    return this.#drain
  }

  /** [MQTT-3.1.2-22] Ends the connection when the client is silent for one and a half times as long. */
  keepAlive(seconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (seconds === 0 || this.isClosed) return
    this.#timer = setTimeout(() => {
      // The client is not silent if the broker does not read.
      if (this.conn.readableLength > 0) this.heard()
      else this.fail(new BadPacket(reasons.keepAlive, 'keep alive timeout'))
    }, seconds * 1500)
  }

  /** A packet came. */
  heard(): void {
    this.#timer?.refresh()
  }

  /** Ends the connection because of something that the client did. */
  fail(error: Error): void {
    if (this.isClosed) return
    this.#failed(error)
    if (error instanceof BadPacket) this.close(error.reason, error.message)
    else this.close()
  }

  /** A client of MQTT 5 is told why. */
  close(reason?: Reason, text = ''): void {
    if (this.terms && this.isAccepted && reason !== undefined) {
      this.closeWith(disconnect(reason, text), disconnect(reason))
      return
    }
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.gate.hold()
    this.#flush()
    this.conn.destroy()
    this.#gone.resolve()
  }

  /** [MQTT-3.1.2-24] */
  canTake({ length }: Buffer): boolean {
    return length <= (this.terms?.maximumPacketSize ?? Number.POSITIVE_INFINITY)
  }

  /** Writes an answer that may be large. A client that cannot take it loses its connection. */
  answer(bytes: Buffer): void {
    if (this.canTake(bytes)) this.write(bytes)
    else this.fail(new BadPacket(reasons.tooLarge, 'the answer is too large for the client'))
  }

  /** Ends the connection with a last packet: the first of these that the client can take. */
  closeWith(...packets: Buffer[]): void {
    if (this.isClosed) return
    const bytes = packets.find((packet) => this.canTake(packet))
    if (!bytes) {
      this.close()
      return
    }
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.gate.drop()
    this.#gone.resolve()
    const wait = this.isAccepted ? GOODBYE_MS : REFUSED_MS
    const timer = setTimeout(() => this.conn.destroy(), wait).unref()
    this.conn.once('close', () => clearTimeout(timer))
    this.#flush()
    this.conn.end(bytes)
  }

  /** The packet id of a message whose receiver has no kept session. */
  nextId(): number {
    this.#lastId = (this.#lastId % MAX_MESSAGE_ID) + 1
    return this.#lastId
  }

  get isBusy(): boolean {
    if (this.#pending.length > 0 || this.#will) return true
    return !this.conn.destroyed && (this.conn.writableLength > 0 || !this.acks.isEmpty)
  }

  /** [MQTT 4.6.0] Acknowledgements keep the order of arrival, whenever the handler resolves. */
  take(answer: Answer): PendingAnswer {
    const pending: PendingAnswer = { answer }
    this.#pending.push(pending)
    return pending
  }

  settle(pending: PendingAnswer, outcome: Outcome): void {
    pending.outcome = outcome
    for (let next = this.#pending[0]; next?.outcome; next = this.#pending[0]) {
      this.#pending.shift()
      next.answer(next.outcome)
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

  #flush(): void {
    if (this.#isCorked) this.conn.uncork()
    this.#isCorked = false
  }
}
