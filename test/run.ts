import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import module from 'node:module'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { startFront, withoutClickhouse } from './support/clickhouse.ts'
import { startPostgres } from './support/postgres.ts'

/**
 * `npm test [files]` starts the servers that tests share, then several of Node's test runners at the
 * same time. Most files share a process with others, because loading the program and starting a
 * platform takes longer than the tests of a file.
 */
module.enableCompileCache()
const given = process.argv.slice(2)
/** Long tests of parts that seldom change. They run with CI=true, and when they are named. */
const LONG =
  /(fuzz\/fuzz|move\/\w+)\.|console\/(?!plot-parts)|process\/(ack|rolling|commands|lineage|start|backup|site|site-running|long-command|external-bus|migrate-to|prometheus|demo|quarantine|upgrade|\w+-kill)\.|engines\/(postgres|packed|bus-kept|external-bus)|features\/(loop-delay|mqtt-fan-out)/
const all = globSync('test/**/*.test.ts').sort()
const chosen = process.env['CI'] === 'true' ? all : all.filter((file) => !LONG.test(file))
const files = given.length > 0 ? given : chosen

/** Tests of engines and whole processes kill or stop what others need: servers, threads, files. */
const RUNS_ALONE = /test\/(process|move|engines|console|fuzz|backup)\/|disk-space/
/** Tests that measure the event loop come last, one at a time, or they would measure others. */
const MEASURING_MODULE = 'support/loop.ts'
/** Not more, so that all processes end at about the same time. */
const MAX_FILES_TOGETHER = 12
/** The longest group takes some minutes. One that hangs fails alone, with what it said so far. */
const MAX_GROUP_MS = 30 * 60_000
/** More failures than this are no accident. */
const MAX_RUN_AGAIN = 4

const uses = (file: string, module: string) => readFileSync(file, 'utf8').includes(module)
const isMeasuring = (file: string) => uses(file, MEASURING_MODULE)
const needsClickhouse = files.some(
  (file) => uses(file, 'support/clickhouse.ts') || uses(file, 'support/engines.ts')
)
if (needsClickhouse && withoutClickhouse) console.log(withoutClickhouse)
const clickhouse = needsClickhouse && process.env['CHDB_PREFIX'] ? await startFront() : undefined
const postgres = await startPostgres()
if (!postgres)
  console.log('PostgreSQL is not installed: its tests are skipped (with CI=true they fail)')

const env = {
  ...process.env,
  // All processes load the same modules.
  NODE_COMPILE_CACHE: module.getCompileCacheDir(),
  ...(postgres && { TEST_POSTGRES_URL: postgres.url }),
  ...(clickhouse && { TEST_CLICKHOUSE_URL: clickhouse.url('test') })
}

/** Of each group, in its last run. */
const outcomes = new Map<string[], { pass: number; fail: number; skipped: number }>()
const failed: string[][] = []
const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    running.forEach(endGroup)
    process.exit(1)
  })
// Tests sometimes wait for timers and disks, so there is one process more than processors.
const groups = groupsOf(files.filter((file) => !isMeasuring(file)))
await Promise.all(Array.from({ length: availableParallelism() + 1 }, () => runGroups(groups)))
await runGroups(files.filter(isMeasuring).map((file) => [file]))
const unsteady = await runAgain()
await clickhouse?.stop()
await postgres?.stop()
for (const group of unsteady)
  console.log(`passed only at the second run, alone: ${group.join(' ')}`)
for (const group of failed) console.log(`failed: ${group.join(' ')}`)
if (files.length < all.length && given.length === 0)
  console.log(`${all.length - files.length} long files were left out: they run with CI=true`)
const sum = (name: 'pass' | 'fail' | 'skipped') =>
  [...outcomes.values()].reduce((total, outcome) => total + outcome[name], 0)
console.log(`${sum('pass')} passed, ${sum('fail')} failed, ${sum('skipped')} skipped`)
process.exit(failed.length > 0 || sum('pass') === 0 ? 1 : 0)

/** Groups, browsers and whole processes take longest, so they come first; the engines come last. */
function groupsOf(files: readonly string[]): string[][] {
  const isAlone = (file: string) => RUNS_ALONE.test(file)
  const alone = files.filter(isAlone).map((file) => [file])
  const bytes = (file: string) => statSync(file).size
  const together = files.filter((file) => !isAlone(file)).sort((a, b) => bytes(b) - bytes(a))
  const count = Math.ceil(together.length / MAX_FILES_TOGETHER)
  const shared = Array.from({ length: count }, (_, group) =>
    together.filter((_, i) => i % count === group)
  )
  const isBrowser = ([file = '']: string[]) => file.includes('/console/')
  const others = alone.filter((group) => !isBrowser(group)).reverse()
  return [...shared, ...alone.filter(isBrowser), ...others]
}

/**
 * A busy machine makes some tests fail that hold on a quiet one. So what failed runs once more, with
 * nothing beside it. Returns what passes then.
 */
async function runAgain(): Promise<string[][]> {
  if (given.length > 0 || failed.length > MAX_RUN_AGAIN) return []
  const first = failed.splice(0)
  await runGroups([...first])
  return first.filter((group) => !failed.includes(group))
}

async function runGroups(groups: string[][]): Promise<void> {
  for (let group = groups.shift(); group; group = groups.shift()) {
    const began = performance.now()
    const runner = spawn(process.execPath, ['--test', '--test-isolation=none', ...group], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A process group of its own, so that a deadline ends what the tests started as well.
      detached: true,
      env
    })
    running.add(runner)
    const deadline = setTimeout(() => endGroup(runner), MAX_GROUP_MS)
    const ended = new Promise<string>((resolve) =>
      runner.once('exit', (code, signal) => resolve(String(signal ?? code)))
    )
    const output = await text(runner.stdout)
    const result = await ended
    clearTimeout(deadline)
    running.delete(runner)
    const count = (name: string) =>
      Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
    outcomes.set(group, { pass: count('pass'), fail: count('fail'), skipped: count('skipped') })
    const seconds = Math.round((performance.now() - began) / 1000)
    if (result === '0') {
      if (given.length > 0) console.log(output)
      console.log(`${seconds} s  ${group.join(' ')}`)
    } else {
      failed.push(group)
      const report = output.slice(Math.max(0, output.indexOf('✖ failing tests:')))
      console.log(`${group.join(' ')} ended with ${result} after ${seconds} s\n${report}`)
    }
  }
}

function endGroup(runner: ChildProcess): void {
  if (runner.pid !== undefined) process.kill(-runner.pid, 'SIGKILL')
}
