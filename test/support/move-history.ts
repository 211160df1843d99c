import { pino } from 'pino'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { moveHistory } from '../../src/move/migrate-to.ts'

/** Copies the history of a data directory to another directory, in a separate process that a test can kill. */
export async function moveBetween(dataDir: string, there: string): Promise<void> {
  const from = await openHistory({ url: '', dataDir })
  const to = await openHistory({ url: '', dataDir: there })
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
