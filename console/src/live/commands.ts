import { useSyncExternalStore } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { call } from '../session/session.ts'
import { Store } from '../store.ts'
import { NotConnected, publish } from './connection.ts'
import { type Asked, answerOf, isSame, payloadOf } from './control.ts'
import type { Row } from './shown.ts'
import { type LiveValues, readValue, type Value } from './values.ts'

/**
 * `sent`: the broker has it. `silent`: the device said nothing in time. `blind`: the function has no
 * topic on which a device could answer. `failed`: it was not sent. `lost`: the connection ended
 * before the broker said that it has it, so nobody knows. `answered` and `unanswered`: the platform
 * waited for the answer to this very command, see `answerOf`.
 */
export type Command = {
  asked: Asked
  at: number
  state:
    | 'sending'
    | 'sent'
    | 'confirmed'
    | 'different'
    | 'silent'
    | 'blind'
    | 'failed'
    | 'lost'
    | 'refused'
    | 'answered'
    | 'unanswered'
  answer?: Value
  /** What the device answered, if it is no value. */
  text?: string
  reason?: string
}

/** A device that answers later is told as silent, until it answers. */
export const ANSWER_WITHIN_MS = 10_000
const CONFIRMED_FOR_MS = 8000
/** No answer in time: the device is silent, and nothing is wrong with the platform. */
const NO_ANSWER = 504

/** Why the platform refused a message on a topic since a time; undefined if it did not. */
export type WhyRefused = (topic: string, since: number) => Promise<string | undefined>

/** Messages to every device, and commands to those that answer. */
export type MaySend = { publish: boolean; command: boolean }

type Parts = { installationId: number; values: LiveValues; whyRefused: WhyRefused; may: MaySend }

/** The commands of a page. They stay while their rows are scrolled away. */
export class Commands {
  readonly #parts: Parts
  readonly #commands = new Map<string, Command>()
  readonly #stops = new Map<string, () => void>()
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #drafts = new Map<string, string>()
  /** The command that waits for a yes. */
  readonly question = new Store<{ row: Row; asked: Asked } | undefined>(undefined)
  /** The newest change, for those who do not see it. */
  readonly news = new Store<{ row: Row; command: Command } | undefined>(undefined)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Without a broker for browsers only those can be controlled that the platform commands. */
  reaches(row: Row, hasBroker: boolean): boolean {
    return (hasBroker && this.#parts.may.publish) || this.#answerOf(row) !== undefined
  }

  /** Sends, or asks first where the metadata says so. */
  ask(row: Row, asked: Asked): void {
    if (row.meta.confirm?.trim()) this.question.set({ row, asked })
    else void this.send(row, asked)
  }

  send(row: Row, asked: Asked): Promise<void> {
    const how = this.#answerOf(row)
    return how ? this.#command(row, asked, how) : this.#publish(row, asked)
  }

  #answerOf(row: Row): ReturnType<typeof answerOf> {
    return this.#parts.may.command ? answerOf(row) : undefined
  }

  /** The platform sends it and waits for the answer. */
  async #command(row: Row, asked: Asked, how: { response_topic?: string }): Promise<void> {
    const { key, write: topic = '' } = row
    const { installationId: installation_id } = this.#parts
    this.#stops.get(key)?.()
    const command: Command = { asked, at: Date.now(), state: 'sent' }
    if (!navigator.onLine) {
      this.#become(row, { ...command, state: 'failed' })
      return
    }
    this.#become(row, command)
    const body = { topic, payload: payloadOf(asked), timeout: ANSWER_WITHIN_MS / 1000, ...how }
    const outcome = await call((caracal) =>
      caracal.post('/api/v2/command/{installation_id}', { path: { installation_id }, body })
    ).then(answeredBy, failedBy)
    if (!this.#isNewest(key, command, 'sent')) return
    this.#become(row, { ...command, ...outcome })
    // Without a topic of values the answer is all that is known about the device.
    if (outcome.state !== 'answered' || !hasAnswers(row)) return
    const forget = setTimeout(() => this.#forget(key, command), CONFIRMED_FOR_MS)
    this.#stops.set(key, () => clearTimeout(forget))
  }

  async #publish(row: Row, asked: Asked): Promise<void> {
    const { key, write = '' } = row
    this.#stops.get(key)?.()
    const command: Command = { asked, at: Date.now(), state: 'sending' }
    this.#become(row, command)
    // The answer may be here before the acknowledgement.
    this.#follow(row, command)
    try {
      await publish(write, payloadOf(asked))
      if (this.#isNewest(key, command, 'sending')) {
        this.#become(row, { ...command, state: hasAnswers(row) ? 'sent' : 'blind' })
      }
    } catch (error) {
      if (!this.#isNewest(key, command, 'sending')) return
      this.#stops.get(key)?.()
      const state = error instanceof NotConnected ? 'failed' : 'lost'
      this.#become(row, { ...command, state })
    }
  }

  #isNewest(key: string, { at }: Command, ...states: Command['state'][]): boolean {
    const now = this.#commands.get(key)
    return now?.at === at && states.includes(now.state)
  }

  #follow(row: Row, command: Command): void {
    const { key, topic, write = '' } = row
    let forget: ReturnType<typeof setTimeout> | undefined
    const stopWatching = hasAnswers(row)
      ? this.#parts.values.watch(topic, () => {
          const answer = this.#parts.values.get(topic)
          if (!answer || answer.arrived < command.at) return
          const isDone = isSame(command.asked, answer, row.meta)
          this.#become(row, { ...command, answer, state: isDone ? 'confirmed' : 'different' })
          if (!isDone) return
          this.#stops.get(key)?.()
          forget = setTimeout(() => this.#forget(key, command), CONFIRMED_FOR_MS)
        })
      : () => {}
    const late = setTimeout(async () => {
      if (this.#isNewest(key, command, 'sent')) this.#become(row, { ...command, state: 'silent' })
      const reason = await this.#parts.whyRefused(write, command.at).catch(() => undefined)
      if (reason === undefined || !this.#isNewest(key, command, 'silent', 'blind')) return
      this.#become(row, { ...command, state: 'refused', reason })
    }, ANSWER_WITHIN_MS)
    this.#stops.set(key, () => {
      stopWatching()
      clearTimeout(late)
      clearTimeout(forget)
    })
  }

  #become(row: Row, command: Command): void {
    this.#commands.set(row.key, command)
    this.#tell(row.key)
    if (command.state !== 'sending') this.news.set({ row, command })
  }

  #forget(key: string, command: Command): void {
    if (!this.#isNewest(key, command, 'confirmed', 'answered')) return
    this.#commands.delete(key)
    this.#tell(key)
  }

  #tell(key: string): void {
    for (const watcher of this.#watchers.get(key) ?? []) watcher()
  }

  useCommand(key: string): Command | undefined {
    return useSyncExternalStore(
      (watcher) => {
        const watchers = this.#watchers.get(key) ?? new Set()
        this.#watchers.set(key, watchers.add(watcher))
        return () => watchers.delete(watcher)
      },
      () => this.#commands.get(key)
    )
  }

  /** What was typed and not sent; it survives scrolling. */
  draft(key: string): string | undefined {
    return this.#drafts.get(key)
  }

  setDraft(key: string, text: string | undefined): void {
    if (text === undefined) this.#drafts.delete(key)
    else this.#drafts.set(key, text)
  }

  close(): void {
    for (const stop of this.#stops.values()) stop()
  }
}

type Outcome = Pick<Command, 'state' | 'answer' | 'text' | 'reason'>

function answeredBy({ payload = '' }: { payload?: string }): Outcome {
  const answer = readValue(new TextEncoder().encode(payload), Date.now())
  return answer ? { state: 'answered', answer } : { state: 'answered', text: payload }
}

/** Without an answer of the platform nobody knows whether it was sent. */
function failedBy(error: Error): Outcome {
  if (!(error instanceof CaracalError)) return { state: 'lost' }
  if (error.status === NO_ANSWER) return { state: 'unanswered' }
  return { state: 'refused', reason: error.message }
}

/** Who reads the topic of commands hears the own command, which is no answer. */
const hasAnswers = ({ topic, write, meta }: Row): boolean => !!meta.topic_read && topic !== write
