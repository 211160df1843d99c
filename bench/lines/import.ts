import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { LineForm } from '../../src/lib/sample-lines.ts'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { BareInsert } from '../children/bare-insert.ts'
import { median, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { isInfluxInstalled, startInfluxPeer } from '../peers/influx.ts'
import { isVictoriaInstalled, startVictoriaPeer } from '../peers/victoria.ts'
import { postFile, postLines } from '../post-file.ts'
import { whenQuiet } from '../quiet.ts'
import { type FileShape, spanOf, writeSampleFile } from '../sample-file.ts'

const TOPICS = 50
const ROWS_PER_BATCH = 50_000
/** InfluxDB reads a request as a whole, and by default takes none above 25 MB. */
const INFLUX_BYTES_PER_REQUEST = 1 << 20
const GOAL_SAMPLES_PER_SECOND = 300_000
const GOAL_TO_INFLUX = 1

/** Imported twice; the second time counts, with compiled code and warm caches. */
const times = ['first', 'second'] as const

export const importLine: Line = {
  name: 'import',
  about: 'a file of samples over HTTP until it is stored, to the bare insert and to peers',
  async run(bench) {
    const shape = { rows: bench.sizes.importRows, topics: TOPICS }
    const peers = peersOf(bench)
    const lineFile = join(bench.workDir, 'import.lines')
    if (peers.length > 0) await write(bench, lineFile, 'line protocol', shape)
    const table: Row[] = []
    for (const form of ['ndjson', 'csv'] as const) {
      const file = join(bench.workDir, `import.${form}`)
      await write(bench, file, form, shape)
      const rates = new Map<string, number[]>()
      const measure = async (name: string, round: number, of: () => Promise<number>) => {
        bench.say(`import, ${form}, round ${round} of ${bench.sizes.rounds}: ${name}`)
        const ms = await of()
        rates.set(name, [...(rates.get(name) ?? []), (shape.rows / ms) * 1000])
      }
      for (let round = 1; round <= bench.sizes.rounds; round++) {
        await whenQuiet(bench)
        const place = (name: string) => join(bench.workDir, `${name}-${form}-${round}`)
        await measure('the floor', round, () => insertBare(place('bare'), shape))
        await measure('Caracal', round, () => importInto(place('import'), file, form, shape))
        if (form !== 'csv') continue
        for (const { name, take } of peers) await measure(name, round, () => take(lineFile, shape))
      }
      bench.note(`import, ${form}`, {
        ...{ rows: shape.rows, bytes: statSync(file).size, rates: Object.fromEntries(rates) }
      })
      const rateOf = (name: string) => median(rates.get(name) ?? [])
      const row = (to: string, goal: { goal: string; isMet: boolean | undefined }): Row => ({
        line: 'import',
        what: `${whole(shape.rows / 1e6)} M samples as ${form}, ${TOPICS} topics, to ${to}`,
        subject: `${whole(rateOf('Caracal'))} /s`,
        floor: `${whole(rateOf(to))} /s`,
        ratio: rateOf('Caracal') / rateOf(to),
        ...goal
      })
      table.push(
        row('the floor', {
          goal: `>= ${whole(GOAL_SAMPLES_PER_SECOND)} /s`,
          isMet: rateOf('Caracal') >= GOAL_SAMPLES_PER_SECOND
        })
      )
      if (form !== 'csv') continue
      for (const { name } of peers) {
        const hasGoal = name === 'InfluxDB'
        const isMet = rateOf('Caracal') / rateOf(name) >= GOAL_TO_INFLUX
        const goal = hasGoal ? `ratio >= ${GOAL_TO_INFLUX}` : ''
        table.push(row(name, { goal, isMet: hasGoal ? isMet : undefined }))
      }
    }
    return table
  }
}

async function write(bench: Bench, file: string, form: LineForm | 'line protocol', of: FileShape) {
  bench.say(`import: writing ${whole(of.rows)} rows of ${form}`)
  await writeSampleFile(file, form, of)
}

async function insertBare(directory: string, shape: FileShape): Promise<number> {
  const bare = new Child<BareInsert, number>('bare-insert')
  const ms = await bare.ask({ ...shape, directory, batch: ROWS_PER_BATCH })
  await bare.stop()
  return ms
}

/** Milliseconds of the second import into a new data directory. */
async function importInto(dataDir: string, file: string, form: LineForm, { rows }: FileShape) {
  const caracal = await Caracal.start(dataDir)
  const installations = await caracal.createInstallations(times.length)
  const headers = {
    'x-api-key': await caracal.token(),
    'content-type': form === 'csv' ? 'text/csv' : 'application/x-ndjson'
  }
  let ms = 0
  for (const installation of installations) {
    const start = performance.now()
    const url = `${caracal.url}/api/v3beta/log/${installation.id}/import`
    const { imported, rejected } = JSON.parse(await postFile(url, file, headers))
    ms = performance.now() - start
    const stored = await caracal.countSamples([installation])
    if (imported !== rows || rejected !== 0 || stored !== rows) {
      throw new Error(`${imported} of ${rows} were imported, ${stored} are stored`)
    }
  }
  await caracal.stop()
  return ms
}

type Taker = { name: string; take(file: string, shape: FileShape): Promise<number> }

function peersOf(bench: Bench): Taker[] {
  const victoria = { name: 'VictoriaMetrics', take: victoriaTakes(bench) }
  const influx = { name: 'InfluxDB', take: influxTakes }
  if (!isInfluxInstalled()) bench.lacks('import, to InfluxDB', 'influxd', 'influxdb')
  if (!isVictoriaInstalled())
    bench.lacks('import, to VictoriaMetrics', 'victoria-metrics', 'victoria-metrics')
  return [...(isInfluxInstalled() ? [influx] : []), ...(isVictoriaInstalled() ? [victoria] : [])]
}

/** Milliseconds of the second time, into a database of its own. */
async function influxTakes(file: string, { rows }: FileShape): Promise<number> {
  const influx = await startInfluxPeer()
  const query = async (statement: string) => {
    const response = await fetch(influx.queryUrl(statement), { method: 'POST' })
    return JSON.parse(await response.text()).results[0]
  }
  let ms = 0
  for (const db of times) {
    await query(`CREATE DATABASE ${db}`)
    const start = performance.now()
    await postLines(`${influx.url}/write?db=${db}&precision=ms`, file, INFLUX_BYTES_PER_REQUEST)
    ms = performance.now() - start
  }
  const counted = await query('SELECT count(v) FROM "second"."autogen"."s"')
  await influx.stop()
  assertStored('InfluxDB', counted.series[0].values[0][1], rows)
  return ms
}

/** The same; it reads a request line by line, so the file is one request. */
const victoriaTakes =
  (bench: Bench) =>
  async (file: string, shape: FileShape): Promise<number> => {
    const victoria = await startVictoriaPeer(bench, 'import')
    let ms = 0
    for (const db of times) {
      const start = performance.now()
      await postFile(`${victoria.url}/write?db=${db}&precision=ms`, file, {})
      ms = performance.now() - start
    }
    await fetch(`${victoria.url}/internal/force_flush`)
    const { from, to } = spanOf(shape)
    const query = `sum(count_over_time(s{db="second"}[${(to - from) / 1000}s]))`
    const response = await fetch(victoria.instantUrl(query, to - 1))
    const { data } = JSON.parse(await response.text())
    await victoria.stop()
    assertStored('VictoriaMetrics', Number(data.result[0]?.value[1]), shape.rows)
    return ms
  }

function assertStored(name: string, found: number, rows: number): void {
  if (found !== rows) throw new Error(`${name} has ${found} of ${rows} samples`)
}
