import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  compileRule,
  judge,
  look,
  newState,
  nextLook,
  type Transition
} from '../../src/lib/alarm/judge.ts'
import type { RuleDefinition, When } from '../../src/lib/alarm/rule.ts'
import { HOUR, MINUTE, SECOND, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { Dice } from '../fuzz/dice.ts'
import { rounds, slow } from '../support/rounds.ts'
import { temporary } from '../support/spool.ts'
import { WatchedSite } from '../support/watcher.ts'

const ROUNDS = rounds(40, 4)
const STEPS = 60
const BEGIN = Date.UTC(2026, 9, 25, 0)
const TOPICS = ['obj/a', 'obj/b', 'obj/c/d']

type ModelAlarm = { raised_at: number; cleared_at: number | null; value: number | null }

/** One rule on one topic, judged alone in memory in the order of arrival. */
class Model {
  readonly #watch
  readonly #state = newState()
  readonly alarms: ModelAlarm[] = []

  constructor(definition: RuleDefinition) {
    this.#watch = compileRule(definition, 'Europe/Berlin')(() => undefined)
  }

  take(timestamp: UnixMs, value: number, now: UnixMs): void {
    this.advance(now)
    this.#note(judge(this.#watch, this.#state, { timestamp, value }, { now, running: now }))
  }

  /** What is due before. */
  advance(until: number): void {
    for (;;) {
      const next = nextLook(this.#watch, this.#state)
      const at = next && ('now' in next ? next.now : unixMs(next.running))
      if (at === undefined || at >= until) return
      this.#note(look(this.#watch, this.#state, { now: at, running: at }))
    }
  }

  #note(transitions: readonly Transition[]): void {
    for (const transition of transitions) {
      if (transition.kind === 'cleared') {
        const open = this.alarms.find(({ cleared_at }) => cleared_at === null)
        assert(open)
        open.cleared_at = transition.at
        continue
      }
      const { at: raised_at, value } = transition
      const again = this.alarms.find((one) => one.raised_at === raised_at)
      if (again) again.cleared_at = null
      else this.alarms.push({ raised_at, cleared_at: null, value })
    }
  }
}

const between = (dice: Dice, low: number, high: number) => low + dice.below(high - low + 1)

const durations = ['', '', '5s', '30s', '10m']
function whenOf(dice: Dice, hasSilence: boolean, depth = 2): When {
  const bound = () => between(dice, 10, 30)
  const kinds: (() => When)[] = [
    () => ({ above: bound() }),
    () => ({ below: bound() }),
    () => ({ outside: [between(dice, 5, 15), between(dice, 16, 30)] }),
    () => ({ equals: bound() }),
    () => ({ changed_by: between(dice, 1, 10) }),
    () => ({ rate_per_hour: between(dice, 1, 1000) }),
    ...(hasSilence ? [() => ({ silent_for: dice.pick(['5s', '40s', '10m']) })] : [])
  ]
  if (depth > 0 && dice.chance(0.3)) {
    const parts = [whenOf(dice, hasSilence, depth - 1), whenOf(dice, hasSilence, depth - 1)]
    return dice.chance(0.5) ? { all: parts } : { any: parts }
  }
  return dice.pick(kinds)()
}

const definitionOf = (dice: Dice, hasSilence: boolean): RuleDefinition => ({
  on: { topics: dice.chance(0.5) ? [dice.pick(TOPICS)] : ['obj/#'] },
  when: whenOf(dice, hasSilence),
  for: dice.pick(durations),
  hysteresis: dice.pick([0, 0, 2]),
  schedule: dice.chance(0.2) ? { days: [0, 1, 2, 3, 4, 5, 6], from: '01:30', to: '03:10' } : null,
  message: ''
})

for (const hasSilence of [false, true]) {
  const subject = hasSilence ? 'with silence' : 'that are killed again and again'
  const howLong = hasSilence ? {} : slow
  test(
    `${ROUNDS} random sites ${subject} have the alarms of a model in memory`,
    howLong,
    async (t) => {
      let alarms = 0
      for (let round = 0; round < ROUNDS; round++) {
        const seed = Number(process.env['SEED'] ?? 0) || Date.now() + round
        alarms += await compare(t, seed, hasSilence)
      }
      t.diagnostic(`${alarms} alarms`)
      assert(alarms > ROUNDS)
    }
  )
}

async function compare(t: Parameters<typeof temporary>[0], seed: number, hasSilence: boolean) {
  const dice = new Dice(seed)
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation('Europe/Berlin')
  const definitions = Array.from({ length: 5 }, () => definitionOf(dice, hasSilence))
  const models = new Map<string, Model>()
  const rules = new Map<number, RuleDefinition>()
  for (const definition of definitions) {
    rules.set(await site.rule({ kind: 'installation', id: home.id }, definition), definition)
  }
  await site.judge()
  const isOn = ({ on }: RuleDefinition, topic: string) =>
    'topics' in on && (on.topics[0] === topic || on.topics[0] === 'obj/#')
  const model = (rule: number, topic: string) => {
    const key = `${rule} ${home.client_id}/${topic}`
    const known = models.get(key) ?? new Model(rules.get(rule) as RuleDefinition)
    models.set(key, known)
    return known
  }
  for (let step = 0; step < STEPS; step++) {
    for (let sends = between(dice, 0, 4); sends > 0; sends--) {
      const topic = dice.pick(TOPICS)
      const age = dice.pick([0, 0, 0, 1000, 5000, 7 * SECOND, MINUTE, HOUR, 3 * HOUR, -MINUTE])
      const timestamp = unixMs(site.now - age)
      const value = between(dice, 5, 35)
      await site.send(home, topic, { timestamp, value })
      for (const [id, definition] of rules) {
        if (isOn(definition, topic)) model(id, topic).take(timestamp, value, site.now)
      }
    }
    if (hasSilence || dice.chance(0.7)) await site.judge()
    // A kill leaves what was stored and not judged, and what was judged and not written.
    if (!hasSilence && dice.chance(0.15)) await site.restart()
    site.now = unixMs(site.now + dice.pick([1, 250, 3 * SECOND, 6 * SECOND, 20 * SECOND]))
  }
  // After a restart the first turn reads the states, and the next one looks at the clock.
  await site.judge()
  await site.judge()
  for (const one of models.values()) one.advance(site.now)
  const want = [...models].flatMap(([key, { alarms }]) => alarms.map((one) => ({ key, ...one })))
  const have = (await site.alarms()).map(({ rule_id, topic, raised_at, cleared_at, value }) => ({
    ...{ key: `${rule_id} ${topic}`, raised_at, cleared_at, value }
  }))
  const sorted = (list: typeof want) =>
    list.sort((a, b) => a.key.localeCompare(b.key) || a.raised_at - b.raised_at)
  assert.deepEqual(sorted(have), sorted(want), `seed ${seed}`)
  return have.length
}
