import { createHash } from 'node:crypto'
import { constants, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DAY, MINUTE } from '../src/lib/unix-time.ts'
import { Caracal, type Installation } from './caracal.ts'
import { Child } from './child.ts'
import type { BareAnswer, BareQuestion } from './children/bare-query.ts'
import type { FillAnswer, FillQuestion } from './children/fill.ts'
import { whole } from './figures.ts'
import type { Bench } from './line.ts'
import type { Recording } from './samples.ts'

export const topicsPerInstallation = 10
const INSTALLATIONS = 50
const ROWS_PER_BATCH = 1_000_000
/** So many batches are packed at once: unpacked rows need much more space. */
const BATCHES_PER_PACKING = 10
/** A fixed time, so that a kept store stays the same. All samples are in one month. */
const END_MS = Date.UTC(2025, 5, 29)

/** Many samples of these installations. Series are counted through all of their topics. */
export type Filling = Recording & { installations: Installation[] }

/** A data directory with a filling. */
export type Store = Filling & { dataDir: string; samples: number }

export const samplesIn = ({ installations, topics, from, to }: Filling): number =>
  installations.length * topics * ((to - from) / MINUTE)

/** With `times` there are that many times as many installations, each with as many samples. */
export function filledStore(
  bench: Bench,
  { times = 1, minutes = minutesOf(bench) }: { times?: number; minutes?: number } = {}
): Promise<Store> {
  const topics = topicsPerInstallation
  const recording: Recording = {
    topics,
    from: END_MS - minutes * MINUTE,
    to: END_MS,
    rhythm: 'even'
  }
  return keptStore(bench, recording, INSTALLATIONS * times)
}

export const yearTopics = 20

/** One installation for some months from January, in UTC and in zones up to a day ahead of it. */
export function yearStore(bench: Bench): Promise<Store> {
  const [from, to] = [Date.UTC(2025, 0) - DAY, Date.UTC(2025, bench.sizes.yearMonths)]
  return keptStore(bench, { topics: yearTopics, from, to, rhythm: 'even' }, 1)
}

/** Many installations, each topic with one sample. */
export function topicsStore(bench: Bench): Promise<Store> {
  const recording = { topics: 40, from: END_MS - MINUTE, to: END_MS, rhythm: 'even' } as const
  return keptStore(bench, recording, bench.sizes.latestInstallations)
}

const minutesOf = ({ sizes }: Bench): number =>
  Math.round(sizes.samples / (INSTALLATIONS * topicsPerInstallation))

/** Filled the first time with `append` of the engine, and kept in the cache. */
async function keptStore(bench: Bench, recording: Recording, count: number): Promise<Store> {
  const minutes = (recording.to - recording.from) / MINUTE
  const shape = `sqlite-${count}x${recording.topics}x${minutes}-`
  const dataDir = join(bench.cacheDir, shape + layoutHash())
  const manifest = join(dataDir, 'bench.json')
  if (existsSync(manifest)) return { ...JSON.parse(readFileSync(manifest, 'utf8')), dataDir }

  for (const old of globSync(`${shape}*`, { cwd: bench.cacheDir }))
    rmSync(join(bench.cacheDir, old), { recursive: true, force: true })
  const caracal = await Caracal.start(dataDir)
  const installations = await caracal.createInstallations(count)
  await caracal.stop()
  const filling = { ...recording, installations }
  const store: Store = { ...filling, dataDir, samples: samplesIn(filling) }
  await fill(bench, dataDir, filling)
  writeFileSync(manifest, JSON.stringify(store))
  return store
}

/** Appends a filling to the history of a data directory, and packs it. */
export async function fill(bench: Bench, dataDir: string, filling: Filling): Promise<void> {
  const child = new Child<FillQuestion, FillAnswer>('fill')
  await child.ask({ kind: 'open', dataDir })
  const start = performance.now()
  const samples = samplesIn(filling)
  const parts = filling.rhythm === 'live' ? partsOfTime(filling) : partsOfSeries(filling)
  for (const [at, part] of parts.entries()) {
    bench.say(`filling a store with ${whole(samples)} samples: part ${at} of ${parts.length}`)
    await child.ask(part)
    if ((at + 1) % BATCHES_PER_PACKING === 0) await child.ask({ kind: 'pack' })
  }
  await child.ask({ kind: 'pack' })
  await child.ask({ kind: 'close' })
  await child.stop()
  const seconds = (performance.now() - start) / 1000
  bench.note(`fill, ${samples}`, { samples, seconds, perSecond: samples / seconds })
}

function partsOfTime(filling: Filling): FillQuestion[] {
  const perMinute = filling.installations.length * filling.topics
  const step = Math.ceil(ROWS_PER_BATCH / perMinute) * MINUTE
  const parts: FillQuestion[] = []
  for (let from = filling.from; from < filling.to; from += step)
    parts.push({ kind: 'append live', filling, from, to: Math.min(from + step, filling.to) })
  return parts
}

function partsOfSeries(filling: Filling): FillQuestion[] {
  const count = filling.installations.length * filling.topics
  const step = Math.ceil(ROWS_PER_BATCH / ((filling.to - filling.from) / MINUTE))
  const parts: FillQuestion[] = []
  for (let first = 0; first < count; first += step)
    parts.push({ kind: 'append', filling, first, stop: Math.min(first + step, count) })
  return parts
}

/** The floor of pages: the samples of a store as plain rows. They are kept too. */
export async function openBare(
  bench: Bench,
  { dataDir, ...store }: Store
): Promise<Child<BareQuestion, BareAnswer>> {
  bench.say(`opening ${whole(store.samples)} plain rows for the floor`)
  const bare = new Child<BareQuestion, BareAnswer>('bare-query')
  await bare.ask({ directory: `${dataDir}-rows`, filling: store })
  return bare
}

/** A copy for lines that write to the store. */
export async function copyOf(directory: string, to: string): Promise<string> {
  await cp(directory, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return to
}

/** What only reads does not change a store. */
const readers =
  /\/(reader|scanner|aggregate|aggregated-json|bucket-sums|grid|halves|history|lane-pool|raw-page|results|select|series|series-page|value-bag|window-search|worker|worker-lane)\.ts$/

/** If the code that writes a store changes, another store is used. */
function layoutHash(): string {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const files = globSync(
    ['src/history/sqlite/**/*.ts', 'bench/samples.ts', 'bench/children/fill.ts'],
    { cwd: root }
  )
  const hash = createHash('sha256')
  for (const file of files.toSorted()) {
    if (!readers.test(file)) hash.update(readFileSync(join(root, file)))
  }
  return hash.digest('hex').slice(0, 8)
}
