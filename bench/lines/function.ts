import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import { median, ms, whole } from '../figures.ts'
import { besideBare, CONNECTIONS } from '../http-load.ts'
import type { Bench, Line, Row } from '../line.ts'
import { whenQuiet } from '../quiet.ts'

const FUNCTIONS = 10_000
const WRITERS = 16
const GOAL_RATIO = 0.5
const GOAL_STALL_MS = 50

export const functionLine: Line = {
  name: 'function',
  about: 'one function, and a list of 10 000 and how long it holds up the others',
  async run(bench) {
    const caracal = await Caracal.start(join(bench.workDir, 'function'))
    const [installation] = await caracal.createInstallations(1)
    const list = `/api/v2/functionx/${installation?.id}`
    bench.say(`function: creating ${whole(FUNCTIONS)}`)
    const perSecond = await createFunctions(caracal, list)
    const path = `${list}/1`
    const body = await caracal.request(`GET ${path}`)
    const rate = await besideBare(bench, 'function', { caracal, path, body })
    const ratio = rate.subject / rate.floor
    const rows = await measureList(bench, caracal, list)
    await caracal.stop()
    return [
      {
        line: 'function',
        what: `one of ${whole(FUNCTIONS)}, ${whole(body.length)} bytes, ${CONNECTIONS} connections`,
        subject: `${whole(rate.subject)} req/s`,
        floor: `${whole(rate.floor)} req/s`,
        ratio,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ratio >= GOAL_RATIO
      },
      {
        line: 'function',
        what: `created over HTTP, ${WRITERS} at a time`,
        subject: `${whole(perSecond)} /s`,
        floor: '',
        ratio: undefined,
        goal: '',
        isMet: undefined
      },
      ...rows
    ]
  }
}

async function createFunctions(caracal: Caracal, path: string): Promise<number> {
  const start = performance.now()
  let next = 0
  const write = async () => {
    while (next < FUNCTIONS) {
      await caracal.request(`POST ${path}?silent=true`, functionOf(next++))
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  return FUNCTIONS / ((performance.now() - start) / 1000)
}

const functionOf = (i: number) => ({
  type: 'temperature',
  meta: {
    name: `Temperature ${i}`,
    room: `Room ${i % 400}`,
    floor: String(i % 10),
    building: `B${i % 200}`,
    vendor: `Vendor ${i % 30}`,
    serial: (i * 7919).toString(16),
    unit: '°C',
    format: '%.1f °C',
    device_id: String(i),
    topic_read: `obj/room_${i % 400}/temperature_${i}`
  }
})

/** The whole list and a filtered one. The program itself measured the stall of its event loop. */
async function measureList(bench: Bench, caracal: Caracal, list: string): Promise<Row[]> {
  const rows: Row[] = []
  const shapes = [
    { what: 'all of', query: '' },
    { what: 'one by its topic of', query: '?topic_read=obj/room_7/temperature_7' }
  ]
  for (const { what, query } of shapes) {
    await whenQuiet(bench)
    for (let i = 0; i < 3; i++) await caracal.request(`GET ${list}${query}`)
    const times: number[] = []
    const stalls: number[] = []
    await caracal.stallMs()
    for (let i = 0; i < bench.sizes.pageRepeats; i++) {
      const start = performance.now()
      await caracal.request(`GET ${list}${query}`)
      times.push(performance.now() - start)
      stalls.push(await caracal.stallMs())
    }
    bench.note(`list, ${what}`, { times, stalls })
    const worst = Math.max(...stalls)
    rows.push({
      line: 'function',
      what: `${what} ${whole(FUNCTIONS)}, time to the last byte`,
      subject: ms(median(times)),
      floor: '',
      ratio: undefined,
      goal: '',
      isMet: undefined
    })
    rows.push({
      line: 'function',
      what: `${what} ${whole(FUNCTIONS)}, longest stall of the event loop`,
      subject: ms(worst),
      floor: '',
      ratio: undefined,
      goal: `< ${GOAL_STALL_MS} ms`,
      isMet: worst < GOAL_STALL_MS
    })
  }
  return rows
}
