import type { Registry } from '../registry/tables.ts'
import { copyRegistry, isNew } from './copy.ts'
import { countRows, digestOf } from './copy-rows.ts'
import { type CopiedTable, tablesToCopy } from './copy-tables.ts'

type Move = {
  from: Registry
  to: Registry
  /** The name of the target in messages. */
  name: string
  show: (label: string) => (done: number) => void
}

/** The target must be empty or hold the same rows. Call it before long work begins. */
export async function refuseStrangers({ from, to, name }: Omit<Move, 'show'>): Promise<void> {
  const tables = await tablesToCopy(from)
  if (await isNew(to, tables)) return
  const different = await firstDifference(tables, { from, to, onRows: () => {} })
  if (different) throw holdsOthers(name, different)
}

/** Copies, indexes and compares. A target that already holds the same rows is only compared. */
export async function moveRegistry({ from, to, name, show }: Move): Promise<{ rows: number }> {
  const tables = await tablesToCopy(from)
  let [rows, documents] = [0, 0]
  for (const table of tables) {
    const count = await countRows(from, table)
    rows += count
    if (isSearched(table)) documents += count
  }
  const onRows = countTo(rows, show('Copying the registry'))
  const onIndexed = countTo(documents, show('Indexing for search'))
  const isCopied = await copyRegistry({ tables, from, to, onRows, onIndexed })
  const compared = countTo(2 * rows, show('Comparing the registry'))
  const different = await firstDifference(tables, { from, to, onRows: compared })
  if (different && !isCopied) throw holdsOthers(name, different)
  if (different) throw new Error(`the registry was not copied correctly: ${different}`)
  return { rows }
}

const holdsOthers = (name: string, different: string) =>
  new Error(`${name} already holds data (${different}): give it an empty database`)

async function firstDifference(
  tables: readonly CopiedTable[],
  { from, to, onRows }: { from: Registry; to: Registry; onRows: (count: number) => void }
): Promise<string | undefined> {
  for (const table of tables) {
    const here = await digestOf(from, table, onRows)
    const there = await digestOf(to, table, onRows)
    if (here.rows !== there.rows) {
      return `${table.name} has ${here.rows} rows in the source and ${there.rows} in the target`
    }
    if (here.sum !== there.sum) return `${table.name} differs`
  }
  return undefined
}

const isSearched = ({ name }: CopiedTable): boolean => ['modelx', 'installations'].includes(name)

function countTo(total: number, show: (done: number) => void): (count: number) => void {
  let done = 0
  return (count) => {
    done += count
    show(Math.min(done / Math.max(total, 1), 1))
  }
}
