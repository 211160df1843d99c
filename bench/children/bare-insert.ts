import { createMonth, monthAt, openSqliteFile } from '../../src/history/sqlite-file.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { answerWith } from '../child.ts'
import { type FileShape, rowOf } from '../sample-file.ts'

export type BareInsert = FileShape & { directory: string; batch: number }

/** The floor of an import: the rows are in hand already, and the engine takes them. */
answerWith(async (question: BareInsert): Promise<number> => insert(question))

/** Milliseconds in all. Topic by topic within a batch, since that is how the table lies. */
function insert({ directory, batch, rows, topics }: BareInsert): number {
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
