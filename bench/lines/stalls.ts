import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Caracal, type Installation } from '../caracal.ts'
import { Child } from '../child.ts'
import type { CrowdQuestion } from '../children/crowd.ts'
import { median, ms, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, brokerOf } from '../site.ts'

const GOAL_STALL_MS = 20
const RETAINED = 10_000
const FILTERS = 200
const CONNECTIONS = 1000
const MESSAGES = 100
const TOPICS = 20_000
/** The longest line that an import accepts. */
const LINE_BYTES = 512 * 1024
const LINES = 20

export const stallsLine: Line = {
  name: 'stalls',
  about: 'the longest stall of the event loop while something runs at its bounds',
  async run(bench) {
    const caracal = await Caracal.start(join(bench.workDir, 'stalls'), {
      CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1000000000'
    })
    const [installation] = await caracal.createInstallations(1)
    if (!installation) throw new Error('no installation')
    const rows = [
      await measure(bench, caracal, 'nothing at all', () => wait(500)),
      await stallOfSubscribe(bench, caracal, installation),
      await stallOfFanOut(bench, caracal, installation),
      await stallOfStatus(bench, caracal, installation),
      await stallOfImport(bench, caracal, installation)
    ]
    await caracal.stop()
    return rows
  }
}

/** Once to compile the code, then as often as the sizes say. Returns the median of the longest stalls. */
async function measure(
  bench: Bench,
  caracal: Caracal,
  what: string,
  work: () => Promise<unknown>
): Promise<Row> {
  bench.say(`stalls: ${what}`)
  await work()
  const stalls: number[] = []
  for (let round = 0; round < 2 + bench.sizes.rounds; round++) {
    await whenQuiet(bench)
    await caracal.stallMs()
    await work()
    stalls.push(await caracal.stallMs())
  }
  bench.note(`stalls, ${what}`, stalls)
  const stall = median(stalls)
  return {
    line: 'stalls',
    what,
    subject: ms(stall),
    floor: '',
    ratio: undefined,
    goal: `< ${GOAL_STALL_MS} ms`,
    isMet: stall < GOAL_STALL_MS
  }
}

async function openCrowd(caracal: Caracal, count: number): Promise<Child<CrowdQuestion, number>> {
  const { port, password } = await brokerOf(caracal)
  const crowd = new Child<CrowdQuestion, number>('crowd')
  await crowd.ask({ kind: 'open', port, password, count, level: 4 })
  return crowd
}

async function stallOfSubscribe(bench: Bench, caracal: Caracal, { client_id }: Installation) {
  const crowd = await openCrowd(caracal, 1)
  const path = (n: number, level: (bit: number) => string) =>
    `${client_id}/${Array.from({ length: 14 }, (_, bit) => level((n >> bit) & 1)).join('/')}`
  const topics = Array.from({ length: RETAINED }, (_, n) => path(n, String))
  await crowd.ask({ kind: 'publish', topics, payload: 'x', retain: true, bytes: 0 })
  const filters = Array.from({ length: FILTERS }, (_, n) =>
    path(n << 6, (bit) => (bit ? '0' : '+'))
  )
  // Each message is longer than its topic.
  const bytes = RETAINED * (topics[0]?.length ?? 0)
  const what = `SUBSCRIBE with ${FILTERS} filters against ${whole(RETAINED)} retained messages`
  const row = await measure(bench, caracal, what, () =>
    crowd.ask({ kind: 'subscribe', filters: [...filters, `${client_id}/#`].slice(-FILTERS), bytes })
  )
  await crowd.stop()
  return row
}

async function stallOfFanOut(bench: Bench, caracal: Caracal, { client_id }: Installation) {
  const crowd = await openCrowd(caracal, CONNECTIONS)
  const topic = `${client_id}/set/all`
  await crowd.ask({ kind: 'subscribe', filters: [topic], bytes: CONNECTIONS * 5 })
  const topics = Array.from({ length: MESSAGES }, () => topic)
  const bytes = MESSAGES * CONNECTIONS * (topic.length + 5)
  const what = `${MESSAGES} messages to ${whole(CONNECTIONS)} connections`
  const row = await measure(bench, caracal, what, () =>
    crowd.ask({ kind: 'publish', topics, payload: 'x', retain: false, bytes })
  )
  await crowd.stop()
  return row
}

async function stallOfStatus(bench: Bench, caracal: Caracal, { id, client_id }: Installation) {
  const topics = Array.from(
    { length: TOPICS },
    (_, n) => `${client_id}/obj/building_${n % 20}/floor_${n % 7}/room_${n}/temperature`
  )
  const load = { topics: [topics], warmMs: 0, pace: { inFlight: 1000 } }
  await applyLoad(await brokerOf(caracal), { ...load, measureMs: 5000 })
  await caracal.settle()
  const filters = Array.from({ length: FILTERS }, (_, n) => `obj/building_${n % 20}/+/room_${n}/+`)
  const what = `POST status with ${FILTERS} wildcard filters over ${whole(TOPICS)} topics`
  return measure(bench, caracal, what, () => caracal.request(`POST /api/v2/status/${id}`, filters))
}

async function stallOfImport(bench: Bench, caracal: Caracal, { id }: Installation) {
  const line = `{"topic":"obj/x","timestamp":1700000000,"value":1,"msg":"`
  const longest = `${line}${'x'.repeat(LINE_BYTES - line.length - 3)}"}\n`
  const headers = { 'x-api-key': await caracal.token(), 'content-type': 'application/x-ndjson' }
  const what = `import of ${LINES} lines of ${whole(LINE_BYTES)} bytes`
  return measure(bench, caracal, what, async () => {
    const url = `${caracal.url}/api/v3beta/log/${id}/import`
    const response = await fetch(url, { method: 'POST', headers, body: longest.repeat(LINES) })
    const text = await response.text()
    if (!response.ok) throw new Error(`import: ${response.status} ${text}`)
  })
}
