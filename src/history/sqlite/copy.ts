import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { highest, idsOf, type Lineage, noIds } from '../../lib/lineage.ts'
import { copySqlite, openSqliteToRead, type SqliteCopy } from '../../lib/sqlite-file.ts'
import { syncPathNow } from '../../lib/sync-path.ts'
import { fileIn, numberOfRows, packsIn } from './file.ts'
import type { Pack } from './pack.ts'
import { PackReader } from './pack-file.ts'

/** In a data directory. */
export const HISTORY_DIRECTORY = 'history/sqlite'
/** As `NewPack` names its files. */
export const PACK_NAME = /^\d{4,6}-\d{2}-[0-9a-f-]{36}\.pack$/

/** Samples as they are stored, by installation. A sample that is stored twice counts twice. */
export type StoredCounts = Map<number, number>
export type HistoryCopy = SqliteCopy & { missing: string[] }

/**
 * Copies the rows, and links the packed files that they list. Until it returns, nobody may remove
 * packed files. `missing` names files that are listed but not there.
 */
export function copyHistory(dataDir: string, to: string): HistoryCopy {
  const [source, target] = [join(dataDir, HISTORY_DIRECTORY), join(to, HISTORY_DIRECTORY)]
  mkdirSync(packsIn(target), { recursive: true, mode: 0o700 })
  const copy = copySqlite(fileIn(source), fileIn(target))
  const missing: string[] = []
  for (const { name } of readPacks(fileIn(target))) {
    try {
      linkOrCopy(join(packsIn(source), name), join(packsIn(target), name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      missing.push(name)
    }
  }
  return { ...copy, missing }
}

/** Some file systems have no links. */
function linkOrCopy(from: string, to: string): void {
  rmSync(to, { force: true })
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    copyFileSync(from, to)
    syncPathNow(to)
  }
}

/** The packed files that a copy lists. */
export function readPacks(file: string): Pack[] {
  const copy = openSqliteToRead(file)
  try {
    const packs = copy.prepare('SELECT name, month, bytes, samples, first, last FROM packs').all()
    return packs.map((row) => {
      const pack = { ...row } as Pack
      if (!PACK_NAME.test(pack.name)) {
        throw new Error(`${file} lists a packed file with the name ${JSON.stringify(pack.name)}`)
      }
      return pack
    })
  } finally {
    copy.close()
  }
}

export function readHistoryLineage(file: string): Lineage {
  const copy = openSqliteToRead(file)
  try {
    const rows = copy.prepare('SELECT kind, platform, reached, reserved FROM lineage').all()
    const byKind = new Map(rows.map((row) => [String(row['kind']), row]))
    const known = copy.prepare('SELECT max(installation_id) AS last FROM topics').get()?.['last']
    return {
      platform: rows[0] && String(rows[0]['platform']),
      reached: highest(
        idsOf((kind) => Number(byKind.get(kind)?.['reached'] ?? 0)),
        { ...noIds, installation: Number(known ?? 0) }
      ),
      reserved: idsOf((kind) => Number(byKind.get(kind)?.['reserved'] ?? 0))
    }
  } finally {
    copy.close()
  }
}

/** The installation of each topic. */
export function installationsOfTopics(file: string): Map<number, number> {
  const copy = openSqliteToRead(file)
  try {
    const installations = new Map<number, number>()
    const rows = copy.prepare('SELECT topic_id, installation_id FROM topics').iterate()
    for (const { topic_id, installation_id } of rows)
      installations.set(Number(topic_id), Number(installation_id))
    return installations
  } finally {
    copy.close()
  }
}

/** The names of these topics, as far as they are known. */
export function topicsNamed(file: string, topic_ids: readonly number[]): string[] {
  const copy = openSqliteToRead(file)
  try {
    const find = copy.prepare('SELECT topic FROM topics WHERE topic_id = ?')
    return topic_ids.map((id) => String(find.get(id)?.['topic'] ?? `topic ${id}`))
  } finally {
    copy.close()
  }
}

/** The samples that are rows, by month and installation. */
export function countRowsOf(file: string): Map<string, StoredCounts> {
  const copy = openSqliteToRead(file)
  try {
    const tables = copy
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => numberOfRows(name) > 0 || /^samples_\d{6,8}$/.test(name))
    const months = new Map<string, StoredCounts>()
    for (const table of tables) {
      const rows = copy
        .prepare(`SELECT strftime('%Y-%m', timestamp / 1000, 'unixepoch') AS month,
            installation_id, count(*) AS samples
          FROM ${table} JOIN topics USING (topic_id) GROUP BY 1, 2`)
        .iterate()
      for (const { month, installation_id, samples } of rows) {
        const counts = months.get(String(month)) ?? new Map<number, number>()
        months.set(String(month), counts)
        addTo(counts, Number(installation_id), Number(samples))
      }
    }
    return months
  } finally {
    copy.close()
  }
}

/** The samples of a packed file, by its index alone. */
export function countPack(path: string, installations: ReadonlyMap<number, number>): StoredCounts {
  const counts: StoredCounts = new Map()
  const reader = new PackReader(path)
  try {
    for (const { topic_id, block } of reader.blocks())
      addTo(counts, installations.get(topic_id) ?? 0, block.count)
  } finally {
    reader.rest()
  }
  return counts
}

export const addTo = (counts: Map<number, number>, key: number, more: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + more)
