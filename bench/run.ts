import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Bench, Line, Row } from './line.ts'
import { ackLine } from './lines/ack.ts'
import { acksLine } from './lines/acks.ts'
import { aggregateLine } from './lines/aggregate.ts'
import { alarmsLine } from './lines/alarms.ts'
import { backupLine } from './lines/backup.ts'
import { bytesLine } from './lines/bytes.ts'
import { consoleLine } from './lines/console.ts'
import { exportLine } from './lines/export.ts'
import { functionLine } from './lines/function.ts'
import { heldLine } from './lines/held.ts'
import { httpLine } from './lines/http.ts'
import { importLine } from './lines/import.ts'
import { ingestLine } from './lines/ingest.ts'
import { installationsLine } from './lines/installations.ts'
import { latestLine } from './lines/latest.ts'
import { mappingLine } from './lines/mapping.ts'
import { memoryLine } from './lines/memory.ts'
import { mixedLine } from './lines/mixed.ts'
import { mqtt5Line } from './lines/mqtt5.ts'
import { packingLine } from './lines/packing.ts'
import { pageLine } from './lines/page.ts'
import { scaleLine } from './lines/scale.ts'
import { searchLine } from './lines/search.ts'
import { stallsLine } from './lines/stalls.ts'
import { startLine } from './lines/start.ts'
import { statusLine } from './lines/status.ts'
import { tenantsLine } from './lines/tenants.ts'
import { yearLine } from './lines/year.ts'
import { load, machineFacts } from './machine.ts'
import { keep } from './measured.ts'
import { endProgress, progress, table } from './report.ts'
import { full, huge, quick } from './sizes.ts'

/** `npm run bench`, or `npm run bench -- ingest status --quick`. A missed goal is not a failure. */
const lines: Line[] = [
  ingestLine,
  ackLine,
  packingLine,
  acksLine,
  httpLine,
  mqtt5Line,
  mappingLine,
  alarmsLine,
  backupLine,
  memoryLine,
  heldLine,
  latestLine,
  pageLine,
  aggregateLine,
  yearLine,
  bytesLine,
  installationsLine,
  scaleLine,
  mixedLine,
  tenantsLine,
  stallsLine,
  statusLine,
  functionLine,
  searchLine,
  importLine,
  exportLine,
  startLine,
  consoleLine
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    huge: { type: 'boolean', default: false },
    /** For `search`: `--objects 1000000 --objects 5000000`. */
    objects: { type: 'string', multiple: true },
    /** Puts the figures into docs/benchmarks.md, after `npm run docs`. */
    keep: { type: 'boolean', default: false }
  }
})
const unknown = positionals.find((name) => !lines.some((line) => line.name === name))
if (unknown !== undefined) {
  const known = lines.map(({ name, about }) => `  ${name.padEnd(8)} ${about}`).join('\n')
  console.error(`bench: there is no line ${unknown}. There are:\n${known}`)
  process.exit(1)
}
process.once('SIGINT', () => process.exit(130))

const results = fileURLToPath(new URL('./results', import.meta.url))
const workDir = join(results, `work-${process.pid}`)
const cacheDir = join(results, 'cache')
mkdirSync(workDir, { recursive: true })
// A data directory would be made with its parents, for one user. The server of PostgreSQL is another.
mkdirSync(cacheDir, { recursive: true })
process.once('exit', () => rmSync(workDir, { recursive: true, force: true }))

const notes: Record<string, unknown> = {}
const disturbances: number[] = []
const lacking: string[] = []
const sizes = values.quick ? quick : values.huge ? huge : full
const bench: Bench = {
  sizes: values.objects ? { ...sizes, objects: values.objects.map(Number) } : sizes,
  workDir,
  cacheDir,
  say: progress,
  disturbed: (cores) => void disturbances.push(Number(cores.toFixed(2))),
  lacks: (what, program, debianPackage) => {
    const install = `apt-get install --no-install-recommends ${debianPackage}`
    lacking.push(`${what}: ${program} is not installed; on Debian: ${install}`)
  },
  note: (name, figures) => {
    notes[name] = figures
  }
}

const started = new Date()
const machine = machineFacts(workDir)
const loadBefore = load()
const rows: Row[] = []
const failures: string[] = []
for (const { name, run } of lines) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  try {
    rows.push(...(await run(bench)))
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.stack : error}`)
  }
}
endProgress()

const seconds = Math.round((Date.now() - started.getTime()) / 1000)
const file = join(results, `${started.toISOString().slice(0, 19).replaceAll(':', '-')}.json`)
const report = {
  started,
  seconds,
  isQuick: values.quick,
  machine,
  load: { before: loadBefore, after: load() },
  disturbances,
  rows,
  lacking,
  failures,
  notes
}
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)

if (values.keep) {
  const { cpu, cores, memory_gib, node } = machine
  const run = { date: started.toISOString().slice(0, 10), isQuick: values.quick, disturbances }
  keep({ ...run, machine: { cpu, cores, memory_gib, node }, loadBefore: loadBefore[0] ?? 0 }, rows)
}

console.log(
  `\n${machine.cpu}, ${machine.cores} cores, ${machine.memory_gib} GiB, ${machine.system}`
)
console.log(`Node ${machine.node}, fsync ${machine.fsync_ms} ms`)
console.log(
  `load average before ${loadBefore.join(' ')}; ${seconds} s${values.quick ? '; QUICK' : ''}`
)
console.log('The load shares the cores with what it measures.')
if (disturbances.length > 0) {
  console.log(`DISTURBED: others used ${disturbances.join(', ')} cores in as many rounds.`)
}
console.log('')
console.log(table(rows))
console.log(`\n${file}`)
for (const one of lacking) console.error(`\nNOT MEASURED: ${one}`)
for (const failure of failures) console.error(`\nbench: ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0
