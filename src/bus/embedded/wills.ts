import type { Clock } from '../../lib/clock.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type { KeptWill } from './store/changes.ts'
import { bytesOf, type Store } from './store/store.ts'
import type { Will } from './wire/packets.ts'

type Delayed = { timer: NodeJS.Timeout; fire: () => Promise<void> }

/** A timer cannot be longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The wills of open connections, and the wills that the last process did not send. */
export class Wills {
  readonly #store: Store
  readonly #clock: Clock
  readonly #left = new Map<string, KeptWill>()
  readonly #sending = new Map<string, Promise<void>>()
  readonly #delayed = new Map<string, Delayed>()
  #isStopping = false

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** A will that waited goes on waiting for the rest of its delay. */
  restore(wills: KeptWill[]): void {
    const now = this.#clock()
    for (const { due, ...will } of wills) {
      const delay = due === undefined ? will.delay : Math.max(0, due - now) / SECOND
      this.#left.set(will.name, { ...will, delay })
    }
  }

  /**
   * [MQTT 3.1.2.5] From now on connections end because the broker stops. Their wills stay on disk
   * and are sent at the next start.
   */
  withhold(): void {
    this.#isStopping = true
    for (const { timer } of this.#delayed.values()) clearTimeout(timer)
  }

  get areWithheld(): boolean {
    return this.#isStopping
  }

  put(name: string, will: Will, sealed: string): Promise<void> {
    const { payload, properties } = will
    return this.#store.write({
      ...{ ...will, kind: 'will', name, sealed, payload: bytesOf(payload) },
      properties: properties && bytesOf(properties)
    })
  }

  /** [MQTT-3.1.3-9] Sends the will later, if the client does not come back. */
  delay(name: string, seconds: number, send: () => Promise<void>): void {
    const fire = () => {
      this.#delayed.delete(name)
      return send()
    }
    const timer = setTimeout(() => void fire(), Math.min(seconds * SECOND, LONGEST_TIMER_MS))
    this.#delayed.set(name, { timer: timer.unref(), fire })
    const at = Math.ceil(this.#clock() + seconds * SECOND)
    this.#store.write({ kind: 'due', name, at }).catch(() => {})
  }

  /** The client is back. Its will is sent only if the session of before ends. */
  async returned(name: string, isClean: boolean): Promise<void> {
    const delayed = this.#delayed.get(name)
    if (!delayed) return
    clearTimeout(delayed.timer)
    this.#delayed.delete(name)
    await (isClean ? delayed.fire() : this.remove(name))
  }

  /** The will was sent or refused, or the client sent DISCONNECT. */
  remove(name: string): Promise<void> {
    if (this.#isStopping) return Promise.resolve()
    return this.#store.write({ kind: 'unwill', name })
  }

  leftBehind(): IteratorObject<KeptWill> {
    return [...this.#left.values()].values()
  }

  /** Sends the will that the last process did not send for this client. */
  sendLeft(name: string, send: (will: KeptWill) => Promise<void>): Promise<void> {
    let sending = this.#sending.get(name)
    const will = this.#left.get(name)
    if (!sending && will) {
      sending = send(will)
        .then(() => this.#forgetLeft(name))
        .finally(() => this.#sending.delete(name))
      this.#sending.set(name, sending)
    }
    return sending ?? Promise.resolve()
  }

  /** The same, when its client is back. A will with a delay is then not sent. */
  settleLeft(
    name: string,
    isClean: boolean,
    send: (will: KeptWill) => Promise<void>
  ): Promise<void> {
    const isInTime = (this.#left.get(name)?.delay ?? 0) > 0 && !this.#sending.has(name)
    return isInTime && !isClean ? this.#forgetLeft(name) : this.sendLeft(name, send)
  }

  #forgetLeft(name: string): Promise<void> {
    this.#left.delete(name)
    return this.#store.write({ kind: 'unwill', name })
  }
}
