import { DAY } from '../../src/lib/unix-time.ts'
import { Caracal } from '../caracal.ts'
import type { BareAnswer, BareQuery } from '../children/bare-query.ts'
import { median, ms, whole } from '../figures.ts'
import type { Line } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { filledStore, openBare } from '../store.ts'
import { timedGet } from '../timed-get.ts'

const LIMIT = 10_000
/** What history reached with one row per sample; it must not become slower. */
const RATIO_OF_ROWS = { newest: 1.32, offset: 0.17 }

export const pageLine: Line = {
  name: 'page',
  about: 'a page of 10 000 rows with total over HTTP, to the bare query of the engine',
  async run(bench) {
    const store = await filledStore(bench)
    const { samples, from, to } = store
    const bare = await openBare(bench, store)
    const caracal = await Caracal.start(store.dataDir)
    const read = reader(caracal.url, await caracal.token())
    const installation_id = store.installations[store.installations.length >> 1]?.id ?? 0
    const inAll = samples / store.installations.length
    const shapes = [
      { what: 'newest 10 000 of 24 h', goal: RATIO_OF_ROWS.newest, from: to - DAY, offset: 0 },
      {
        what: `offset ${whole(inAll / 4)} of ${whole(inAll)}`,
        ...{ goal: RATIO_OF_ROWS.offset, from, offset: inAll / 4 }
      }
    ]
    const rows = []
    for (const { what, goal, ...window } of shapes) {
      const query = { installation_id, to, limit: LIMIT, ...window }
      await whenQuiet(bench)
      const subject: number[] = []
      const floor: number[] = []
      // The first two rounds do not count; they fill caches and compile code on both sides.
      for (let round = -1; round <= bench.sizes.pageRepeats; round++) {
        if (round % 10 === 0) bench.say(`page, ${what}: ${round} of ${bench.sizes.pageRepeats}`)
        const answer = await bare.ask(query)
        const page = await read(query)
        if (round === -1) compare(answer, page.text)
        if (round < 1) continue
        floor.push(answer.ms)
        subject.push(page.ms)
      }
      bench.note(`page, ${what}`, { samples, query, subject, floor })
      const ratio = median(subject) / median(floor)
      rows.push({
        line: 'page',
        what: `${what}, ${whole(samples / 1e6)} M samples`,
        subject: ms(median(subject)),
        floor: ms(median(floor)),
        ratio,
        goal: `ratio <= ${goal}`,
        isMet: ratio <= goal
      })
    }
    await bare.stop()
    await caracal.stop()
    return rows
  }
}

function reader(url: string, token: string) {
  const headers = { 'x-api-key': token }
  return ({ installation_id, from, to, limit, offset }: BareQuery) => {
    const window = `from=${from / 1000}&to=${to / 1000}&limit=${limit}&offset=${offset}`
    return timedGet(`${url}/api/v3beta/log/${installation_id}?${window}`, headers)
  }
}

/** The floor must read the same rows. */
function compare(bare: BareAnswer, text: () => string): void {
  const { count, total, last, data } = JSON.parse(text())
  const isSame =
    count === bare.rows &&
    data.length === count &&
    total === bare.total &&
    last * 1000 === bare.oldest
  if (!isSame) {
    const page = JSON.stringify({ count, total, last })
    throw new Error(`the floor read other rows: ${JSON.stringify(bare)}, not ${page}`)
  }
}
