import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelxKind } from '../src/registry/tables.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { Caracal } from './caracal.ts'
import { Child } from './child.ts'
import type { ObjectsAnswer, ObjectsQuestion } from './children/objects.ts'
import { whole } from './figures.ts'
import type { Bench } from './line.ts'

export const objectsPerInstallation = 100
const OBJECTS_PER_REQUEST = 20_000

const words =
  'temperature humidity kitchen office hall pump valve energy power meter outdoor basement ventilation supply return hot cold water sensor north south east west roof'.split(
    ' '
  )
const units = ['°C', '%', 'kWh', 'W']
const types = ['temperature', 'switch', 'meter', 'alarm', 'lora', 'zwave']

export type BenchObject = {
  kind: ModelxKind
  /** The index in the list of installations. */
  home: number
  type: string
  meta: Record<string, string>
}

/** The object of a number. It is always the same, so a search knows what it must find. */
export function objectAt(i: number, installations: number): BenchObject {
  const pick = (salt: number, count: number) => scramble(i * 31 + salt) % count
  const word = (salt: number) => words[pick(salt, words.length)] ?? ''
  // Most objects of an installation are made together, some later.
  const own = Math.floor(i / objectsPerInstallation) % installations
  return {
    kind: pick(1, 10) < 3 ? 'device' : 'function',
    home: pick(2, 10) === 0 ? pick(3, own + 1) : own,
    type: types[pick(4, types.length)] ?? '',
    meta: {
      name: `${word(5)} ${word(6)} ${i % 977}`,
      building: `Building ${pick(7, 200)}`,
      floor: String(pick(8, 10)),
      room: `Room ${pick(9, 400)}`,
      vendor: `Vendor ${pick(10, 30)}`,
      model: `M-${pick(11, 100)}`,
      serial: `SN${String(i * 7919).padStart(12, '0')}`,
      eui: scramble(i).toString(16).padStart(8, '0') + i.toString(16).padStart(8, '0'),
      topic_read: `obj/${word(12)}/${i}/${word(13)}`,
      unit: units[pick(14, units.length)] ?? '',
      status: statusOf(pick(15, 100))
    }
  }
}

/** Nearly all objects have the same status. */
const statusOf = (percent: number): string =>
  percent < 90 ? 'active' : percent < 99 ? 'spare' : 'broken'

/** The place of an organization in a list: the first has most installations, the last has few. */
export const organizationAt = (installation: number): number =>
  installation % 10 > 0 ? 0 : installation % 1000 > 0 ? 1 : 2
export const organizationCount = 3

/** 32 bits that look random. */
function scramble(seed: number): number {
  let x = Math.imul((seed ^ (seed >>> 16)) + 0x9e3779b9, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** A registry with many objects, indexed. The URL is empty for SQLite. */
export type ObjectStore = { dataDir: string; url: string; objects: number; installations: number }
export type OpenObjects = ObjectStore & { close(): Promise<void> }

/** Filled the first time, and kept in the cache. Undefined without PostgreSQL. */
export async function filledObjects(
  bench: Bench,
  objects: number,
  engine: 'sqlite' | 'postgres'
): Promise<OpenObjects | undefined> {
  const dataDir = join(bench.cacheDir, `objects-${engine}-${objects}-${layoutHash()}`)
  const manifest = join(dataDir, 'bench.json')
  const isFilled = existsSync(manifest)
  // The user of the server may not enter a data directory.
  const serverDir = `${dataDir}-server`
  if (!isFilled) {
    for (const old of [dataDir, serverDir]) rmSync(old, { recursive: true, force: true })
  }
  const postgres = engine === 'postgres' ? await startPostgres(serverDir) : undefined
  if (engine === 'postgres' && !postgres) return
  const installations = objects / objectsPerInstallation
  const store = { dataDir, url: postgres?.url ?? '', objects, installations }
  if (!isFilled) {
    await fillObjects(bench, store)
    writeFileSync(manifest, JSON.stringify({ objects, installations }))
  }
  return { ...store, close: async () => postgres?.stop() }
}

/** Writes rows as the registry has them, without the requests, and indexes them. */
async function fillObjects(bench: Bench, store: ObjectStore): Promise<void> {
  const { dataDir, url, objects, installations } = store
  // The first start makes the top organization and its administrator.
  await (await Caracal.start(dataDir, settingsOf(store))).stop()
  const child = new Child<ObjectsQuestion, ObjectsAnswer>('objects')
  await child.ask({ kind: 'open', dataDir, url, isDurable: false })
  const start = performance.now()
  await child.ask({ kind: 'install', count: installations })
  for (let from = 0; from < objects; from += OBJECTS_PER_REQUEST) {
    bench.say(`filling the registry: ${whole(from)} of ${whole(objects)} objects`)
    const to = Math.min(from + OBJECTS_PER_REQUEST, objects)
    await child.ask({ kind: 'fill', from, to, installations })
  }
  const seconds = (performance.now() - start) / 1000
  bench.say(`indexing ${whole(objects)} objects`)
  await child.ask({ kind: 'index' })
  const indexSeconds = (performance.now() - start) / 1000 - seconds
  await child.ask({ kind: 'close' })
  await child.stop()
  bench.note(`fill ${engineOf(store)}`, { objects, installations, seconds, indexSeconds })
}

export const engineOf = ({ url }: ObjectStore): string => (url === '' ? 'SQLite' : 'PostgreSQL')
export const settingsOf = ({ url }: ObjectStore): Record<string, string> =>
  url === '' ? {} : { CARACAL_REGISTRY_URL: url }

/** If tables or tokens change, another store is used. */
function layoutHash(): string {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const hash = createHash('sha256')
  for (const file of [
    ...globSync('src/registry/migrations/*.ts', { cwd: root }).sort(),
    'src/features/search/segment.ts',
    'src/features/search/wide-tokens.ts',
    'bench/objects.ts'
  ]) {
    hash.update(readFileSync(join(root, file)))
  }
  return hash.digest('hex').slice(0, 8)
}
