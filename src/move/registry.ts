import { copyRegistry, isNew } from '../registry/copy.ts'
import { countRows, digestOf } from '../registry/copy-rows.ts'
import { type CopiedTable, tablesToCopy } from '../registry/copy-tables.ts'
import type { Registry } from '../registry/tables.ts'

type Move = {
  from: Registry
  to: Registry
  /** Of the target. */
  name: string
  show: (label: string) => (done: number) => void
}

/** Only nothing, or the very same, may be there. To be asked before long work begins. */
export async function refuseStrangers({ from, to, name }: Omit<Move, 'show'>): Promise<void> {
  const tables = await tablesToCopy(from)
  if (await isNew(to, tables)) return
  const different = await firstDifference(tables, { from, to, onRows: () => {} })
  if (different) throw holdsOthers(name, different)
}

/** Copies, indexes and compares; a target that holds the very same is only compared. */
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
  if (different) throw new Error(`the registry was not copied right: ${different}`)
  return { rows }
}

const holdsOthers = (name: string, different: string) =>
  new Error(`${name} holds data already (${different}): give it an empty database`)

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

const isSearched = ({ name }: CopiedTable): boolean => ['objects', 'installations'].includes(name)

function countTo(total: number, show: (done: number) => void): (count: number) => void {
  let done = 0
  return (count) => {
    done += count
    show(Math.min(done / Math.max(total, 1), 1))
  }
}
