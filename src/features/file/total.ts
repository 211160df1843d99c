import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Registry } from '../../registry/tables.ts'

/** How many rows one query reads: with SQLite all other requests wait meanwhile. */
const FILES_PER_SLICE = 5000

/** All files of the platform. A content that several files share counts for each of them. */
export async function totalOfFiles(registry: Registry): Promise<{ files: number; bytes: number }> {
  const total = { files: 0, bytes: 0 }
  let last = 0
  for (;;) {
    const { rows } = await sql<{ files: number; bytes: number; last: number }>`
      select count(*) as files, coalesce(sum(size), 0) as bytes, coalesce(max(id), 0) as last
      from (select id, size from files where id > ${last} order by id limit ${FILES_PER_SLICE}) as slice
    `.execute(registry)
    const [slice] = rows
    if (!slice) return total
    total.files += Number(slice.files)
    total.bytes += Number(slice.bytes)
    if (Number(slice.files) < FILES_PER_SLICE) return total
    last = Number(slice.last)
    await nextTurn()
  }
}
