import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BrokenBlock, checkPack } from '../history/sqlite/check-pack.ts'
import {
  countPack,
  HISTORY_DIRECTORY,
  installationsOfTopics,
  PACK_NAME,
  readPacks,
  topicsNamed
} from '../history/sqlite/copy.ts'
import { fileIn, packsIn } from '../history/sqlite/file.ts'
import type { Pack } from '../history/sqlite/pack.ts'
import { monthOfPack } from './facts.ts'
import type { Findings } from './findings.ts'
import { type Entry, pathOfPack } from './manifest.ts'

type Counts = Map<string, NonNullable<Entry['installations']>>

const MAX_TOPICS_NAMED = 5

/**
 * Unpacks every block of every packed file, and compares the files with the list in the database.
 * Answers the samples of each file. `isListed`: the database can be read.
 */
export async function checkHistory(
  directory: string,
  { isListed, listed }: { isListed: boolean; listed?: ReadonlyMap<string, Entry> },
  findings: Findings,
  onBytes: (bytes: number) => void
): Promise<Counts> {
  const history = join(directory, HISTORY_DIRECTORY)
  const packs = isListed ? readPacks(fileIn(history)) : []
  const database = isListed ? fileIn(history) : undefined
  const topics = database ? installationsOfTopics(database) : new Map<number, number>()
  const known = new Map(packs.map((pack) => [pack.name, pack]))
  const names = new Set([...known.keys(), ...(isListed ? [] : await packFilesIn(history))])
  const counts: Counts = new Map()
  for (const name of [...names].sort()) {
    const path = pathOfPack(name)
    const pack = known.get(name)
    const installations = listed?.get(path)?.installations
    checkOne(join(packsIn(history), name), { path, pack, database, installations }, findings)
    try {
      counts.set(path, Object.fromEntries(countPack(join(packsIn(history), name), topics)))
    } catch {
      // The index is broken, which is a finding.
    }
    onBytes(pack?.bytes ?? 0)
    await nextTurn()
  }
  return counts
}

async function packFilesIn(history: string): Promise<string[]> {
  const names = await readdir(packsIn(history)).catch(() => [])
  return names.filter((name) => PACK_NAME.test(name))
}

type One = {
  path: string
  pack: Pack | undefined
  /** Undefined: it cannot be read. */
  database: string | undefined
  installations: Entry['installations']
}

function checkOne(file: string, one: One, findings: Findings): void {
  const { path, pack, database } = one
  if (!existsSync(file)) {
    findings.add(path, 'it is missing, but history lists it', lostWithAll(one))
    return
  }
  const { samples, broken, fault } = checkPack(file)
  if (fault !== undefined) {
    findings.add(path, fault, lostWithAll(one))
  } else if (broken[0]) {
    findings.add(
      path,
      `${broken.length} blocks cannot be read: ${broken[0].fault}`,
      lostWith(broken, database)
    )
  } else if (pack && samples !== pack.samples) {
    findings.add(path, `it has ${samples} values, but history lists ${pack.samples}`)
  }
}

/** The whole file. */
function lostWithAll({ path, pack, installations }: One): string {
  const month = monthOfPack(path)
  if (!pack) return `values of ${month}`
  const of = installations
    ? ` of installations ${Object.keys(installations).slice(0, 20).join(', ')}`
    : ''
  return `${pack.samples} values${of} from ${isoTime(pack.first)} to ${isoTime(pack.last)}`
}

function lostWith(broken: readonly BrokenBlock[], database: string | undefined): string {
  const samples = broken.reduce((sum, block) => sum + block.samples, 0)
  const first = Math.min(...broken.map((block) => block.first))
  const last = Math.max(...broken.map((block) => block.last))
  const ids = [...new Set(broken.map(({ topic_id }) => topic_id))]
  const some = ids.slice(0, MAX_TOPICS_NAMED)
  const named = database ? topicsNamed(database, some) : some.map((id) => `topic ${id}`)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more topics` : ''
  return `${samples} values of ${named.join(', ')}${more} from ${isoTime(first)} to ${isoTime(last)}`
}

function isoTime(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}
