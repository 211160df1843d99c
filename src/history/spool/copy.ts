import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { idsOf, type Lineage, unknownLineage } from '../../lib/lineage.ts'
import { copySqlite, openSqliteToRead, type SqliteCopy } from '../../lib/sqlite-file.ts'
import { syncPathNow } from '../../lib/sync-path.ts'

export const SPOOL_FILE = 'spool.sqlite'

/** Copies the spool of a data directory while it is in use. */
export const copySpool = (dataDir: string, to: string): SqliteCopy =>
  copySqlite(join(dataDir, SPOOL_FILE), join(to, SPOOL_FILE))

/**
 * History was copied later and has newer ids. The copy of the spool gets to know the last one, so
 * that no id is given out again. [ADR-0050]
 */
export function raiseLastId(dataDir: string, to: string): void {
  const source = openSqliteToRead(join(dataDir, SPOOL_FILE))
  const target = join(to, SPOOL_FILE)
  const copy = new DatabaseSync(target)
  try {
    const last = Number(source.prepare('SELECT last_id FROM state').get()?.['last_id'] ?? 0)
    copy.prepare('UPDATE state SET last_id = max(last_id, ?)').run(last)
  } finally {
    source.close()
    copy.close()
  }
  syncPathNow(target)
}

/** What a copy of the spool holds: samples that are not in history yet, and its lineage. */
export function readSpoolCopy(file: string): { samples: number; lineage: Lineage } {
  const copy = openSqliteToRead(file)
  try {
    const rows = copy.prepare('SELECT kind, platform, reached FROM lineage').all()
    const reached = new Map(rows.map(({ kind, reached }) => [String(kind), Number(reached)]))
    const waiting = copy
      .prepare(`SELECT coalesce(sum(count), 0) AS samples FROM groups
        WHERE seq > (SELECT cursor FROM readers WHERE name = 'mover')`)
      .get()
    return {
      samples: Number(waiting?.['samples']),
      lineage: {
        ...unknownLineage,
        platform: rows[0] && String(rows[0]['platform']),
        reached: idsOf((kind) => reached.get(kind) ?? 0)
      }
    }
  } finally {
    copy.close()
  }
}
