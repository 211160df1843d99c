import { join } from 'node:path'
import pg from 'pg'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { ObjectsAnswer, ObjectsQuestion } from '../children/objects.ts'
import { median, ms, quantile, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { engineOf, filledObjects, type ObjectStore, objectAt, settingsOf } from '../objects.ts'
import { whenQuiet } from '../quiet.ts'
import { copyOf } from '../store.ts'
import { timedGet } from '../timed-get.ts'

const LIMIT = 100
const GOAL = { searchMs: 50, idMs: 10, stallMs: 20, flat: 1.5, writes: 0.5 }
/** It has a tenth of the installations. */
const TENTH_ORGANIZATION = 3
/** From 200 values to four. */
const keys = ['building', 'floor', 'room', 'vendor', 'model', 'unit'] as const
type Key = (typeof keys)[number]

export const searchLine: Line = {
  name: 'search',
  about: 'searches over HTTP on both registries, pages of everything, and writes beside the index',
  async run(bench) {
    const rows: Row[] = []
    for (const objects of bench.sizes.objects) {
      for (const engine of ['sqlite', 'postgres'] as const) {
        const store = await filledObjects(bench, objects, engine)
        if (!store) {
          bench.lacks('search on PostgreSQL', 'PostgreSQL', 'postgresql')
          continue
        }
        rows.push(...(await measure(bench, store)))
        await store.close()
      }
    }
    return rows
  }
}

async function measure(bench: Bench, store: ObjectStore): Promise<Row[]> {
  const caracal = await Caracal.start(store.dataDir, settingsOf(store))
  const read = reader(caracal.url, await caracal.token())
  // The store is kept, and so is its user.
  const name = `tenth-${Date.now()}`
  const tenth = reader(caracal.url, await caracal.createAdministrator(name, TENTH_ORGANIZATION))
  const rows: Row[] = []
  // Once: on a machine that is never quiet, each wait takes a minute.
  await whenQuiet(bench)
  // The program is at rest meanwhile, and a thread at rest may give memory back. [ADR-0054]
  await caracal.stallMs()
  for (const [what, { goalMs, query }] of Object.entries(classes)) {
    rows.push(await searches(bench, store, read, { what, goalMs, query }))
  }
  for (const what of ofTenth) {
    const { goalMs, query } = classes[what]
    const seen = `${what}, sees a tenth`
    rows.push(await searches(bench, store, tenth, { what: seen, goalMs, query }))
  }
  rows.push(await pages(bench, store, read))
  rows.push(stallRow(store, await caracal.stallMs()))
  await caracal.stop()
  return [...rows, await writes(bench, store)]
}

const stallRow = (store: ObjectStore, longest: number): Row => ({
  line: 'search',
  what: `longest stall of the event loop in all of these, ${amount(store)}`,
  subject: ms(longest),
  floor: '',
  ratio: undefined,
  goal: `< ${GOAL.stallMs} ms`,
  isMet: longest < GOAL.stallMs
})

type Read = (query: string) => Promise<{ ms: number; total: number }>

const amount = (store: ObjectStore) => `${whole(store.objects)} objects, ${engineOf(store)}`
const random = (count: number) => Math.floor(Math.random() * count)

type Meta = Record<string, string>
const filter = (meta: Meta, ...filtered: string[]): string =>
  filtered.map((key) => `&metadata.${key}=${encodeURIComponent(meta[key] ?? '')}`).join('')
const text = (q: string): string => `q=${encodeURIComponent(q)}`

/** A part of the name. */
function part({ name = '' }: Meta): string {
  const start = random(3)
  return name.slice(start, start + 3 + random(6))
}

function twoKeys(): Key[] {
  const one = keys[random(keys.length)] ?? 'building'
  const others = keys.filter((key) => key !== one)
  return [one, others[random(others.length)] ?? 'floor']
}

type SearchClass = { goalMs: number; query: (meta: Meta, objects: number) => string }

/** Made of the metadata of an existing object, so it is among the results. */
const classes = {
  'a word': { goalMs: GOAL.searchMs, query: ({ name = '' }) => text(name.split(' ')[0] ?? '') },
  'the begin of a name': {
    goalMs: GOAL.searchMs,
    query: ({ name = '' }) => text(`${name.slice(0, 3 + random(4))}*`)
  },
  'a wildcard at both ends': { goalMs: GOAL.searchMs, query: (meta) => text(`*${part(meta)}*`) },
  'a part of an identifier': {
    goalMs: GOAL.searchMs,
    query: ({ eui = '' }) => text(`*${eui.slice(1, 6)}*`)
  },
  'any two filters': { goalMs: GOAL.searchMs, query: (meta) => `q=*${filter(meta, ...twoKeys())}` },
  'wildcard, any two filters': {
    goalMs: GOAL.searchMs,
    query: (meta) => text(`*${part(meta)}*`) + filter(meta, ...twoKeys())
  },
  'two broad filters': {
    goalMs: GOAL.searchMs,
    query: (meta) => `q=*${filter(meta, 'status', 'unit')}`
  },
  'two broad filters, a page far down': {
    goalMs: GOAL.searchMs,
    query: (meta, objects) =>
      `q=*${filter(meta, 'floor', 'unit')}&offset=${random(Math.floor(objects / 50))}`
  },
  'a broad and a narrow filter': {
    goalMs: GOAL.searchMs,
    query: (meta) => `q=*${filter(meta, 'unit', 'serial')}`
  },
  'a filter without hits': {
    goalMs: GOAL.searchMs,
    query: (meta) => `q=*&metadata.floor=99${filter(meta, 'unit')}`
  },
  'one id': { goalMs: GOAL.idMs, query: (_, objects) => `q=${1 + random(objects)}` }
} satisfies Record<string, SearchClass>
const ofTenth = ['a word', 'a wildcard at both ends', 'any two filters'] as const

async function searches(
  bench: Bench,
  store: ObjectStore,
  read: Read,
  { what, goalMs, query }: SearchClass & { what: string }
): Promise<Row> {
  const { objects, installations } = store
  const next = () => query(objectAt(random(objects), installations).meta, objects)
  const { times, totals } = await ask(bench, `${what}, ${amount(store)}`, read, next)
  const isMissing = !/without|sees/.test(what) && totals.some((total) => total === 0)
  if (isMissing) throw new Error(`${what}: a search missed what is there`)
  const p99 = quantile(times, 0.99)
  return {
    line: 'search',
    what: `p99, ${what}, ${amount(store)}`,
    subject: ms(p99),
    floor: `p50 ${ms(quantile(times, 0.5))}`,
    ratio: undefined,
    goal: `< ${goalMs} ms`,
    isMet: p99 < goalMs
  }
}

/** Different searches, one after the other. Some at the start are not counted. */
async function ask(bench: Bench, name: string, read: Read, next: () => string) {
  const { searches } = bench.sizes
  for (let i = 0; i < searches / 10; i++) await read(next())
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
  bench.note(`search, pages, ${amount(store)}`, { total, found })
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

/** The store itself is kept as it is. */
async function copyToWriteTo(bench: Bench, { dataDir, url }: ObjectStore) {
  if (url === '') {
    const copy = await copyOf(dataDir, join(bench.workDir, 'search-writes'))
    return { url, dataDir: copy, remove: () => {} }
  }
  const client = new pg.Client(url)
  await client.connect()
  const remove = () => client.query('drop database if exists writes')
  await remove()
  await client.query('create database writes template postgres')
  return {
    dataDir,
    url: url.replace(/[^/]*$/, 'writes'),
    remove: () => remove().finally(() => client.end())
  }
}

/** Compares writes, until they are indexed, with the same writes without a search. */
async function writes(bench: Bench, store: ObjectStore): Promise<Row> {
  bench.say('search: copying the store to write to it')
  const { dataDir, url, remove } = await copyToWriteTo(bench, store)
  const child = new Child<ObjectsQuestion, ObjectsAnswer>('objects')
  await child.ask({ kind: 'open', dataDir, url, isDurable: true })
  const { measureMs, rounds } = bench.sizes
  const rates: Record<'indexed' | 'written' | 'bare', number[]> = {
    indexed: [],
    written: [],
    bare: []
  }
  let from = store.objects
  await whenQuiet(bench)
  for (let round = 1; round <= rounds; round++) {
    for (const isIndexed of [false, true]) {
      bench.say(`search, writes, round ${round} of ${rounds}: ${isIndexed ? 'indexed' : 'bare'}`)
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
  await remove()
  bench.note(`search, writes, ${amount(store)}`, rates)
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

function reader(url: string, token: string): Read {
  const headers = { 'x-api-key': token }
  return async (query) => {
    const { ms, text } = await timedGet(`${url}/api/v3beta/search?${query}`, headers)
    return { ms, total: JSON.parse(text()).total }
  }
}
