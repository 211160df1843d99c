import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelxKind } from '../src/registry/tables.ts'
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
      unit: units[pick(14, units.length)] ?? ''
    }
  }
}

/** 32 bits that look random. */
function scramble(seed: number): number {
  let x = Math.imul((seed ^ (seed >>> 16)) + 0x9e3779b9, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** A data directory with many objects, indexed. */
export type ObjectStore = { dataDir: string; objects: number; installations: number }

/** Written the first time like the registry does it, and kept in the cache. */
export async function filledObjects(bench: Bench): Promise<ObjectStore> {
  const objects = bench.sizes.objects
  const installations = objects / objectsPerInstallation
  const dataDir = join(bench.cacheDir, `objects-${objects}-${layoutHash()}`)
  const store = { dataDir, objects, installations }
  const manifest = join(dataDir, 'bench.json')
  if (existsSync(manifest)) return store

  rmSync(dataDir, { recursive: true, force: true })
  await (await Caracal.start(dataDir)).stop()
  const child = new Child<ObjectsQuestion, ObjectsAnswer>('modelx')
  await child.ask({ kind: 'open', dataDir, isDurable: false })
  const start = performance.now()
  await child.ask({ kind: 'install', count: installations })
  for (let from = 0; from < objects; from += OBJECTS_PER_REQUEST) {
    bench.say(`filling the registry: ${whole(from)} of ${whole(objects)} objects`)
    await child.ask({
      kind: 'fill',
      from,
      to: Math.min(from + OBJECTS_PER_REQUEST, objects),
      installations
    })
  }
  const seconds = (performance.now() - start) / 1000
  let left = 1
  while (left > 0) {
    left = (await child.ask({ kind: 'fold', batches: 20 })).count
    bench.say(`indexing: ${whole(left)} left`)
  }
  const indexSeconds = (performance.now() - start) / 1000 - seconds
  await child.ask({ kind: 'close' })
  await child.stop()
  bench.note('fill objects', { objects, installations, seconds, indexSeconds })
  writeFileSync(manifest, JSON.stringify({ objects, installations }))
  return store
}

/** If tables or tokens change, another store is used. */
function layoutHash(): string {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const hash = createHash('sha256')
  for (const file of [
    ...globSync('src/registry/migrations/*.ts', { cwd: root }).sort(),
    'src/features/search/engine-sql.ts',
    'src/features/search/tokens.ts',
    'bench/objects.ts'
  ]) {
    hash.update(readFileSync(join(root, file)))
  }
  return hash.digest('hex').slice(0, 8)
}
