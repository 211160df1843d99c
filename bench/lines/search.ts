import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { ObjectsAnswer, ObjectsQuestion } from '../children/objects.ts'
import { median, ms, quantile, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { filledObjects, type ObjectStore, objectAt } from '../objects.ts'
import { whenQuiet } from '../quiet.ts'
import { copyOf } from '../store.ts'

const LIMIT = 100
const GOAL = { wildcardMs: 50, idMs: 10, flat: 1.5, writes: 0.5 }
/** From 200 values to four. */
const keys = ['building', 'floor', 'room', 'vendor', 'model', 'unit'] as const
type Key = (typeof keys)[number]

export const searchLine: Line = {
  name: 'search',
  about:
    'search over HTTP among a million objects, pages of everything, and writes beside the index',
  async run(bench) {
    const store = await filledObjects(bench)
    const caracal = await Caracal.start(store.dataDir)
    const read = reader(caracal.url, await caracal.token())
    const rows = [
      await wildcards(bench, store, read, {
        what: 'wildcard, building and another filter',
        first: ['building']
      }),
      await wildcards(bench, store, read, { what: 'wildcard, any two filters', first: keys }),
      await ids(bench, store, read),
      await pages(bench, store, read)
    ]
    await caracal.stop()
    return [...rows, await writes(bench, store)]
  }
}

type Read = (query: string) => Promise<{ ms: number; total: number }>

const amount = ({ objects }: ObjectStore) => `${whole(objects)} objects`
const random = (count: number) => Math.floor(Math.random() * count)

/** A part of the name of an existing object and two of its pairs, so it is among the results. */
function wildcardQuery({ objects, installations }: ObjectStore, filtered: readonly Key[]): string {
  const { meta } = objectAt(random(objects), installations)
  const start = random(3)
  const part = meta['name']?.slice(start, start + 3 + random(6)) ?? ''
  const filters = filtered.map((key) => `metadata.${key}=${encodeURIComponent(meta[key] ?? '')}`)
  return [`q=*${encodeURIComponent(part)}*`, ...filters].join('&')
}

/** One pair of `first`, and another pair. */
function twoKeys(first: readonly Key[]): Key[] {
  const one = first[random(first.length)] ?? 'building'
  const others = keys.filter((key) => key !== one)
  return [one, others[random(others.length)] ?? 'floor']
}

async function wildcards(
  bench: Bench,
  store: ObjectStore,
  read: Read,
  { what, first }: { what: string; first: readonly Key[] }
): Promise<Row> {
  const next = () => wildcardQuery(store, twoKeys(first))
  const { times, totals } = await ask(bench, what, read, next)
  if (totals.some((total) => total === 0)) throw new Error('a search missed what is there')
  const p99 = quantile(times, 0.99)
  return {
    line: 'search',
    what: `p99, ${what}, ${amount(store)}`,
    subject: ms(p99),
    floor: `p50 ${ms(quantile(times, 0.5))}`,
    ratio: undefined,
    goal: `< ${GOAL.wildcardMs} ms`,
    isMet: p99 < GOAL.wildcardMs
  }
}

async function ids(bench: Bench, store: ObjectStore, read: Read): Promise<Row> {
  const { times } = await ask(bench, 'id', read, () => `q=${1 + random(store.objects)}`)
  const p99 = quantile(times, 0.99)
  return {
    line: 'search',
    what: `p99, one id, ${amount(store)}`,
    subject: ms(p99),
    floor: `p50 ${ms(quantile(times, 0.5))}`,
    ratio: undefined,
    goal: `< ${GOAL.idMs} ms`,
    isMet: p99 < GOAL.idMs
  }
}

/** Different searches, one after the other. Some at the start are not counted. */
async function ask(bench: Bench, name: string, read: Read, next: () => string) {
  const { searches } = bench.sizes
  for (let i = 0; i < searches / 10; i++) await read(next())
  await whenQuiet(bench)
  const times: number[] = []
  const totals: number[] = []
  const slow: { query: string; ms: number; total: number }[] = []
  for (let i = 0; i < searches; i++) {
    if (i % 100 === 0) bench.say(`search, ${name}: ${i} of ${searches}`)
    const query = `${next()}&limit=${LIMIT}`
    const { ms, total } = await read(query)
    times.push(ms)
    totals.push(total)
    slow.push({ query, ms, total })
  }
  times.sort((a, b) => a - b)
  slow.sort((a, b) => b.ms - a.ms)
  const [p50, p90, p99, max] = [0.5, 0.9, 0.99, 1].map((share) => quantile(times, share))
  bench.note(`search, ${name}`, { searches, p50, p90, p99, max, slowest: slow.slice(0, 10) })
  return { times, totals }
}

/** Every page needs the same work, whatever its offset. */
async function pages(bench: Bench, store: ObjectStore, read: Read): Promise<Row> {
  const { total } = await read('q=*&limit=1')
  await whenQuiet(bench)
  const found: Record<string, number> = {}
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const offset = Math.max(0, Math.floor(total * share) - (share === 1 ? LIMIT : 0))
    const times: number[] = []
    for (let i = 0; i <= bench.sizes.pageRepeats; i++) {
      bench.say(`search, page at ${offset} of ${total}`)
      const page = await read(`q=*&limit=${LIMIT}&offset=${offset}`)
      if (i > 0) times.push(page.ms)
    }
    found[offset] = median(times)
  }
  bench.note('search, pages', { total, found })
  const medians = Object.values(found)
  const [slowest, fastest] = [Math.max(...medians), Math.min(...medians)]
  const ratio = slowest / fastest
  return {
    line: 'search',
    what: `\`*\`, 100 at 0, 25, 50, 75 % and the end, ${amount(store)}`,
    subject: `${ms(slowest)} slowest`,
    floor: `${ms(fastest)} fastest`,
    ratio,
    goal: `ratio < ${GOAL.flat}`,
    isMet: ratio < GOAL.flat
  }
}

/** Compares writes, until they are indexed, with the same writes without a search. */
async function writes(bench: Bench, store: ObjectStore): Promise<Row> {
  bench.say('search: copying the store to write to it')
  const dataDir = await copyOf(store.dataDir, join(bench.workDir, 'search-writes'))
  const child = new Child<ObjectsQuestion, ObjectsAnswer>('modelx')
  await child.ask({ kind: 'open', dataDir, isDurable: true })
  const { measureMs, rounds } = bench.sizes
  const rates: Record<'indexed' | 'written' | 'bare', number[]> = {
    indexed: [],
    written: [],
    bare: []
  }
  let from = store.objects
  for (let round = 1; round <= rounds; round++) {
    for (const isIndexed of [false, true]) {
      bench.say(`search, writes, round ${round} of ${rounds}: ${isIndexed ? 'indexed' : 'bare'}`)
      await whenQuiet(bench)
      const { installations } = store
      const answer = await child.ask({
        kind: 'write',
        isIndexed,
        from,
        installations,
        ms: measureMs
      })
      from += answer.count
      const perSecond = (time: number) => (answer.count / time) * 1000
      if (isIndexed) {
        rates.indexed.push(perSecond(answer.settledMs))
        rates.written.push(perSecond(answer.ms))
      } else rates.bare.push(perSecond(answer.ms))
    }
  }
  await child.ask({ kind: 'close' })
  await child.stop()
  bench.note('search, writes', rates)
  const ratio = median(rates.indexed) / median(rates.bare)
  return {
    line: 'search',
    what: `writes until indexed, beside ${amount(store)}`,
    subject: `${whole(median(rates.indexed))} /s`,
    floor: `${whole(median(rates.bare))} /s`,
    ratio,
    goal: `ratio >= ${GOAL.writes}`,
    isMet: ratio >= GOAL.writes
  }
}

/** The time ends with the last byte. */
function reader(url: string, token: string): Read {
  const agent = new Agent({ keepAlive: true })
  const headers = { 'x-api-key': token }
  return (query) =>
    new Promise((resolve, reject) => {
      const start = performance.now()
      get(`${url}/api/v3beta/search?${query}`, { agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => {
          const ms = performance.now() - start
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode !== 200) reject(new Error(`${response.statusCode} ${text}`))
          else resolve({ ms, total: JSON.parse(text).total })
        })
      }).on('error', reject)
    })
}
