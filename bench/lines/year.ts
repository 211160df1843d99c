import { MAX_LOG_ENTRIES } from '../../src/features/log/schema.ts'
import { calendarBorders } from '../../src/lib/calendar.ts'
import { DAY, HOUR, unixMs } from '../../src/lib/unix-time.ts'
import {
  type Answer,
  answerOfCaracal,
  answerOfInflux,
  answerOfVictoria,
  assertSame
} from '../answers.ts'
import { Caracal } from '../caracal.ts'
import { median, ms } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { type InfluxPeer, isInfluxInstalled, startInfluxPeer } from '../peers/influx.ts'
import { fillPeers } from '../peers/peer.ts'
import { isVictoriaInstalled, startVictoriaPeer, type VictoriaPeer } from '../peers/victoria.ts'
import { whenQuiet } from '../quiet.ts'
import { yearStore, yearTopics } from '../store.ts'
import { type TimedAnswer, timedGet } from '../timed-get.ts'

const GOAL_RATIO = 1
const ZONE = 'Europe/Stockholm'
/** A median of a year takes InfluxDB half a minute. */
const INFLUX_REPEATS = 2

/** The name of a method at each program. */
const methods = [
  { name: 'mean', influx: 'mean(v)', victoria: 'avg_over_time' },
  { name: 'median', influx: 'median(v)', victoria: 'median_over_time' }
] as const
type Method = (typeof methods)[number]

/** `step`: the length for the peers, which have no calendar. */
type Shape = { what: string; interval: string; from: number; to: number; step: number }

export const yearLine: Line = {
  name: 'year',
  about: 'a year of 20 topics by day, hour and calendar month, to VictoriaMetrics and InfluxDB 1',
  async run(bench) {
    if (!isVictoriaInstalled()) {
      bench.lacks('year', 'victoria-metrics', 'victoria-metrics')
      return []
    }
    if (!isInfluxInstalled()) bench.lacks('year, to InfluxDB', 'influxd', 'influxdb')
    const store = await yearStore(bench)
    const victoria = await startVictoriaPeer(bench, 'year')
    const influx = isInfluxInstalled() ? await startInfluxPeer() : undefined
    await fillPeers(bench, influx ? [victoria, influx] : [victoria], store)
    const caracal = await Caracal.start(store.dataDir)
    const programs = {
      caracal: await openCaracal(caracal, store.installations[0]?.id ?? 0),
      victoria: openVictoria(victoria),
      influx: influx && openInflux(influx)
    }
    const rows: Row[] = []
    for (const shape of shapesOf(bench)) {
      await whenQuiet(bench)
      for (const method of methods) {
        const cold = await check(programs, victoria, shape, method)
        bench.note(`year, ${method.name} ${shape.what}, first time`, cold)
        rows.push(...(await measure(bench, programs, shape, method)))
      }
    }
    await caracal.stop()
    await victoria.stop()
    await influx?.stop()
    return rows
  }
}

function shapesOf({ sizes: { yearMonths } }: Bench): Shape[] {
  const utc = { from: Date.UTC(2025, 0), to: Date.UTC(2025, yearMonths) }
  const borders = monthBorders(utc)
  const [from = 0, to = 0] = [borders[0], borders[yearMonths]]
  const step = (to - from) / yearMonths
  return [
    { what: 'by day', interval: '1d', ...utc, step: DAY },
    { what: 'by hour', interval: '1h', ...utc, step: HOUR },
    { what: `by month in ${ZONE}`, interval: `1mo&tz=${ZONE}`, from, to, step }
  ]
}

/** The first one is that of January. */
const monthBorders = ({ from, to }: { from: number; to: number }): number[] =>
  calendarBorders({ unit: 'mo', count: 1 }, ZONE, { from: unixMs(from), to: unixMs(to - 1) })

type Asked = { ms: number; historyMs: number; answer: () => Answer }
type Ask = (method: Method, shape: Shape) => Promise<Asked>
type Programs = {
  caracal: { inTurn: Ask; atOnce: Ask }
  victoria: Ask
  influx: Ask | undefined
}

const pagesOf = ({ from, to, step }: Shape): number =>
  Math.ceil((((to - from) / step) * yearTopics) / MAX_LOG_ENTRIES)

/** A page has a maximum of rows, so a long answer is more than one query, each of a part of the time. */
async function openCaracal(caracal: Caracal, id: number): Promise<{ inTurn: Ask; atOnce: Ask }> {
  const headers = { 'x-api-key': await caracal.token() }
  const questionsOf = ({ name }: Method, shape: Shape) => {
    const { interval, from, to, step } = shape
    const length = Math.ceil((to - from) / step / pagesOf(shape)) * step
    return Array.from({ length: pagesOf(shape) }, (_, page) => () => {
      const begin = from + page * length
      const last = Math.min(begin + length, to) - 1
      const window = `from=${begin / 1000}&to=${last / 1000}&limit=${MAX_LOG_ENTRIES}`
      const path = `/api/v3beta/log/${id}?${window}&aggr_method=${name}&aggr_interval=${interval}`
      return timedGet(caracal.url + path, headers)
    })
  }
  const asked = (pages: readonly TimedAnswer[], ms: number): Asked => ({
    ms,
    historyMs: pages.reduce((sum, { historyMs }) => sum + historyMs, 0),
    answer: () => answerOfCaracal(pages.map(({ text }) => text()))
  })
  return {
    async inTurn(method, shape) {
      const pages = []
      for (const ask of questionsOf(method, shape)) pages.push(await ask())
      return asked(
        pages,
        pages.reduce((sum, { ms }) => sum + ms, 0)
      )
    },
    async atOnce(method, shape) {
      const start = performance.now()
      const pages = await Promise.all(questionsOf(method, shape).map((ask) => ask()))
      return asked(pages, performance.now() - start)
    }
  }
}

const openVictoria =
  ({ rangeUrl }: VictoriaPeer): Ask =>
  async ({ victoria }, shape) => {
    const query = `${victoria}(s[${shape.step / 1000}s])`
    const { text, ...took } = await timedGet(rangeUrl(query, shape))
    return { ...took, answer: () => answerOfVictoria(text(), shape) }
  }

const openInflux =
  ({ queryUrl }: InfluxPeer): Ask =>
  async ({ influx }, { from, to, step }) => {
    const time = `time(${step}ms, ${from % step}ms)`
    const { text, ...took } = await timedGet(
      queryUrl(
        `SELECT ${influx} FROM s WHERE time >= ${from}ms AND time < ${to}ms GROUP BY ${time}, t fill(none)`
      )
    )
    return { ...took, answer: () => answerOfInflux(text()) }
  }

/** Milliseconds of the first answers. The peers have no months: VictoriaMetrics is asked for each one. */
async function check(
  { caracal, victoria, influx }: Programs,
  peer: VictoriaPeer,
  shape: Shape,
  method: Method
): Promise<{ subject: number; victoria: number }> {
  const what = `year ${shape.what}, ${method.name}`
  const [ours, theirs] = [await caracal.inTurn(method, shape), await victoria(method, shape)]
  const inSteps = theirs.answer()
  if (influx) assertSame(`${what}, the peers`, (await influx(method, shape)).answer(), inSteps)
  const isOfMonths = shape.interval.startsWith('1mo')
  assertSame(what, ours.answer(), isOfMonths ? await byMonth(peer, shape, method) : inSteps)
  if (pagesOf(shape) > 1) {
    const together = (await caracal.atOnce(method, shape)).answer()
    assertSame(`${what}, pages at once`, together, ours.answer())
  }
  return { subject: ours.ms, victoria: theirs.ms }
}

async function byMonth(peer: VictoriaPeer, shape: Shape, method: Method): Promise<Answer> {
  const answer: Answer = new Map()
  const borders = monthBorders(shape)
  for (const [place, to] of borders.slice(1).entries()) {
    const from = borders[place] ?? to
    const query = `${method.victoria}(s[${(to - from) / 1000}s])`
    const { text } = await timedGet(peer.instantUrl(query, to - 1))
    for (const [topic, points] of answerOfVictoria(text(), { from, step: to - from })) {
      answer.set(topic, new Map([...(answer.get(topic) ?? []), ...points]))
    }
  }
  return answer
}

async function measure(
  bench: Bench,
  { caracal, victoria, influx }: Programs,
  shape: Shape,
  method: Method
): Promise<Row[]> {
  const { yearRepeats, yearMonths } = bench.sizes
  const what = `${method.name} ${shape.what}`
  const hasPages = pagesOf(shape) > 1
  const times = { subject: [], history: [], atOnce: [], victoria: [], influx: [] } as Record<
    'subject' | 'history' | 'atOnce' | 'victoria' | 'influx',
    number[]
  >
  // The check was the first round. This one does not count either.
  for (let round = 0; round <= yearRepeats; round++) {
    bench.say(`year, ${what}: ${round} of ${yearRepeats}`)
    const ours = await caracal.inTurn(method, shape)
    const together = hasPages ? await caracal.atOnce(method, shape) : undefined
    const theirs = await victoria(method, shape)
    if (round === 0) continue
    times.subject.push(ours.ms)
    times.history.push(ours.historyMs)
    if (together) times.atOnce.push(together.ms)
    times.victoria.push(theirs.ms)
    if (influx && round <= INFLUX_REPEATS) times.influx.push((await influx(method, shape)).ms)
  }
  bench.note(`year, ${what}`, times)
  const time = yearMonths === 12 ? 'a year' : 'a month'
  const row = (name: string, of: readonly number[]) => ({
    line: 'year',
    what: `${what}, ${time} of ${yearTopics} topics, to ${name}`,
    subject: `${ms(median(times.subject))} (history ${ms(median(times.history))})`,
    floor: ms(median(of)),
    ratio: median(of) / median(times.subject)
  })
  const toVictoria = row('VictoriaMetrics', times.victoria)
  return [
    {
      ...toVictoria,
      goal: `ratio > ${GOAL_RATIO}`,
      isMet: toVictoria.ratio > GOAL_RATIO
    },
    ...(hasPages
      ? [
          {
            ...{ ...toVictoria, what: `the same, its ${pagesOf(shape)} pages asked for at once` },
            subject: ms(median(times.atOnce)),
            ratio: median(times.victoria) / median(times.atOnce),
            ...{ goal: '', isMet: undefined }
          }
        ]
      : []),
    ...(influx ? [{ ...row('InfluxDB', times.influx), goal: '', isMet: undefined }] : [])
  ]
}
