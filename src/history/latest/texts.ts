import { type Sample, statusJson } from '../../lib/sample.ts'
import { Turns } from '../../lib/turns.ts'
import type { Held, History } from '../history.ts'
import type { Spool } from '../spool/spool.ts'
import type { Latest } from './latest.ts'
import type { Topics } from './topics.ts'

type Parts = { latest: Latest; history: Pick<History, 'latestOf'>; spool: Pick<Spool, 'find'> }

/** Bounds of one part: its values, and those whose message is read from disk. */
const MAX_VALUES_PER_PART = 256
const MAX_LONG_MESSAGES_PER_PART = 16
/** Writing so many characters of a message counts as one step. */
const CHARACTERS_PER_STEP = 128

const isShort = (held: Held): held is Sample => held.msg !== undefined

/** The newest samples as JSON, at once, when they are few and their messages are short. */
export async function fewLatest(topics: Topics): Promise<string | undefined> {
  if (topics.text !== undefined) return topics.text
  const { changes } = topics
  const few = await topics.few()
  if (!few) return undefined
  let text = ''
  for (const held of few) {
    if (!isShort(held)) return undefined
    text += text === '' ? statusJson(held) : `,${statusJson(held)}`
  }
  topics.keepText(`[${text}]`, changes)
  return `[${text}]`
}

/**
 * The newest samples as JSON objects joined by commas, sorted by topic, in parts. Only one part is
 * in memory, and other work gets turns in between.
 */
export async function* latestTexts(
  parts: Parts,
  installationId: number,
  filters: readonly string[] | undefined
): AsyncGenerator<string> {
  const values = await parts.latest.open(installationId)
  const topics = await values.matching(filters)
  const turns = new Turns()
  let part: Held[] = []
  let long = 0
  for (const [at, topic] of topics.entries()) {
    const held = values.find(topic)
    if (held) part.push(held)
    if (held && !isShort(held)) long++
    const isFull = part.length >= MAX_VALUES_PER_PART || long >= MAX_LONG_MESSAGES_PER_PART
    if (part.length === 0 || (!isFull && at < topics.length - 1)) continue
    yield await textOf(await wholeSamples(parts, installationId, part), turns)
    part = []
    long = 0
  }
}

async function textOf(samples: readonly Sample[], turns: Turns): Promise<string> {
  const texts: string[] = []
  for (const sample of samples) {
    texts.push(statusJson(sample))
    if (turns.isOver(4 + sample.msg.length / CHARACTERS_PER_STEP)) await turns.next()
  }
  return texts.join()
}

async function wholeSamples(
  parts: Parts,
  installationId: number,
  values: readonly Held[]
): Promise<Sample[]> {
  const long = values.filter((held) => !isShort(held))
  const whole = long.length > 0 ? await readLong(parts, installationId, long) : new Map()
  return values.map((held) =>
    isShort(held) ? held : (whole.get(held.topic) ?? { ...held, msg: '' })
  )
}

/**
 * By topic. A sample that is not in history yet is in the spool. It may move from there to history
 * meanwhile.
 */
async function readLong(
  { latest, history, spool }: Parts,
  installationId: number,
  long: readonly Held[]
): Promise<Map<string, Sample>> {
  const found = new Map<string, Sample>()
  const missing = () => long.filter(({ topic }) => !found.has(topic))
  const fromHistory = async () =>
    history.latestOf(
      installationId,
      missing().map(({ topic }) => topic)
    )
  for (const held of long) {
    const msg = latest.recentMsg(held)
    if (msg !== undefined) found.set(held.topic, { ...held, msg })
  }
  if (missing().length === 0) return found
  const heldOf = new Map(long.map((held) => [held.topic, held]))
  for (const sample of await fromHistory()) {
    const held = heldOf.get(sample.topic)
    if (held && isAsNew(sample, held)) found.set(sample.topic, sample)
  }
  if (missing().length === 0) return found
  for (const sample of await spool.find(missing().map(({ id }) => id))) {
    found.set(sample.topic, sample)
  }
  // Another node may still have the sample in its spool. Then the newest readable one is shown.
  if (missing().length > 0) {
    for (const sample of await fromHistory()) found.set(sample.topic, sample)
  }
  return found
}

const isAsNew = (sample: Sample, { timestamp, id }: Held): boolean =>
  sample.timestamp === timestamp ? sample.id >= id : sample.timestamp > timestamp
