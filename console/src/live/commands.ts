import { useSyncExternalStore } from 'react'
import { Store } from '../store.ts'
import { NotConnected, publish } from './connection.ts'
import { type Asked, isSame, payloadOf } from './control.ts'
import type { Row } from './shown.ts'
import type { LiveValues, Value } from './values.ts'

/**
 * `sent`: the broker has it. `silent`: the device said nothing in time. `blind`: the function has no
 * topic on which a device could answer. `failed`: it was not sent. `lost`: the connection ended
 * before the broker said that it has it, so nobody knows.
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
  answer?: Value
  reason?: string
}

/** A device that answers later is told as silent, until it answers. */
const ANSWER_WITHIN_MS = 10_000
const CONFIRMED_FOR_MS = 8000

/** Why the platform refused a message on a topic since a time; undefined if it did not. */
export type WhyRefused = (topic: string, since: number) => Promise<string | undefined>

/** The commands of a page. They stay while their rows are scrolled away. */
export class Commands {
  readonly #values: LiveValues
  readonly #whyRefused: WhyRefused
  readonly #commands = new Map<string, Command>()
  readonly #stops = new Map<string, () => void>()
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #drafts = new Map<string, string>()
  /** The command that waits for a yes. */
  readonly question = new Store<{ row: Row; asked: Asked } | undefined>(undefined)
  /** The newest change, for those who do not see it. */
  readonly news = new Store<{ row: Row; command: Command } | undefined>(undefined)

  constructor(values: LiveValues, whyRefused: WhyRefused) {
    this.#values = values
    this.#whyRefused = whyRefused
  }

  /** Sends, or asks first where the metadata says so. */
  ask(row: Row, asked: Asked): void {
    if (row.meta.confirm?.trim()) this.question.set({ row, asked })
    else void this.send(row, asked)
  }

  async send(row: Row, asked: Asked): Promise<void> {
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
      ? this.#values.watch(topic, () => {
          const answer = this.#values.get(topic)
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
      const reason = await this.#whyRefused(write, command.at).catch(() => undefined)
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
    if (!this.#isNewest(key, command, 'confirmed')) return
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

/** Who reads the topic of commands hears the own command, which is no answer. */
const hasAnswers = ({ topic, write, meta }: Row): boolean => !!meta.topic_read && topic !== write
