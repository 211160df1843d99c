import { createHash } from 'node:crypto'
import { constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { Caracal, type Installation } from './caracal.ts'
import { Child } from './child.ts'
import type { FillQuestion } from './children/fill.ts'
import { whole } from './figures.ts'
import type { Bench } from './line.ts'

export const MINUTE = 60_000
export const DAY = 1440 * MINUTE
export const topicsPerInstallation = 10
const INSTALLATIONS = 50
const ROWS_PER_BATCH = 1_000_000
/** Fixed, so that a kept store means the same tomorrow; all of it lies in one month. */
const END = Date.UTC(2025, 5, 29)

/** A data directory with many samples: every topic has one a minute, up to `to`. */
export type Store = {
  dataDir: string
  installations: Installation[]
  samples: number
  from: number
  to: number
}

/**
 * Filled through the engine's own `append` the first time and kept in the cache. `times` as many
 * installations have as many samples each, or those of some minutes only.
 */
export async function filledStore(
  bench: Bench,
  { times = 1, minutes = minutesOf(bench) }: { times?: number; minutes?: number } = {}
): Promise<Store> {
  const count = INSTALLATIONS * times
  const samples = minutes * count * topicsPerInstallation
  const dataDir = join(bench.cacheDir, `sqlite-${count}-${samples}-${layoutHash()}`)
  const manifest = join(dataDir, 'bench.json')
  if (existsSync(manifest)) return { ...JSON.parse(readFileSync(manifest, 'utf8')), dataDir }

  rmSync(dataDir, { recursive: true, force: true })
  const caracal = await Caracal.start(dataDir)
  const installations = await caracal.createInstallations(count)
  await caracal.stop()
  const store: Store = {
    dataDir,
    installations,
    samples,
    from: END - minutes * MINUTE,
    to: END
  }
  await fill(bench, store)
  writeFileSync(manifest, JSON.stringify(store))
  return store
}

const minutesOf = ({ sizes }: Bench): number =>
  Math.round(sizes.samples / (INSTALLATIONS * topicsPerInstallation))

async function fill(bench: Bench, store: Store): Promise<void> {
  const child = new Child<FillQuestion, void>('fill')
  await child.ask({ kind: 'open', dataDir: store.dataDir })
  const start = performance.now()
  let said = -1
  const perMinute = store.installations.length * topicsPerInstallation
  const step = Math.floor(ROWS_PER_BATCH / perMinute) * MINUTE
  for (let from = store.from; from < store.to; from += step) {
    const share = 10 * Math.floor((10 * (from - store.from)) / (store.to - store.from))
    if (share !== said)
      bench.say(`filling the store with ${whole(store.samples)} samples: ${share} %`)
    said = share
    const to = Math.min(from + step, store.to)
    await child.ask({ kind: 'append', installations: store.installations, from, to })
  }
  await child.ask({ kind: 'close' })
  await child.stop()
  const seconds = (performance.now() - start) / 1000
  bench.note('fill', { samples: store.samples, seconds, perSecond: store.samples / seconds })
}

/** For whoever writes to it or opens it beside the server. */
export async function copyOf(directory: string, to: string): Promise<string> {
  await cp(directory, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return to
}

/** A store made by another layout of the tables is another store. */
function layoutHash(): string {
  const text = readFileSync(new URL('../src/history/sqlite-file.ts', import.meta.url))
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
