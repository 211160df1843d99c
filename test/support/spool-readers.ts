import { writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { MOVER } from '../../src/history/spool/groups.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { append, from, idsOf } from './spool.ts'

/**
 * Appends to a spool and reads it with the mover and a slower reader, in a separate process that a
 * test can kill. A line tells each step: `stored <id>` or `<reader> <token> <ids>`, which comes
 * before the batch is passed.
 */
async function run(dataDir: string): Promise<void> {
  const spool = await Spool.open(dataDir)
  await spool.register('slow')
  const { lastId } = await spool.state()
  const say = (text: string) => writeSync(1, `${text}\n`)
  const read = async (reader: string, workMs: number) => {
    for (;;) {
      const batch = await spool.take(reader, { maxSamples: 100, maxBytes: 100_000 })
      if (batch) say(`${reader} ${batch.token} ${idsOf(batch.rows).join()}`)
      await wait(workMs)
      if (batch) await spool.pass(reader, batch)
      await spool.shrink(0)
    }
  }
  const write = async () => {
    for (let next = lastId + 1; ; next += 10) {
      await append(spool, ...from(next, 10))
      say(`stored ${next + 9}`)
    }
  }
  await Promise.all([write(), read(MOVER, 3), read('slow', 11)])
}

const [dataDir] = process.argv.slice(2)
if (import.meta.main && dataDir) await run(dataDir)
