import { type Sample, statusJson } from '../lib/sample.ts'
import { Turns } from '../lib/turns.ts'
import type { History } from './history.ts'
import type { Held, Latest } from './latest.ts'
import type { Spool } from './spool.ts'

type Parts = { latest: Latest; history: Pick<History, 'latestOf'>; spool: Pick<Spool, 'find'> }

/** Values of one part, and those of them whose message is read from the disk. */
const PART_VALUES = 256
const PART_LONG = 16
/** Characters of a message that cost one step to write. */
const STEP_CHARACTERS = 128

/**
 * The newest samples as JSON objects joined by commas, sorted by topic, some at a time: however many
 * there are and however long their messages, one part is in memory and others have a turn in between.
 */
export async function* latestTexts(
  parts: Parts,
  installationId: number,
  filters: readonly string[] | undefined
): AsyncGenerator<string> {
  const topics = await parts.latest.topics(installationId, filters)
  const turns = new Turns()
  let values: Held[] = []
  let long = 0
  for (const [at, topic] of topics.entries()) {
    const held = parts.latest.find(installationId, topic)
    if (held) values.push(held)
    if (held && held.msg === undefined) long++
    const isFull = values.length >= PART_VALUES || long >= PART_LONG
    if (values.length === 0 || (!isFull && at < topics.length - 1)) continue
    yield await textOf(await wholeSamples(parts, installationId, values), turns)
    values = []
    long = 0
  }
}

async function textOf(samples: readonly Sample[], turns: Turns): Promise<string> {
  const texts: string[] = []
  for (const sample of samples) {
    texts.push(statusJson(sample))
    if (turns.isOver(4 + sample.msg.length / STEP_CHARACTERS)) await turns.next()
  }
  return texts.join()
}

async function wholeSamples(
  parts: Parts,
  installationId: number,
  values: readonly Held[]
): Promise<Sample[]> {
  const long = values.filter(({ msg }) => msg === undefined)
  const whole = long.length > 0 ? await readLong(parts, installationId, long) : new Map()
  return values.map((held) => whole.get(held.topic) ?? { ...held, msg: held.msg ?? '' })
}

/** By topic. What history does not have yet is in the spool, and what left it meanwhile is in history. */
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
  // Another node may still have it: then the newest that can be read is shown.
  if (missing().length > 0) {
    for (const sample of await fromHistory()) found.set(sample.topic, sample)
  }
  return found
}

const isAsNew = (sample: Sample, { timestamp, id }: Held): boolean =>
  sample.timestamp === timestamp ? sample.id >= id : sample.timestamp > timestamp
