import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync
} from 'node:fs'
import module from 'node:module'
import { availableParallelism, cpus } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { startFront, withoutClickhouse } from './support/clickhouse.ts'
import { startPostgres } from './support/postgres.ts'

/**
 * `npm test [files]` starts the servers that tests share, then several of Node's test runners at the
 * same time. Most files share a process with others, because loading the program and starting a
 * platform takes longer than the tests of a file. With `--check` types and lint run beside them.
 */
module.enableCompileCache()
const CHECK = '--check'
const given = process.argv.slice(2).filter((argument) => argument !== CHECK)
const isChecked = process.argv.includes(CHECK)
/** Long tests of parts that seldom change. They run with CI=true, and when they are named. */
const LONG =
  /(fuzz\/fuzz|move\/\w+)\.|console\/(?!plot-parts)|process\/(ack|rolling|commands|lineage|start|backup|site|site-running|long-command|external-bus|migrate-to|prometheus|demo|quarantine|upgrade|backup-servers|(alarm|command)-nodes|nodes|drain|bridge|kill|certificate|postgres-down|damage|[\w-]+-kill|pack-full-disk|version|readme|client|browser-app|api-page)\.|engines\/(sqlite-readers|influx|clickhouse-page|postgres|packed|bus-kept|external-bus|migrate-to|site\.)|features\/(alarm-loop|metrics-loop|mqtt-bounds-loop|mqtt5-bounds|mqtt-restart|loop-delay|mqtt-fan-out|alarm-requests-loop|alarm-tell-loop|command-loop|certificate-bounds)/
const all = globSync('test/**/*.test.ts').sort()
const chosen = process.env['CI'] === 'true' ? all : all.filter((file) => !LONG.test(file))
const files = given.length > 0 ? given : chosen

/** Tests of engines and whole processes kill or stop what others need: servers, threads, files. */
const RUNS_ALONE = /test\/(process|move|engines|console|fuzz|backup)\/|disk-space/
/** These neither kill nor stop anything. */
const RUNS_WITH_OTHERS =
  /engines\/(aggregate|alarm-rows|bus-accounts|bus-store|clickhouse-tables|holdings|history-fixture|history-open|latest|month|newest|pack-damage|remove|scan|series|shared-uses|site-tables|sqlite-halves)\./
/** They work or wait longest, so they begin first. */
const BEGINS = /\/(fuzz|move)\/|engines\/claims|disk-space/
/** Tests that measure the event loop come last, one at a time, or they would measure others. */
const MEASURING_MODULE = 'support/loop.ts'
/**
 * A process loads the program once for all of its files, so there are few of them. In CI there are more,
 * because a group that fails is repeated.
 */
const MAX_FILES_TOGETHER = process.env['CI'] === 'true' ? 20 : 80
/** Tests wait for timers, disks and processes. One more group starts while processors are idle. */
const LOOK_EVERY_MS = 2000
const IDLE_SHARE = 0.35
const MOST_GROUPS = 3 * availableParallelism()
/** The longest group takes some minutes. One that hangs fails alone, with what it said so far. */
const MAX_GROUP_MS = 30 * 60_000
/** More failures than this are no accident. */
const MAX_RUN_AGAIN = 4

/** A young heap that does not grow step by step saves much garbage collection. */
const RUNNER = ['--min-semi-space-size=16', '--test', '--test-isolation=none']

/** Without CI=true the temporary files are in memory if it has this much room. CI tests the disk. */
const MEMORY_DISK = '/dev/shm'
const MEMORY_DISK_BYTES = 8 * 1024 ** 3

const uses = (file: string, module: string) => readFileSync(file, 'utf8').includes(module)
const isMeasuring = (file: string) => uses(file, MEASURING_MODULE)
const needsClickhouse = files.some(
  (file) => uses(file, 'support/clickhouse.ts') || uses(file, 'support/engines.ts')
)
if (needsClickhouse && withoutClickhouse) console.log(withoutClickhouse)
const inMemory = placeInMemory()
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
    inMemory?.remove()
    process.exit(1)
  })
const began = performance.now()
const beforeAll = processors()
const groups = groupsOf(files.filter((file) => !isMeasuring(file)))
const checking = isChecked ? check() : Promise.resolve(true)
await runTogether(groups)
const isSound = await checking
await runGroups(files.filter(isMeasuring).map((file) => [file]))
const unsteady = await runAgain()
await clickhouse?.stop()
await postgres?.stop()
inMemory?.remove()
for (const group of unsteady)
  console.log(`passed only at the second run, alone: ${group.join(' ')}`)
for (const group of failed) console.log(`failed: ${group.join(' ')}`)
if (files.length < all.length && given.length === 0)
  console.log(`${all.length - files.length} long files were left out: they run with CI=true`)
const sum = (name: 'pass' | 'fail' | 'skipped') =>
  [...outcomes.values()].reduce((total, outcome) => total + outcome[name], 0)
const seconds = Math.round((performance.now() - began) / 1000)
const busy = Math.round(100 * (1 - idleShare(beforeAll)))
console.log(`${seconds} s, in which the processors were busy for ${busy} %`)
if (!isSound) console.log('failed: npm run check')
console.log(`${sum('pass')} passed, ${sum('fail')} failed, ${sum('skipped')} skipped`)
process.exit(failed.length > 0 || !isSound || sum('pass') === 0 ? 1 : 0)

/** Many commits wait for the disk. From here on, this process and those it starts use memory. */
function placeInMemory(): { remove: () => void } | undefined {
  if (process.env['CI'] || process.env['TMPDIR']) return undefined
  if (!existsSync(MEMORY_DISK)) return undefined
  const { bavail, bsize } = statfsSync(MEMORY_DISK)
  if (bavail * bsize < MEMORY_DISK_BYTES) return undefined
  const directory = mkdtempSync(`${MEMORY_DISK}/caracal-tests-`)
  // PostgreSQL has a directory in it, and may run as another user.
  chmodSync(directory, 0o755)
  process.env['TMPDIR'] = directory
  return { remove: () => rmSync(directory, { recursive: true, force: true }) }
}

/** Types and lint. What they print is the end of them, so it is shown at once. */
async function check(): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', 'check'], { stdio: 'inherit', detached: true })
  running.add(child)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  running.delete(child)
  return code === 0
}

/** Some groups from the start, and more of them while the processors have nothing to do. */
async function runTogether(groups: string[][]): Promise<void> {
  const lanes = Array.from({ length: availableParallelism() + 1 }, () => runGroups(groups))
  while (groups.length > 0) {
    const before = processors()
    await wait(LOOK_EVERY_MS)
    if (idleShare(before) > IDLE_SHARE && running.size < MOST_GROUPS)
      lanes.push(runGroups(groups.splice(0, 1)))
  }
  await Promise.all(lanes)
}

/** Milliseconds of all processors since the start of the machine. */
function processors(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times)
  const sum = (list: number[]) => list.reduce((total, one) => total + one, 0)
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.map(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq))
  }
}

function idleShare(before: { idle: number; all: number }): number {
  const { idle, all } = processors()
  return all === before.all ? 0 : (idle - before.idle) / (all - before.all)
}

/** What takes longest comes first: it would be alone at the end. */
function groupsOf(files: readonly string[]): string[][] {
  const isAlone = (file: string) => RUNS_ALONE.test(file) && !RUNS_WITH_OTHERS.test(file)
  const alone = files.filter(isAlone).map((file) => [file])
  const bytes = (file: string) => statSync(file).size
  const together = files.filter((file) => !isAlone(file)).sort((a, b) => bytes(b) - bytes(a))
  const count = Math.ceil(together.length / MAX_FILES_TOGETHER)
  const shared = Array.from({ length: count }, (_, group) =>
    together.filter((_, i) => i % count === group)
  )
  const rank = ([file = '']: string[]) =>
    BEGINS.test(file) ? 'first' : file.includes('/console/') ? 'next' : 'last'
  const { first = [], next = [], last = [] } = Object.groupBy(alone, rank)
  return [...first, ...shared, ...next, ...last.reverse()]
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
    const runner = spawn(process.execPath, [...RUNNER, ...group], {
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
