import { copyRegistry } from '../registry/copy.ts'
import { countRows, digestOf } from '../registry/copy-rows.ts'
import { type CopiedTable, tablesToCopy } from '../registry/copy-tables.ts'
import { foldMarks } from '../registry/search-fold.ts'
import { countMarks } from '../registry/search-index.ts'
import type { Registry } from '../registry/tables.ts'

/** Documents that enter the search index as one transaction. */
const INDEXED_AT_ONCE = 1000

type Move = {
  from: Registry
  to: Registry
  /** Of the target. */
  name: string
  show: (label: string) => (done: number) => void
}

/** Copies, compares and indexes; a target that holds the very same is only compared. */
export async function moveRegistry({ from, to, name, show }: Move): Promise<{ rows: number }> {
  const tables = await tablesToCopy(from)
  let rows = 0
  for (const table of tables) rows += await countRows(from, table)
  const copied = countTo(rows, show('Copying the registry'))
  const isCopied = await copyRegistry({ tables, from, to, onRows: copied })
  const compared = countTo(2 * rows, show('Comparing the registry'))
  const different = await firstDifference(tables, { from, to, onRows: compared })
  if (different && !isCopied) {
    throw new Error(`${name} holds data already (${different}): give it an empty database`)
  }
  if (different) throw new Error(`the registry was not copied right: ${different}`)
  await fillIndex(to, show('Indexing for search'))
  return { rows }
}

async function firstDifference(
  tables: readonly CopiedTable[],
  { from, to, onRows }: { from: Registry; to: Registry; onRows: (count: number) => void }
): Promise<string | undefined> {
  for (const table of tables) {
    const here = await digestOf(from, table, onRows)
    const there = await digestOf(to, table, onRows)
    if (here.rows !== there.rows) {
      return `${table.name} has ${here.rows} rows here and ${there.rows} there`
    }
    if (here.sum !== there.sum) return `${table.name} differs`
  }
  return undefined
}

async function fillIndex(registry: Registry, show: (done: number) => void): Promise<void> {
  const marks = await countMarks(registry)
  let done = 0
  while (await foldMarks(registry, INDEXED_AT_ONCE)) {
    done += INDEXED_AT_ONCE
    show(Math.min(done / marks, 1))
  }
  show(1)
}

function countTo(total: number, show: (done: number) => void): (count: number) => void {
  let done = 0
  return (count) => {
    done += count
    show(Math.min(done / Math.max(total, 1), 1))
  }
}
