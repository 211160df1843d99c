import { createReadStream, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { LineForm } from '../../src/lib/sample-lines.ts'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { BareInsert } from '../children/bare-insert.ts'
import { median, whole } from '../figures.ts'
import type { Line } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { writeSampleFile } from '../sample-file.ts'

const TOPICS = 50
const BATCH = 50_000
const GOAL_RATE = 300_000

export const importLine: Line = {
  name: 'import',
  about: 'a file of samples over HTTP until it is stored, to the bare insert of the same rows',
  async run(bench) {
    const rows = bench.sizes.importRows
    const shape = { rows, topics: TOPICS }
    const table = []
    for (const form of ['ndjson', 'csv'] as const) {
      const file = join(bench.workDir, `import.${form}`)
      bench.say(`import: writing ${whole(rows)} rows of ${form}`)
      await writeSampleFile(file, form, shape)
      const [subject, floor]: [number[], number[]] = [[], []]
      for (let round = 1; round <= bench.sizes.rounds; round++) {
        await whenQuiet(bench)
        bench.say(`import, ${form}, round ${round} of ${bench.sizes.rounds}: the floor`)
        const bare = new Child<BareInsert, number>('bare-insert')
        const directory = join(bench.workDir, `bare-${form}-${round}`)
        floor.push((rows / (await bare.ask({ ...shape, directory, batch: BATCH }))) * 1000)
        await bare.stop()
        bench.say(`import, ${form}, round ${round} of ${bench.sizes.rounds}: Caracal`)
        subject.push(
          await importInto(join(bench.workDir, `import-${form}-${round}`), file, form, rows)
        )
      }
      bench.note(`import, ${form}`, { rows, bytes: statSync(file).size, subject, floor })
      const rate = median(subject)
      table.push({
        line: 'import',
        what: `${whole(rows / 1e6)} M samples as ${form}, ${TOPICS} topics`,
        subject: `${whole(rate)} /s`,
        floor: `${whole(median(floor))} /s`,
        ratio: rate / median(floor),
        goal: `>= ${whole(GOAL_RATE)} /s`,
        isMet: rate >= GOAL_RATE
      })
    }
    return table
  }
}

/** Samples a second into a fresh data directory; the second import of a process, when its code is compiled. */
async function importInto(dataDir: string, file: string, form: LineForm, rows: number) {
  const caracal = await Caracal.start(dataDir)
  const installations = await caracal.createInstallations(2)
  let rate = 0
  for (const installation of installations) {
    const start = performance.now()
    const { imported, rejected } = await post(caracal, installation.id, file, form)
    rate = (rows / (performance.now() - start)) * 1000
    const stored = await caracal.countSamples([installation])
    if (imported !== rows || rejected !== 0 || stored !== rows) {
      throw new Error(`${imported} of ${rows} were imported, ${stored} are stored`)
    }
  }
  await caracal.stop()
  return rate
}

async function post(caracal: Caracal, id: number, file: string, form: LineForm) {
  const answer = Promise.withResolvers<string>()
  const sending = request(
    `${caracal.url}/api/v3beta/log/${id}/import`,
    {
      method: 'POST',
      headers: {
        'x-api-key': await caracal.token(),
        'content-type': form === 'csv' ? 'text/csv' : 'application/x-ndjson',
        'content-length': statSync(file).size
      }
    },
    async (response) => answer.resolve(Buffer.concat(await response.toArray()).toString())
  )
  sending.on('error', answer.reject)
  await pipeline(createReadStream(file, { highWaterMark: 1 << 18 }), sending)
  return JSON.parse(await answer.promise) as { imported: number; rejected: number }
}
