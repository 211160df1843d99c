import { randomBytes } from 'node:crypto'
import type { Bus, HeardMessage, PublishOptions } from '../../bus/bus.ts'
import {
  ApiError,
  answerTooLarge,
  commandNotSent,
  noAnswer,
  stoppingNow,
  tooManyCommands
} from '../../http/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { Tally } from '../../lib/tally.ts'
import { SECOND, type UnixMs } from '../../lib/unix-time.ts'
import { MAX_ANSWER_BYTES } from './schema.ts'

export type Command = {
  topic: string
  /** Empty when it is sent, because a command waits longer than it is needed. */
  payload: string
  responseTopic: string
  timeoutMs: number
  options: Pick<PublishOptions, 'qos' | 'tenant' | 'contentType'>
}
export type Caller = {
  installationId: number
  /** The account: its commands are counted together. */
  owner: string
  /** Called when it is on its way: from now on the device may have it. */
  onSent: (payload: string) => void
  /** Aborts when the caller no longer waits. */
  signal: AbortSignal
}
export type Answer = HeardMessage & { at: UnixMs }

/** Waiting commands, on this node. */
export const MAX_WAITING = { installation: 20, account: 100 }
/** As text they are 16 bytes. Some devices take correlation data for a text. */
const CORRELATION_BYTES = 12

/** Commands that wait for their answers. */
export class Commands {
  readonly #parts: { bus: Pick<Bus, 'publish' | 'hear'>; clock: Clock }
  readonly #counts = { installation: new Tally(), account: new Tally() }
  /** Each ends one that waits. */
  readonly #ends = new Set<() => void>()
  #isStopped = false

  constructor(parts: { bus: Pick<Bus, 'publish' | 'hear'>; clock: Clock }) {
    this.#parts = parts
  }

  get waiting(): number {
    return this.#counts.installation.total
  }

  /** Ends all that wait. */
  stop(): void {
    this.#isStopped = true
    for (const end of this.#ends) end()
  }

  /** Resolves with the answer. The message is not sent before the answer can be heard. */
  async send(command: Command, caller: Caller): Promise<Answer> {
    const { bus, clock } = this.#parts
    const { responseTopic, timeoutMs } = command
    const { signal } = caller
    const leave = this.#enter(caller)
    const answer = Promise.withResolvers<Answer>()
    // It may fail while nobody waits for it yet.
    answer.promise.catch(() => {})
    const correlationData = Buffer.from(randomBytes(CORRELATION_BYTES).toString('base64url'))
    /** From the moment of sending until the answer is there. */
    let isOpen = false
    const hearing = bus.hear(responseTopic, (heard) => {
      const isOther = heard.correlationData && !correlationData.equals(heard.correlationData)
      if (!isOpen || isOther) return false
      isOpen = false
      if (bytesOf(heard) > MAX_ANSWER_BYTES) answer.reject(answerTooLarge(MAX_ANSWER_BYTES))
      else answer.resolve({ ...heard, at: clock() })
      return true
    })
    const cancelled = () => answer.reject(signal.reason)
    const end = () => answer.reject(stoppingNow())
    const timer = setTimeout(() => answer.reject(noAnswer(timeoutMs / SECOND)), timeoutMs)
    signal.addEventListener('abort', cancelled, { once: true })
    this.#ends.add(end)
    try {
      if (signal.aborted) throw signal.reason
      if (this.#isStopped) throw stoppingNow()
      await Promise.race([hearing, answer.promise])
      isOpen = true
      caller.onSent(command.payload)
      this.#publish(command, correlationData).catch(answer.reject)
      command.payload = ''
      return await answer.promise
    } catch (error) {
      throw error instanceof ApiError || signal.aborted ? error : commandNotSent(error)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancelled)
      this.#ends.delete(end)
      hearing.then(
        (stop) => stop(),
        () => {}
      )
      leave()
    }
  }

  #publish(
    { topic, payload, responseTopic, timeoutMs, options }: Command,
    correlationData: Buffer
  ): Promise<void> {
    return this.#parts.bus.publish(topic, payload, {
      ...options,
      ...{ responseTopic, correlationData },
      expirySeconds: Math.ceil(timeoutMs / SECOND),
      // What comes back from an external broker must not be mapped.
      isStored: true
    })
  }

  #enter({ installationId, owner }: Caller): () => void {
    const keys = { installation: String(installationId), account: owner }
    const all = (['installation', 'account'] as const).map((whose) => ({
      whose,
      key: keys[whose],
      tally: this.#counts[whose]
    }))
    for (const { whose, key, tally } of all) {
      if (tally.of(key) >= MAX_WAITING[whose]) throw tooManyCommands(whose, MAX_WAITING[whose])
    }
    for (const { key, tally } of all) tally.add(key, 1)
    return () => {
      for (const { key, tally } of all) tally.add(key, -1)
    }
  }
}

function bytesOf({ payload, contentType = '', userProperties }: HeardMessage): number {
  let bytes = payload.length + Buffer.byteLength(contentType)
  for (const { name, value } of userProperties) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  return bytes
}
