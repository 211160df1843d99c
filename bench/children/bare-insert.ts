import { answerWith } from '../child.ts'
import { insertInto, openPlainRows } from '../plain-rows.ts'
import { type FileShape, rowOf } from '../sample-file.ts'

export type BareInsert = FileShape & { directory: string; batch: number }

/** The floor of an import: the rows are in memory already, and SQLite stores them. */
answerWith(async (question: BareInsert): Promise<number> => insert(question))

/** Milliseconds in total. A batch is sorted by topic, like the table. */
function insert({ directory, batch, rows, topics }: BareInsert): number {
  const file = openPlainRows(directory)
  const row = insertInto(file)
  let ms = 0
  for (let from = 0; from < rows; from += batch) {
    const lines = Array.from({ length: Math.min(batch, rows - from) }, (_, i) => {
      const { topic, timestamp, value } = rowOf({ rows, topics }, from + i)
      return [topic, timestamp, value, '', from + i] as const
    })
    lines.sort((a, b) => a[0] - b[0] || a[1] - b[1])
    const start = performance.now()
    file.exec('BEGIN IMMEDIATE')
    for (const line of lines) row.run(...line)
    file.exec('COMMIT')
    ms += performance.now() - start
  }
  file.close()
  return ms
}
