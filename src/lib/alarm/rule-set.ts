import { hasWildcard } from '../topic.ts'
import { TopicTree } from '../topic-tree.ts'
import { Turns } from '../turns.ts'
import { parseDefinition } from './check.ts'
import { needsMeta } from './condition.ts'
import { compileRule, type Watch } from './judge.ts'
import type { RuleDefinition, Severity } from './rule.ts'

/** A rule as the registry has it. Installations of an organization share the object. */
export type StoredRule = {
  readonly id: number
  readonly severity: Severity
  /** JSON. */
  readonly definition: string
  readonly created: number
}
/** A function of the installation. Its topic has no client id. */
export type RuledFunction = {
  topic: string
  type: string
  meta: Readonly<Record<string, string>>
}
export type ActiveRule = {
  readonly id: number
  readonly severity: Severity
  /** Values that arrived before are not judged. */
  readonly since: number
  readonly on: RuleDefinition['on']
  readonly message: string
  readonly needsMeta: boolean
  readonly watchFor: (metaOf: (key: string) => string | undefined) => Watch
}
/** A rule on one topic. */
export type RuledBy = { rule: ActiveRule; watch: Watch }

type WatchFor = ActiveRule['watchFor']
/** Rules that say the same of different topics. They share what they were compiled to. */
type Same = Map<string, WatchFor>

type Zoned = { zone: string; rule: ActiveRule | undefined }
/** Rules of an organization are compiled once for all of its installations in a zone. */
const compiled = new WeakMap<StoredRule, Zoned>()

/** Undefined: a newer version wrote the rule, and this one does not understand it. */
function activeRule(stored: StoredRule, zone: string, same: Same): ActiveRule | undefined {
  const known = compiled.get(stored)
  if (known?.zone === zone) return known.rule
  const rule = compile(stored, zone, same)
  compiled.set(stored, { zone, rule })
  return rule
}

function compile(
  { id, severity, definition, created }: StoredRule,
  zone: string,
  same: Same
): ActiveRule | undefined {
  const read = parseDefinition(JSON.parse(definition))
  if (typeof read === 'string') return undefined
  const { on, message, when, hysteresis, schedule } = read
  const key = JSON.stringify([when, read.for, hysteresis, schedule])
  const watchFor = same.get(key) ?? compileRule(read, zone)
  same.set(key, watchFor)
  return {
    ...{ id, severity, since: created, on, message, watchFor },
    needsMeta: needsMeta(when)
  }
}

/** The active rules of an installation, by topic. */
export class RuleSet {
  readonly #prefix: string
  readonly #byTopic = new Map<string, ActiveRule[]>()
  readonly #byFilter = new TopicTree<ActiveRule>()
  #hasFilters = false
  readonly #byType = new Map<string, ActiveRule[]>()
  readonly #functions = new Map<string, RuledFunction[]>()
  readonly #rules: ActiveRule[] = []
  /** When the newest rule was made. */
  newestAt = 0

  static async of(
    stored: readonly StoredRule[],
    { clientId, zone }: { clientId: number; zone: string }
  ): Promise<RuleSet> {
    const set = new RuleSet(clientId)
    const turns = new Turns()
    const same: Same = new Map()
    for (const one of stored) {
      if (turns.isLate()) await turns.next()
      const rule = activeRule(one, zone, same)
      if (rule) set.#add(rule)
    }
    return set
  }

  private constructor(clientId: number) {
    this.#prefix = `${clientId}/`
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0
  }

  /** Whether some rule asks for functions. */
  get needsFunctions(): boolean {
    return this.#rules.some((rule) => rule.needsMeta || 'type' in rule.on)
  }

  addFunction({ topic, type, meta }: RuledFunction): void {
    const own = this.#own(topic)
    push(this.#functions, own, { topic: own, type, meta })
  }

  /** The rules on a topic, which has its client id. */
  of(topic: string): RuledBy[] {
    const own = this.#own(topic)
    const functions = this.#functions.get(own) ?? []
    const first = functions[0]?.meta
    const found = new Map<number, RuledBy>()
    const add = (rule: ActiveRule, meta: RuledFunction['meta'] | undefined) => {
      if (!found.has(rule.id)) found.set(rule.id, { rule, watch: watchOf(rule, meta) })
    }
    for (const rule of this.#byTopic.get(own) ?? []) add(rule, first)
    if (this.#hasFilters) for (const rule of this.#byFilter.match(own)) add(rule, first)
    for (const { type, meta } of functions) {
      // A rule without a type is about functions of all types.
      for (const key of type === '' ? [''] : [type, '']) {
        for (const rule of this.#byType.get(key) ?? []) if (matches(rule, meta)) add(rule, meta)
      }
    }
    return [...found.values()]
  }

  #own(topic: string): string {
    return topic.startsWith(this.#prefix) ? topic.slice(this.#prefix.length) : topic
  }

  #add(rule: ActiveRule): void {
    this.#rules.push(rule)
    this.newestAt = Math.max(this.newestAt, rule.since)
    if ('type' in rule.on) {
      push(this.#byType, rule.on.type, rule)
      return
    }
    for (const topic of rule.on.topics) {
      const own = this.#own(topic)
      if (hasWildcard(own)) {
        this.#byFilter.add(own, rule)
        this.#hasFilters = true
      } else push(this.#byTopic, own, rule)
    }
  }
}

const watchOf = (rule: ActiveRule, meta: RuledFunction['meta'] | undefined): Watch =>
  rule.watchFor((key) => (meta && Object.hasOwn(meta, key) ? meta[key] : undefined))

const matches = ({ on }: ActiveRule, meta: RuledFunction['meta']): boolean =>
  'type' in on && Object.entries(on.meta).every(([key, value]) => meta[key] === value)

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
