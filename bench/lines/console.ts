import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import mqtt from 'mqtt'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { Caracal, type Installation } from '../caracal.ts'
import { median, mib, ms, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { whenQuiet } from '../quiet.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const GOAL_FIRST_VIEW_BYTES = 300_000
const GOAL_YEAR_MS = 1000
const GOAL_TASK_MS = 50
const MESSAGES_PER_SECOND = 1000
const LIVE_TOPICS = 200
/** Memory counts as stable if it grows by less than this. */
const GOAL_GROWTH_BYTES = 5 * 2 ** 20

type Site = Installation & { topics: string[] }

export const consoleLine: Line = {
  name: 'console',
  about: 'the console in a browser: first view, a year on the plot, a thousand messages a second',
  async run(bench) {
    bench.say('console: the demo writes its year')
    const caracal = await Caracal.start(join(bench.workDir, 'console'), {}, ['--demo'])
    const site = await demoSite(caracal)
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
    })
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
      const page = await context.newPage()
      const rows = [
        await firstView(page, caracal),
        await yearOnPlot(bench, page, caracal, site),
        ...(await busyLive(bench, page, caracal, site))
      ]
      return rows
    } finally {
      await browser.close()
      await caracal.stop()
    }
  }
}

/** The demo's first installation, as soon as its history is written. */
async function demoSite(caracal: Caracal): Promise<Site> {
  for (;;) {
    const list: (Installation & { protected_meta: object })[] = JSON.parse(
      await caracal.request('GET /api/v2/installation')
    )
    const site = list.find(({ protected_meta }) => 'demo_history' in protected_meta)
    if (site) {
      const values: { topic: string }[] = JSON.parse(
        await caracal.request(`GET /api/v2/status/${site.id}`)
      )
      const topics = values.map(({ topic }) => topic.slice(topic.indexOf('/') + 1)).slice(0, 20)
      return { id: site.id, client_id: site.client_id, topics }
    }
    await wait(500)
  }
}

/** Everything that the browser loads until the list is there, as it comes over the network. */
async function firstView(page: Page, caracal: Caracal): Promise<Row> {
  let bytes = 0
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.addInitScript(
    `localStorage.setItem('caracal.session', ${JSON.stringify(await caracal.token())})`
  )
  await page.goto(`${caracal.url}/installations`, { waitUntil: 'networkidle' })
  await session.detach()
  return {
    line: 'console',
    what: 'first view after the sign-in, compressed',
    subject: `${whole(bytes / 1000)} kB`,
    floor: '',
    ratio: undefined,
    goal: `<= ${GOAL_FIRST_VIEW_BYTES / 1000} kB`,
    isMet: bytes <= GOAL_FIRST_VIEW_BYTES
  }
}

/** From the click on the year to the drawn canvas. Another range is shown in between. */
async function yearOnPlot(bench: Bench, page: Page, caracal: Caracal, site: Site): Promise<Row> {
  const topics = JSON.stringify(site.topics)
  await page.goto(
    `${caracal.url}/installations/${site.id}/plot?topics=${encodeURIComponent(topics)}`,
    { waitUntil: 'networkidle' }
  )
  const times: number[] = []
  for (let round = 0; round < 2 + bench.sizes.rounds; round++) {
    bench.say(`console: a year of ${site.topics.length} topics, round ${round + 1}`)
    await page.getByText('1 h', { exact: true }).click()
    await page.waitForSelector('.plot-panel[aria-busy="false"]')
    await whenQuiet(bench)
    times.push(await page.evaluate<number>(timeOfYear))
  }
  bench.note('console, year on the plot', times)
  const taken = median(times)
  return {
    line: 'console',
    what: `a year of ${site.topics.length} topics, from the click to the picture`,
    subject: ms(taken),
    floor: '',
    ratio: undefined,
    goal: `< ${GOAL_YEAR_MS} ms`,
    isMet: taken < GOAL_YEAR_MS
  }
}

const timeOfYear = `(async () => {
  const panel = document.querySelector('.plot-panel')
  const buttons = [...document.querySelectorAll('label, button')]
  const frame = () => new Promise((next) => requestAnimationFrame(next))
  const start = performance.now()
  buttons.find(({ textContent }) => textContent === '1 y').click()
  do await frame()
  while (panel.getAttribute('aria-busy') !== 'true')
  do await frame()
  while (panel.getAttribute('aria-busy') === 'true')
  await frame()
  return performance.now() - start
})()`

/** Live while values arrive: the longest task of the page, and its memory from begin to end. */
async function busyLive(bench: Bench, page: Page, caracal: Caracal, site: Site): Promise<Row[]> {
  const seconds = bench.sizes.rounds > 1 ? 600 : 20
  await page.goto(`${caracal.url}/installations/${site.id}/live`, { waitUntil: 'networkidle' })
  const session = await page.context().newCDPSession(page)
  const flood = await publishSteadily(caracal, site)
  await wait(5000)
  const begin = await heapOf(session)
  await page.evaluate(watchLongTasks)
  bench.say(`console: ${MESSAGES_PER_SECOND} messages a second for ${seconds} s`)
  await wait(seconds * 1000)
  const tasks = (await page.evaluate('globalThis.longTasks')) as number[]
  const sent = await flood.stop()
  const end = await heapOf(session)
  bench.note('console, live', { tasks, begin, end, sent })
  const longest = Math.max(0, ...tasks)
  const rate = whole(sent / (seconds + 5))
  return [
    {
      line: 'console',
      what: `Live with ${rate} messages a second, longest task`,
      subject: longest === 0 ? '< 50 ms' : ms(longest),
      floor: '',
      ratio: undefined,
      goal: `< ${GOAL_TASK_MS} ms`,
      isMet: longest < GOAL_TASK_MS
    },
    {
      line: 'console',
      what: `memory of the page, after ${seconds} s of it to before`,
      subject: mib(end),
      floor: mib(begin),
      ratio: end / begin,
      goal: `+ ${mib(GOAL_GROWTH_BYTES)}`,
      isMet: end - begin < GOAL_GROWTH_BYTES
    }
  ]
}

/** The browser tells tasks of more than 50 ms. */
const watchLongTasks = `
  globalThis.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration)
  }).observe({ type: 'longtask' })`

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

/** A tenth of the messages of a second, ten times a second. */
async function publishSteadily(caracal: Caracal, { client_id }: Site) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${caracal.mqttPort}`, {
    username: 'token',
    password: await caracal.token(),
    protocolVersion: 4
  })
  let sent = 0
  const timer = setInterval(() => {
    for (let i = 0; i < MESSAGES_PER_SECOND / 10; i++, sent++) {
      const topic = `${client_id}/obj/bench/${sent % LIVE_TOPICS}`
      client.publish(topic, JSON.stringify({ value: Math.random() * 100 }))
    }
  }, 100)
  return {
    stop: async () => {
      clearInterval(timer)
      await client.endAsync()
      return sent
    }
  }
}
