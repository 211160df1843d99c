import { get } from 'node:http'
import type { LineForm } from '../../src/lib/sample-lines.ts'
import { Caracal } from '../caracal.ts'
import { median, whole } from '../figures.ts'
import type { Line } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { filledStore, openBare } from '../store.ts'

export const exportLine: Line = {
  name: 'export',
  about: 'everything of an installation as a file, to the bare query of the engine',
  async run(bench) {
    const store = await filledStore(bench)
    const { from, to } = store
    const bare = await openBare(bench, store)
    const caracal = await Caracal.start(store.dataDir)
    const installation_id = store.installations[store.installations.length >> 1]?.id ?? 0
    const rows = store.samples / store.installations.length
    const query = { installation_id, from, to, limit: rows, offset: 0 }
    const table = []
    for (const form of ['csv', 'ndjson'] as const) {
      await whenQuiet(bench)
      const [subject, floor]: [number[], number[]] = [[], []]
      for (let round = -1; round <= bench.sizes.pageRepeats / 3; round++) {
        bench.say(`export, ${form}: round ${round}`)
        const { ms, rows: found } = await bare.ask(query)
        const took = await read(caracal, installation_id, form, found)
        if (round < 1) continue
        floor.push((rows / ms) * 1000)
        subject.push((rows / took) * 1000)
      }
      bench.note(`export, ${form}`, { rows, subject, floor })
      table.push({
        line: 'export',
        what: `${whole(rows)} rows as ${form}, ${whole(store.samples / 1e6)} M samples`,
        subject: `${whole(median(subject))} /s`,
        floor: `${whole(median(floor))} /s`,
        ratio: median(subject) / median(floor),
        goal: '',
        isMet: undefined
      })
    }
    await bare.stop()
    await caracal.stop()
    return table
  }
}

/** Milliseconds to the last byte. The lines are counted, but not parsed. */
async function read(caracal: Caracal, id: number, form: LineForm, rows: number): Promise<number> {
  const headers = { 'x-api-key': await caracal.token() }
  const start = performance.now()
  let lines = form === 'csv' ? -1 : 0
  await new Promise((resolve, reject) => {
    get(`${caracal.url}/api/v3beta/log/${id}/export?format=${form}`, { headers }, (response) => {
      response.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
      })
      response.on('end', resolve)
    }).on('error', reject)
  })
  if (lines !== rows) throw new Error(`the floor read ${rows} rows, the export has ${lines}`)
  return performance.now() - start
}
