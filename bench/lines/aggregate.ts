import { type Influx, isInfluxInstalled, startInflux } from '../../test/support/influx.ts'
import { Caracal } from '../caracal.ts'
import { median, ms, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { DAY, filledStore, MINUTE, type Store, topicsPerInstallation } from '../store.ts'

const GOAL_RATIO = 3
const DAYS = 7

/** Ours and theirs. */
const methods = [
  ...['count', 'first', 'last', 'mean', 'spread', 'max', 'min', 'sum', 'stddev', 'median'].map(
    (name) => [name, `${name}(v)`] as const
  ),
  ['percentile(95)', 'percentile(v, 95)'],
  ['integral', 'integral(v, 1s)']
] as const

export const aggregateLine: Line = {
  name: 'aggregate',
  about: '12 methods per 10 min, 7 days of 10 topics, over HTTP, to InfluxDB 1 over HTTP',
  async run(bench) {
    if (!isInfluxInstalled()) {
      bench.say('aggregate: influxd is not installed')
      return []
    }
    const store = await filledStore(bench)
    const influx = await startInflux()
    await fillInflux(bench, influx, store)
    const caracal = await Caracal.start(store.dataDir)
    const headers = { 'x-api-key': await caracal.token() }
    const { id = 0 } = store.installations[store.installations.length >> 1] ?? {}
    const from = Math.max(store.from, store.to - DAYS * DAY)
    const rows: Row[] = []
    for (const [ours, theirs] of methods) {
      const window = `from=${from / 1000}&to=${(store.to - 1) / 1000}&limit=100000`
      const path = `/api/v3beta/log/${id}?${window}&aggr_interval=10m&aggr_method=${ours}`
      const statement = `SELECT ${theirs} FROM s WHERE i = '${id}'
        AND time >= ${from}ms AND time < ${store.to}ms GROUP BY time(10m), t fill(none)`
      await whenQuiet(bench)
      const subject: number[] = []
      const peer: number[] = []
      // Two rounds more than are counted: caches and compiled code of both come first.
      for (let round = -1; round <= bench.sizes.pageRepeats; round++) {
        if (round % 10 === 0) bench.say(`aggregate, ${ours}: ${round}`)
        const mine = await timedText(fetch(caracal.url + path, { headers }))
        const answer = await timedText(fetch(influx.queryUrl(statement)))
        if (round === -1) compare(mine.text, answer.text)
        if (round < 1) continue
        subject.push(mine.ms)
        peer.push(answer.ms)
      }
      bench.note(`aggregate, ${ours}`, { subject, peer })
      const ratio = median(peer) / median(subject)
      rows.push({
        line: 'aggregate',
        what: `${ours}, ${whole(store.samples / 1e6)} M samples, to InfluxDB`,
        subject: ms(median(subject)),
        floor: ms(median(peer)),
        ratio,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ratio >= GOAL_RATIO
      })
    }
    await caracal.stop()
    await influx.stop()
    return rows
  }
}

async function timedText(answering: Promise<Response>): Promise<{ ms: number; text: string }> {
  const start = performance.now()
  const response = await answering
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return { ms: performance.now() - start, text }
}

/** As many samples at the same moments; the values are alike. */
async function fillInflux(bench: Bench, influx: Influx, store: Store): Promise<void> {
  for (const [place, { id }] of store.installations.entries()) {
    bench.say(`aggregate: filling InfluxDB, ${place} of ${store.installations.length}`)
    for (let topic = 0; topic < topicsPerInstallation; topic++) {
      const lines: string[] = []
      for (let minute = store.from; minute < store.to; minute += MINUTE) {
        const timestamp = minute + (place * topicsPerInstallation + topic) * 100
        const value = Math.round(200 + 50 * Math.sin(timestamp / 4e6 + topic)) / 10
        lines.push(`s,i=${id},t=t${topic} v=${value} ${timestamp}`)
      }
      await influx.write(lines)
    }
  }
}

/** A peer that answers other rows is no peer. */
function compare(ours: string, theirs: string): void {
  const { count, total } = JSON.parse(ours)
  const [{ series = [] }] = JSON.parse(theirs).results
  const rows = series.reduce((sum: number, one: { values: [] }) => sum + one.values.length, 0)
  // Its integral loses series when it is grouped by a tag, so it may have fewer.
  if (count !== total || rows > count || rows < count / 2) {
    throw new Error(`the peer answered ${rows} rows, not ${count}`)
  }
}
