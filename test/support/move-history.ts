import { pino } from 'pino'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool.ts'
import { moveHistory } from '../../src/move/migrate-to.ts'

/** Moves a data directory's history to the one of another directory; a process of its own can be killed. */
export async function moveBetween(dataDir: string, there: string): Promise<void> {
  const { history: from } = await openHistory({ url: '', dataDir })
  const { history: to } = await openHistory({ url: '', dataDir: there })
  const spool = await Spool.open(dataDir)
  try {
    const log = pino({ level: 'silent' })
    await moveHistory({ from, to, spool, dataDir, target: there, log, out: { write: () => {} } })
  } finally {
    await spool.close()
    await to.close()
    await from.close()
  }
}

const [dataDir, there] = process.argv.slice(2)
if (import.meta.main && dataDir && there) await moveBetween(dataDir, there)
