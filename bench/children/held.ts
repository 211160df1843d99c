import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BrokerCharges } from '../../src/bus/embedded/charges.ts'
import { Receipts } from '../../src/bus/embedded/receipts.ts'
import { Sessions } from '../../src/bus/embedded/sessions.ts'
import { Shares } from '../../src/bus/embedded/shares.ts'
import { Store } from '../../src/bus/embedded/store/store.ts'
import { Topics } from '../../src/history/latest/topics.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { answerWith } from '../child.ts'

export type HeldQuestion =
  | { kind: 'topics'; count: number }
  | { kind: 'sessions'; count: number; filters: number; directory: string }

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapUsed(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

/** Kept until the memory was measured. */
const held: unknown[] = []

function holdTopics(count: number): void {
  const topics = new Topics()
  for (let id = 1; id <= count; id++) {
    const installation_id = 1 + (id % 100)
    const topic = `${installation_id}/obj/building 7/room ${id}/temperature`
    const timestamp = unixMs(1_700_000_000_000 + id)
    const at = { id, installation_id, client_id: installation_id, topic, timestamp }
    topics.put({ ...at, value: id / 10, msg: '' }, timestamp)
  }
  held.push(topics)
}

async function holdSessions(directory: string, count: number, filters: number): Promise<void> {
  mkdirSync(directory, { recursive: true })
  await new Store(directory, { now: Date.now() }).close()
  const db = new DatabaseSync(join(directory, 'mqtt.sqlite'))
  db.exec('begin')
  const session = db.prepare('insert into sessions values (?, ?, ?, ?, 0, 0, 0)')
  const filter = db.prepare('insert into filters values (?, ?, 1, null, null, null)')
  for (let key = 1; key <= count; key++) {
    session.run(key, `client ${key}`, `user:${key % 50}`, Date.now())
    for (let n = 0; n < filters; n++) filter.run(key, `${key % 100}/obj/device ${key}/value ${n}`)
  }
  db.exec('commit')
  db.close()
  const store = new Store(directory, { now: Date.now() })
  const sessions = new Sessions({
    ...{ store, clock: systemClock, maxPerOwner: count },
    ...{ receipts: new Receipts(store), shares: new Shares() },
    charges: new BrokerCharges(() => Number.POSITIVE_INFINITY)
  })
  sessions.restore(await store.contents)
  if (sessions.size !== count) throw new Error(`${sessions.size} sessions instead of ${count}`)
  await store.close()
  held.push(sessions)
}

/** Bytes of the heap for each object. */
answerWith(async (question: HeldQuestion): Promise<number> => {
  const before = heapUsed()
  const { count } = question
  if (question.kind === 'topics') holdTopics(count)
  else await holdSessions(question.directory, count, question.filters)
  return (heapUsed() - before) / count
})
