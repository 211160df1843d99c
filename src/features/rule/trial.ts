import type { History } from '../../history/history.ts'
import { badRequest } from '../../http/errors.ts'
import type { Condition } from '../../lib/alarm/condition.ts'
import type { Watch } from '../../lib/alarm/judge.ts'
import { Replay, type TriedAlarm } from '../../lib/alarm/replay.ts'
import type { RuleDefinition } from '../../lib/alarm/rule.ts'
import { RuleSet, type StoredRule } from '../../lib/alarm/rule-set.ts'
import { hasWildcard, withClientId } from '../../lib/topic.ts'
import { Turns } from '../../lib/turns.ts'
import { DAY, HOUR, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { allows, type Types } from '../../permission/modelx-types.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { listModelx } from '../../registry/modelx.ts'
import type { Registry } from '../../registry/tables.ts'

export const MAX_TRIED_TOPICS = 1000
/** A month of a value each second. */
export const MAX_TRIED_SAMPLES = 3_000_000
/** Of all topics together. A replay of one topic keeps more. */
export const MAX_TRIED_ALARMS = 5000
/** Each may have to be compared with every topic of the installation. */
const MAX_WILDCARD_TOPICS = 200
/** Judging so many takes a millisecond at most. */
const SAMPLES_PER_LOOK = 2048
/** What lasted when the time began is found in the values before it. */
const MAX_LEAD_MS = 31 * DAY

export type Trial = {
  definition: RuleDefinition
  installation: InstallationRef
  /** Of the schedule. */
  zone: string
  /** The functions that the caller may see. Others are as if they were not there. */
  types: Types
}
type Window = { from: UnixMs; to: UnixMs }
type Engines = {
  registry: Registry
  history: Pick<History, 'series'>
  latest: { topics(id: number, filters: readonly string[]): Promise<readonly string[]> }
}

/** What the rule watches, by topic. */
export async function watchesOf(engines: Engines, trial: Trial): Promise<Map<string, Watch>> {
  const { definition, installation, zone } = trial
  const text = JSON.stringify(definition)
  const alone: StoredRule = { id: 0, severity: 'info', created: 0, definition: text }
  const rules = await RuleSet.of([alone], { clientId: installation.client_id, zone })
  const ofFunctions = rules.needsFunctions ? await addFunctions(engines, trial, rules) : []
  const topics =
    'topics' in definition.on
      ? await topicsMatching(engines, installation, definition.on.topics)
      : ofFunctions
  const found = new Map<string, Watch>()
  const turns = new Turns()
  for (const topic of topics) {
    const [ruled] = rules.of(topic)
    if (ruled) found.set(topic, ruled.watch)
    if (found.size > MAX_TRIED_TOPICS) {
      throw badRequest(`rule/on must match at most ${MAX_TRIED_TOPICS} topics`)
    }
    if (turns.isLate()) await turns.next()
  }
  return found
}

/** Answers the topics of the functions. */
async function addFunctions(
  { registry }: Engines,
  { installation, types }: Trial,
  rules: RuleSet
): Promise<Set<string>> {
  const topics = new Set<string>()
  const ref = { kind: 'function', installation_id: installation.id } as const
  for await (const part of listModelx(registry, ref)) {
    for (const { type, meta: text } of part) {
      if (!allows(types, type) || !text.includes('"topic_read"')) continue
      const meta = JSON.parse(text) as Record<string, string>
      const topic = meta['topic_read']
      if (!topic) continue
      rules.addFunction({ topic, type, meta })
      topics.add(withClientId(installation.client_id, topic))
    }
  }
  return topics
}

async function topicsMatching(
  { latest }: Engines,
  { id, client_id }: InstallationRef,
  topics: readonly string[]
): Promise<readonly string[]> {
  if (topics.filter(hasWildcard).length > MAX_WILDCARD_TOPICS) {
    throw badRequest(`rule/on/topics must have at most ${MAX_WILDCARD_TOPICS} wildcards to try`)
  }
  return latest.topics(
    id,
    topics.map((topic) => withClientId(client_id, topic))
  )
}

/** The alarms that the rule would have raised, newest first. */
export async function replay(
  { history }: Engines,
  { installation, watches }: { installation: InstallationRef; watches: Map<string, Watch> },
  window: Window & { now: UnixMs },
  signal: AbortSignal
): Promise<(TriedAlarm & { topic: string })[]> {
  if (watches.size === 0) return []
  const to = unixMs(Math.min(window.to + 1, window.now))
  const replays = new Map<string, Replay>()
  for (const [topic, watch] of watches) {
    replays.set(topic, new Replay(watch, { from: window.from, to }))
  }
  const asked = {
    installation_id: installation.id,
    topics: [...watches.keys()],
    from: unixMs(Math.max(0, window.from - leadOf(watches.values()))),
    to: window.to
  }
  const turns = new Turns()
  let [samples, alarms] = [0, 0]
  for await (const { topic, times, values } of history.series(asked, signal)) {
    samples += times.length
    if (samples > MAX_TRIED_SAMPLES) throw tooMany(`${MAX_TRIED_SAMPLES} values`)
    const one = replays.get(topic)
    if (one === undefined) continue
    const before = one.count
    for (let at = 0; at < times.length; at += SAMPLES_PER_LOOK) {
      const end = at + SAMPLES_PER_LOOK
      one.addAll(times.subarray(at, end), values.subarray(at, end))
      if (turns.isLate()) await turns.next()
      signal.throwIfAborted()
    }
    alarms += one.count - before
    if (alarms > MAX_TRIED_ALARMS) throw tooMany(`${MAX_TRIED_ALARMS} alarms`)
  }
  const found: (TriedAlarm & { topic: string })[] = []
  for (const [topic, one] of replays) {
    for (const alarm of one.finish()) found.push({ topic, ...alarm })
    if (turns.isLate()) await turns.next()
  }
  if (found.length > MAX_TRIED_ALARMS) throw tooMany(`${MAX_TRIED_ALARMS} alarms`)
  return found.filter(({ raised_at }) => raised_at <= window.to).sort(newestFirst)
}

const tooMany = (what: string) =>
  badRequest(`from and to must be nearer to each other: there are more than ${what} between them`)

const newestFirst = (a: TriedAlarm & { topic: string }, b: TriedAlarm & { topic: string }) =>
  b.raised_at - a.raised_at || (a.topic < b.topic ? -1 : 1)

/** `for` and silence may have begun so long before. */
function leadOf(watches: Iterable<Watch>): number {
  let longest = 0
  for (const { forMs, condition } of watches) {
    longest = Math.max(longest, forMs + silenceIn(condition))
  }
  return Math.min(longest + HOUR, MAX_LEAD_MS)
}

const silenceIn = ({ shortestSilence }: Condition): number =>
  Number.isFinite(shortestSilence) ? shortestSilence : 0
