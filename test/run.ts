import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import module from 'node:module'
import { startFront, wayToChdb } from './support/clickhouse.ts'
import { startPostgres } from './support/postgres.ts'

/** `npm test [files]`: starts the servers that tests share, then Node's own runner. */
module.enableCompileCache()
const given = process.argv.slice(2)
const files = given.length > 0 ? given : globSync('test/**/*.test.ts')
const postgres = await startPostgres()
if (!postgres)
  console.log('PostgreSQL is not installed: its tests are skipped (with CI=true they fail)')

// It takes a while to start; whoever needs it waits for it.
const users =
  /engines\/(history|aggregate|scan|influx|month|migrate-to|clickhouse-\w+)\.|process\/nodes\./
const way = await wayToChdb()
const hasChdb = typeof way === 'string' && files.some((file) => users.test(file))
const clickhouse = hasChdb ? await startFront() : undefined

const run = async (lane: readonly string[], concurrency: number): Promise<number> => {
  if (lane.length === 0) return 0
  const runner = spawn(process.execPath, ['--test', `--test-concurrency=${concurrency}`, ...lane], {
    stdio: 'inherit',
    env: {
      ...process.env,
      // Every file is a process that reads the same modules.
      NODE_COMPILE_CACHE: module.getCompileCacheDir(),
      ...(postgres && { TEST_POSTGRES_URL: postgres.url }),
      ...(clickhouse && { TEST_CLICKHOUSE_URL: clickhouse.url('test') })
    }
  })
  const [code] = await once(runner, 'exit')
  return code ?? 1
}

// Emulation is slow and takes one processor: its users go one by one, beside all others.
const isEmulated = (file: string) => way === 'emulated' && users.test(file)
const codes = await Promise.all([
  run(
    files.filter((file) => !isEmulated(file)),
    2
  ),
  run(files.filter(isEmulated), 1)
])
await clickhouse?.stop()
await postgres?.stop()
process.exit(Math.max(...codes))
