import { unixMs } from '../../src/lib/unix-time.ts'
import { openInOneThread } from './one-thread-history.ts'
import { endTraced } from './strace.ts'

/**
 * `node test/support/packing.ts <directory> <now> pack | drop <moment> | erase <installation>` does
 * one thing to a history directory.
 */
const [directory = '', now = '', work = '', argument = ''] = process.argv.slice(2)
const history = await openInOneThread(directory, unixMs(Number(now)))
if (work === 'pack') await history.packAll()
else if (work === 'drop') await history.dropBefore(unixMs(Number(argument)))
else await history.erase(Number(argument))
await history.close()
endTraced('done')
