import { DAY } from '../../src/lib/unix-time.ts'
import { answerOfCaracal, answerOfInflux, assertSame } from '../answers.ts'
import { Caracal } from '../caracal.ts'
import { median, ms, whole } from '../figures.ts'
import type { Line, Row } from '../line.ts'
import { isInfluxInstalled, startInfluxPeer } from '../peers/influx.ts'
import { fillPeers } from '../peers/peer.ts'
import { whenQuiet } from '../quiet.ts'
import { filledStore, type Store } from '../store.ts'
import { timedGet } from '../timed-get.ts'

const DAYS = 7
/** So often each side answers each question before anything is measured. */
const WARM_ROUNDS = 5
const goals = { '1h': 5, '10m': 3 } as const

/** Our method, and the function of InfluxDB. */
const methods = [
  ...['count', 'first', 'last', 'mean', 'spread', 'max', 'min', 'sum', 'stddev', 'median'].map(
    (name) => [name, `${name}(v)`] as const
  ),
  ['percentile(95)', 'percentile(v, 95)'],
  ['integral', 'integral(v, 1s)']
] as const

export const aggregateLine: Line = {
  name: 'aggregate',
  about: '12 methods by hour and by 10 min, 7 days of 10 topics, over HTTP, to InfluxDB 1',
  async run(bench) {
    if (!isInfluxInstalled()) {
      bench.lacks('aggregate', 'influxd', 'influxdb')
      return []
    }
    const store = await filledStore(bench)
    const influx = await startInfluxPeer()
    await fillPeers(bench, [influx], store)
    const caracal = await Caracal.start(store.dataDir)
    const headers = { 'x-api-key': await caracal.token() }
    const { id = 0 } = store.installations[store.installations.length >> 1] ?? {}
    const window = { from: Math.max(store.from, store.to - DAYS * DAY), to: store.to }
    const rows: Row[] = []
    const asks = (['1h', '10m'] as const).flatMap((interval) =>
      methods.map(([ours, theirs]) => {
        const seconds = `from=${window.from / 1000}&to=${(window.to - 1) / 1000}&limit=100000`
        const query = `${seconds}&aggr_interval=${interval}&aggr_method=${ours}`
        const address = `${caracal.url}/api/v3beta/log/${id}?${query}`
        const peerAddress = influx.queryUrl(statementOf(theirs, interval, store, { id, ...window }))
        const askBoth = async () => ({
          mine: await timedGet(address, headers),
          answer: await timedGet(peerAddress)
        })
        return { what: `${ours} by ${interval}`, interval, askBoth }
      })
    )
    // Code is compiled and caches are filled on both sides before anything is measured.
    for (let round = 1; round <= WARM_ROUNDS; round++) {
      bench.say(`aggregate: warm-up ${round} of ${WARM_ROUNDS}`)
      for (const { what, askBoth } of asks) {
        const { mine, answer } = await askBoth()
        if (round > 1) continue
        assertSame(what, answerOfCaracal([mine.text()]), answerOfInflux(answer.text()))
        bench.note(`aggregate, ${what}, first time`, { subject: mine.ms, peer: answer.ms })
      }
    }
    for (const [place, { what, interval, askBoth }] of asks.entries()) {
      if (place % methods.length === 0) await whenQuiet(bench)
      const [subject, history, peer]: [number[], number[], number[]] = [[], [], []]
      for (let round = 1; round <= bench.sizes.pageRepeats; round++) {
        if (round % 10 === 0) bench.say(`aggregate, ${what}: ${round}`)
        const { mine, answer } = await askBoth()
        subject.push(mine.ms)
        history.push(mine.historyMs)
        peer.push(answer.ms)
      }
      bench.note(`aggregate, ${what}`, { subject, history, peer })
      const ratio = median(peer) / median(subject)
      rows.push({
        line: 'aggregate',
        what: `${what}, ${whole(store.samples / 1e6)} M samples, to InfluxDB`,
        subject: `${ms(median(subject))} (history ${ms(median(history))})`,
        floor: ms(median(peer)),
        ratio,
        goal: `ratio >= ${goals[interval]}`,
        isMet: ratio >= goals[interval]
      })
    }
    await caracal.stop()
    await influx.stop()
    return rows
  }
}

/** Grouped by a tag, the integral of InfluxDB loses series, so it gets a statement for each topic. */
function statementOf(
  method: string,
  interval: string,
  { topics }: Store,
  { id, from, to }: { id: number; from: number; to: number }
): string {
  const select = `SELECT ${method} FROM s WHERE time >= ${from}ms AND time < ${to}ms AND i = '${id}'`
  if (!method.startsWith('integral')) return `${select} GROUP BY time(${interval}), t fill(none)`
  return Array.from(
    { length: topics },
    (_, topic) => `${select} AND t = '${topic}' GROUP BY time(${interval}) fill(none)`
  ).join('; ')
}
