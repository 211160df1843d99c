import { join } from 'node:path'
import { openChdb } from '../../src/history/chdb.ts'
import type { HistoryEngine } from '../../src/history/open.ts'
import { createMonth, monthAt, openSqliteFile } from '../../src/history/sqlite-file.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { answerWith } from '../child.ts'
import { type FileShape, rowOf } from '../sample-file.ts'

export type BareInsert = FileShape & { engine: HistoryEngine; directory: string; batch: number }

/** The floor of an import: the rows are in hand already, and the engine takes them. */
answerWith(async (question: BareInsert): Promise<number> => {
  const { engine, directory } = question
  return engine === 'sqlite'
    ? insertSqlite(question)
    : insertChdb(join(directory, 'chdb'), question)
})

/** Milliseconds in all. Topic by topic within a batch, since that is how the table lies. */
function insertSqlite({ directory, batch, rows, topics }: BareInsert): number {
  const file = openSqliteFile(directory)
  let ms = 0
  for (let from = 0; from < rows; from += batch) {
    const lines = Array.from({ length: Math.min(batch, rows - from) }, (_, i) => {
      const { topic, timestamp, value } = rowOf({ rows, topics }, from + i)
      return [topic, timestamp, value, '', from + i] as const
    })
    lines.sort((a, b) => a[0] - b[0] || a[1] - b[1])
    const start = performance.now()
    file.exec('BEGIN IMMEDIATE')
    for (const line of lines) {
      const month = monthAt(unixMs(line[1]))
      insertInto(month.table).run(...line)
    }
    file.exec('COMMIT')
    ms += performance.now() - start
  }
  file.close()
  return ms

  function insertInto(table: string) {
    const known = statements.get(table)
    if (known) return known
    createMonth(file, { ...monthAt(unixMs(0)), table })
    const made = file.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?)`)
    statements.set(table, made)
    return made
  }
}

const statements = new Map<string, import('node:sqlite').StatementSync>()

async function insertChdb(directory: string, { batch, rows, topics }: BareInsert): Promise<number> {
  const chdb = await openChdb(directory)
  await chdb.execute(`CREATE TABLE samples (id UInt64, installation_id UInt64, client_id UInt64,
    topic String, timestamp Int64, value Float64, msg String) ENGINE = ReplacingMergeTree
    PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(timestamp, 'UTC'))
    ORDER BY (installation_id, topic, timestamp, value, msg)
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`)
  let ms = 0
  for (let from = 0; from < rows; from += batch) {
    const lines = Array.from({ length: Math.min(batch, rows - from) }, (_, i) => {
      const { topic, timestamp, value } = rowOf({ rows, topics }, from + i)
      return encodeSample({
        ...{ id: from + i, installation_id: 1, client_id: 7, msg: '', value },
        topic: `7/obj/room_${topic}/temperature`,
        timestamp: unixMs(timestamp)
      })
    })
    const bytes = Buffer.from(lines.join(''))
    const start = performance.now()
    await chdb.insert('samples', bytes, `floor ${from}`)
    ms += performance.now() - start
  }
  await chdb.close()
  return ms
}
