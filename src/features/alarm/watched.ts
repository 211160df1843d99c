import {
  isOpen,
  newState,
  type Transition,
  type Watch,
  type WatchState
} from '../../lib/alarm/judge.ts'
import type { ActiveRule, RuledBy, RuleSet } from '../../lib/alarm/rule-set.ts'
import { ownText } from '../../lib/own-text.ts'
import { Turns } from '../../lib/turns.ts'
import { type Due, NOWHERE } from './due-times.ts'
import { HeldClock } from './held-clock.ts'
import {
  emptyHead,
  HEAD,
  type HeadState,
  headOf,
  partOf,
  partText,
  type StateRow
} from './states.ts'

/** An alarm that was raised, and maybe cleared since. */
export type Raised = {
  by: RuleWatch
  raised_at: number
  value: number | null
  isTold: boolean
  cleared_at: number | null
}
/** An alarm in the registry that is over. */
export type Cleared = { rule_id: number; topic: string; raised_at: number; cleared_at: number }

/** A rule on a topic, and what it has seen. */
export type RuleWatch = Due & {
  rule: ActiveRule
  watch: Watch
  readonly state: WatchState
  readonly topic: WatchedTopic
  /** Its last alarm, if that is not in the registry yet. */
  fresh: Raised | undefined
}
export type WatchedTopic = { readonly name: string; readonly part: Part; watches: RuleWatch[] }

const TOPICS_PER_PART = 500
/** Of the nodes that have sent values of the topics. */
const MAX_CURSORS = 64
/** Topics without a rule that are remembered as such. */
const MAX_FREE_TOPICS = 10_000

type Cursor = { id: number }

/** Some topics of an installation. Its state and its alarms are written together. */
export class Part {
  readonly number: number
  readonly installation: Watched
  readonly topics = new Map<string, WatchedTopic>()
  readonly #cursors: Map<string, Cursor>
  /** The one that was asked for last: mostly it is the next one, too. */
  #node = ''
  #cursor: Cursor = { id: 0 }
  /** They are not in the registry yet. */
  raised: Raised[] = []
  cleared: Cleared[] = []
  /** The group of the spool after which this part needs the samples again. */
  needsAfter = Number.POSITIVE_INFINITY
  /** Since when it differs from the registry; Infinity: it does not. */
  changedAt = Number.POSITIVE_INFINITY
  /** Somebody waits until it is written. */
  isAwaited = false

  constructor(installation: Watched, number: number, cursors: ReadonlyMap<string, number>) {
    this.installation = installation
    this.number = number
    this.#cursors = new Map(Array.from(cursors, ([node, id]) => [node, { id }]))
  }

  get isUrgent(): boolean {
    return this.isAwaited || this.raised.length > 0 || this.cleared.length > 0
  }

  /** The last sample of a node that was judged. */
  cursorOf(node: string): Cursor {
    if (this.#node === node) return this.#cursor
    let cursor = this.#cursors.get(node)
    if (!cursor) {
      cursor = { id: 0 }
      if (this.#cursors.size >= MAX_CURSORS) this.#forgetOldest()
      this.#cursors.set(node, cursor)
    }
    this.#node = node
    this.#cursor = cursor
    return cursor
  }

  /** Null: nothing is left of it. */
  get text(): string | null {
    if (this.topics.size === 0) return null
    const topics = new Map<string, Map<number, WatchState>>()
    for (const { name, watches } of this.topics.values()) {
      topics.set(name, new Map(watches.map(({ rule, state }) => [rule.id, state])))
    }
    const cursors = new Map(Array.from(this.#cursors, ([node, { id }]) => [node, id]))
    return partText({ cursors, topics })
  }

  /** Nodes come and go, and each has a new id if it has a new directory. */
  #forgetOldest(): void {
    const [oldest] = [...this.#cursors].sort(([, a], [, b]) => a.id - b.id)
    if (oldest) this.#cursors.delete(oldest[0])
  }

  /** `raised_at`: of the alarm that was open before; NaN if there was none. */
  note(by: RuleWatch, transition: Transition, raised_at: number, isTold: boolean): void {
    if (transition.kind === 'cleared') {
      if (!Number.isNaN(raised_at)) this.clear(by, raised_at, transition.at)
      return
    }
    const { at, value } = transition
    by.fresh = { by, raised_at: at, value, isTold, cleared_at: null }
    this.raised.push(by.fresh)
  }

  clear(by: RuleWatch, raised_at: number, cleared_at: number): void {
    if (by.fresh) by.fresh.cleared_at = cleared_at
    else this.cleared.push({ rule_id: by.rule.id, topic: by.topic.name, raised_at, cleared_at })
  }
}

/** What watches an installation, and in which zone. `read`: rules and functions that were read. */
export type Rules = { rules: RuleSet; zone: string; read: number }

/** An installation with rules: all its topics that have sent something and have a rule. */
export class Watched {
  readonly id: number
  readonly clientId: number
  readonly partition: number
  rules: RuleSet
  zone: string
  /** Without the time in which its gateway was gone. It runs behind the clock of the partition. */
  readonly clock: HeldClock
  readonly wasConnected: boolean
  readonly #topics = new Map<string, WatchedTopic>()
  readonly #free = new Set<string>()
  readonly #parts: Part[] = []
  /** They wait until the gateway is back. */
  readonly parked = new Set<RuleWatch>()

  constructor(
    { id, clientId, partition }: { id: number; clientId: number; partition: number },
    { rules, zone }: Rules,
    { head, running }: { head: HeadState; running: number }
  ) {
    this.id = id
    this.clientId = clientId
    this.partition = partition
    this.rules = rules
    this.zone = zone
    this.clock = new HeldClock(head, running)
    this.wasConnected = head.wasConnected
  }

  get parts(): readonly Part[] {
    return this.#parts
  }

  /** Of its rules on topics. */
  get count(): number {
    let count = 0
    for (const { watches } of this.#topics.values()) count += watches.length
    return count
  }

  *watches(): Generator<RuleWatch> {
    for (const { watches } of this.#topics.values()) yield* watches
  }

  /** Undefined: no rule watches the topic. */
  topic(name: string): WatchedTopic | undefined {
    const known = this.#topics.get(name)
    if (known || this.#free.has(name)) return known
    const ruled = this.rules.of(name)
    const own = ownText(name)
    if (ruled.length === 0) {
      if (this.#free.size >= MAX_FREE_TOPICS) this.#free.clear()
      this.#free.add(own)
      return undefined
    }
    return this.#add(own, this.#partWithRoom(), ruled, new Map())
  }

  /** What the registry has. Alarms of rules that are gone, or no longer on the topic, are cleared. */
  async restore(rows: readonly StateRow[], now: number): Promise<void> {
    const turns = new Turns()
    for (const { part: number, state } of rows) {
      if (number === HEAD) continue
      const { cursors, topics } = partOf(state)
      const part = new Part(this, number, cursors)
      this.#parts.push(part)
      for (const [name, states] of topics) {
        if (turns.isLate()) await turns.next()
        const ruled = this.rules.of(name)
        for (const [rule_id, state] of states) {
          if (ruled.some(({ rule }) => rule.id === rule_id)) continue
          part.changedAt = Math.min(part.changedAt, now)
          if (!isOpen(state)) continue
          const { o: raised_at } = state
          part.cleared.push({ rule_id, topic: name, raised_at, cleared_at: now })
        }
        if (ruled.length > 0) this.#add(name, part, ruled, states)
      }
      await turns.next()
    }
  }

  /**
   * New rules. States of rules that stay are kept. Answers the watches that ended; their alarms are
   * cleared.
   */
  async setRules({ rules, zone }: Rules, now: number): Promise<RuleWatch[]> {
    this.rules = rules
    this.zone = zone
    this.#free.clear()
    const ended: RuleWatch[] = []
    const turns = new Turns()
    for (const topic of [...this.#topics.values()]) {
      if (turns.isLate()) await turns.next()
      const { name, part } = topic
      const ruled = rules.of(name)
      const before = new Map(topic.watches.map((one) => [one.rule.id, one]))
      topic.watches = ruled.map((one) => {
        const known = before.get(one.rule.id)
        before.delete(one.rule.id)
        return known ? Object.assign(known, one) : newWatch(topic, one, newState())
      })
      for (const one of before.values()) {
        if (isOpen(one.state)) part.clear(one, one.state.o, now)
        part.changedAt = Math.min(part.changedAt, now)
        ended.push(one)
      }
      if (ruled.length > 0) continue
      this.#topics.delete(name)
      part.topics.delete(name)
    }
    return ended
  }

  #partWithRoom(): Part {
    const free = this.#parts.findLast(({ topics }) => topics.size < TOPICS_PER_PART)
    if (free) return free
    const part = new Part(this, (this.#parts.at(-1)?.number ?? HEAD) + 1, new Map())
    this.#parts.push(part)
    return part
  }

  #add(
    name: string,
    part: Part,
    ruled: readonly RuledBy[],
    states: ReadonlyMap<number, WatchState>
  ): WatchedTopic {
    const topic: WatchedTopic = { name, part, watches: [] }
    topic.watches = ruled.map((one) => newWatch(topic, one, states.get(one.rule.id) ?? newState()))
    this.#topics.set(name, topic)
    part.topics.set(name, topic)
    return topic
  }
}

const newWatch = (topic: WatchedTopic, { rule, watch }: RuledBy, state: WatchState): RuleWatch => ({
  ...{ dueAt: 0, place: NOWHERE, rule, watch, state, topic },
  fresh: undefined
})

export const headFrom = (rows: readonly StateRow[]): HeadState => {
  const head = rows.find(({ part }) => part === HEAD)
  return head ? headOf(head.state) : emptyHead
}
