import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { startFront, withoutClickhouse } from './support/clickhouse.ts'
import { startPostgres } from './support/postgres.ts'

/**
 * `npm test [files]`: starts the servers that tests share, then Node's own runner, several times
 * side by side. Most files share a process with others, because loading the program and starting a
 * platform takes longer than the tests of a file.
 */
module.enableCompileCache()
const given = process.argv.slice(2)
const files = given.length > 0 ? given : globSync('test/**/*.test.ts').sort()

/** Tests of engines and whole processes kill or stop what others need: servers, threads, files. */
const ALONE = /test\/(process|move|engines)\/|disk-space/
/** Tests that measure the event loop would measure what others left behind. */
const MEASURES = 'support/loop.ts'
/** So that the last process to end has little left to do. */
const MAX_FILES_TOGETHER = 8

const needsClickhouse = files.some((file) =>
  /engines\/(history|latest|aggregate|scan|influx|month|migrate-to|clickhouse-\w+)\.|process\/nodes\./.test(
    file
  )
)
if (needsClickhouse && withoutClickhouse) console.log(withoutClickhouse)
const clickhouse = needsClickhouse && process.env['CHDB_PREFIX'] ? await startFront() : undefined
const postgres = await startPostgres()
if (!postgres)
  console.log('PostgreSQL is not installed: its tests are skipped (with CI=true they fail)')

const env = {
  ...process.env,
  // Every process reads the same modules.
  NODE_COMPILE_CACHE: module.getCompileCacheDir(),
  ...(postgres && { TEST_POSTGRES_URL: postgres.url }),
  ...(clickhouse && { TEST_CLICKHOUSE_URL: clickhouse.url('test') })
}

const total = { pass: 0, fail: 0, skipped: 0 }
const groups = groupsOf(files)
const failed: string[] = []
// Tests wait for timers and disks now and then, so one more than there are processors.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, runGroups))
await clickhouse?.stop()
await postgres?.stop()
for (const output of failed) console.log(output)
console.log(`${total.pass} passed, ${total.fail} failed, ${total.skipped} skipped`)
process.exit(failed.length > 0 || total.pass === 0 ? 1 : 0)

/** What takes long by itself comes first. */
function groupsOf(files: readonly string[]): string[][] {
  const isAlone = (file: string) =>
    ALONE.test(file) || readFileSync(file, 'utf8').includes(MEASURES)
  const alone = files.filter(isAlone).map((file) => [file])
  const together = files.filter((file) => !isAlone(file))
  const count = Math.ceil(together.length / MAX_FILES_TOGETHER)
  const shared = Array.from({ length: count }, (_, group) =>
    together.filter((_, i) => i % count === group)
  )
  return [...alone, ...shared]
}

async function runGroups(): Promise<void> {
  for (let group = groups.shift(); group; group = groups.shift()) {
    const began = performance.now()
    const runner = spawn(process.execPath, ['--test', '--test-isolation=none', ...group], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env
    })
    const ended = new Promise<number | null>((resolve) => runner.once('exit', resolve))
    const output = await text(runner.stdout)
    const code = await ended
    for (const name of ['pass', 'fail', 'skipped'] as const)
      total[name] += Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
    const seconds = Math.round((performance.now() - began) / 1000)
    if (code === 0) console.log(given.length > 0 ? output : `${seconds} s  ${group.join(' ')}`)
    else failed.push(`${group.join(' ')} ended with ${code}\n${output}`)
  }
}
