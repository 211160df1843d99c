import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { platformOfQueue, QUEUE_FILE } from '../bus/embedded/store/copy.ts'
import { readSpoolCopy, SPOOL_FILE } from '../history/spool/copy.ts'
import { countRowsOf, HISTORY_DIRECTORY, readHistoryLineage } from '../history/sqlite/copy.ts'
import { fileIn } from '../history/sqlite/file.ts'
import { highest, type Ids, type Lineage, type RegistryLineage } from '../lib/lineage.ts'
import { countRows } from '../lib/sqlite-file.ts'
import { contentsNamedIn, REGISTRY_FILE, readRegistryCopy } from '../registry/sqlite/copy.ts'
import { type Entry, type Manifest, type PartName, pathOfContent } from './manifest.ts'

export type Counted = Pick<Manifest, 'samples' | 'rows'>
export type Lineages = {
  registry?: RegistryLineage
  history?: Lineage
  spool: Lineage
  queue?: string | undefined
}
export type Facts = Counted & { schema: number | null; lineages: Lineages }

/** The path of each database in a backup, and in a data directory. */
export const databaseOf: Readonly<Record<Exclude<PartName, 'files'>, string>> = {
  spool: SPOOL_FILE,
  history: fileIn(HISTORY_DIRECTORY),
  queue: QUEUE_FILE,
  registry: REGISTRY_FILE
}

/**
 * Counts what is in a backup, or in a stopped data directory. `packs`: the samples of each packed
 * file, by month (the path begins with it) and installation.
 */
export async function readFacts(
  directory: string,
  parts: readonly PartName[],
  packs: ReadonlyMap<string, NonNullable<Entry['installations']>>
): Promise<Facts> {
  const at = (part: keyof typeof databaseOf) => join(directory, databaseOf[part])
  const has = (part: PartName) => parts.includes(part)
  const registry = has('registry') ? await readRegistryCopy(at('registry')) : undefined
  const spool = readSpoolCopy(at('spool'))
  const samples = has('history')
    ? countSamples(at('history'), packs)
    : { months: {}, installations: {} }
  return {
    schema: registry?.schema ?? null,
    samples: { ...samples, spool: spool.samples },
    rows: {
      registry: registry ? countRows(at('registry')) : {},
      queue: has('queue') ? countRows(at('queue')) : {}
    },
    lineages: {
      spool: spool.lineage,
      ...(registry && { registry: registry.lineage }),
      ...(has('history') && { history: readHistoryLineage(at('history')) }),
      ...(has('queue') && { queue: platformOfQueue(at('queue')) })
    }
  }
}

function countSamples(
  file: string,
  packs: ReadonlyMap<string, NonNullable<Entry['installations']>>
): Omit<Manifest['samples'], 'spool'> {
  const months: Record<string, number> = {}
  const installations: Record<string, number> = {}
  const add = (month: string, installation: number | string, samples: number) => {
    months[month] = (months[month] ?? 0) + samples
    installations[installation] = (installations[installation] ?? 0) + samples
  }
  for (const [month, counts] of countRowsOf(file))
    for (const [installation, samples] of counts) add(month, installation, samples)
  for (const [path, counts] of packs)
    for (const [installation, samples] of Object.entries(counts))
      add(monthOfPack(path), installation, samples)
  return { months: sorted(months), installations: sorted(installations) }
}

/** A pack is called `2025-11-<uuid>.pack`. */
export const monthOfPack = (path: string): string =>
  /(\d{4,6}-\d{2})-[0-9a-f-]{36}\.pack$/.exec(path)?.[1] ?? ''

const sorted = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The highest ids that any part knows. */
export const idsOfLineages = ({ registry, history, spool }: Lineages): Ids =>
  highest(spool.reached, ...[registry, history].flatMap((part) => (part ? [part.reached] : [])))

/** Contents that files of the registry refer to, but that are not there. */
export function* missingContents(
  registryFile: string,
  filesDir: string
): Generator<{ path: string; name: string }> {
  for (const { hash, name } of contentsNamedIn(registryFile)) {
    const file = join(filesDir, hash.slice(0, 2), hash.slice(2))
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (!found?.isFile()) yield { path: pathOfContent(hash), name }
  }
}
