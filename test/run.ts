import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { startFront, wayToChdb } from './support/clickhouse.ts'
import { startPostgres } from './support/postgres.ts'

/** `npm test [files]`: starts the servers that tests share, then Node's own runner. */
const files = process.argv.slice(2)
const postgres = await startPostgres()
if (!postgres)
  console.log('PostgreSQL is not installed: its tests are skipped (with CI=true they fail)')

// It takes a while to start; whoever needs it waits for it.
const users =
  /engines\/(history|aggregate|scan|influx|month|migrate-to|clickhouse-server)\b|process\/nodes/
const needsClickhouse = files.length === 0 || files.some((file) => users.test(file))
const way = await wayToChdb()
const hasChdb = needsClickhouse && typeof way === 'string'
const clickhouse = hasChdb ? await startFront() : undefined

// Whoever waits for the emulation leaves the processor to others.
const lanes = clickhouse && way === 'emulated' ? 4 : 2
const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${lanes}`,
    ...(files.length > 0 ? files : globSync('test/**/*.test.ts'))
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(postgres && { TEST_POSTGRES_URL: postgres.url }),
      ...(clickhouse && { TEST_CLICKHOUSE_URL: clickhouse.url('test') })
    }
  }
)
const [code] = await once(runner, 'exit')
await clickhouse?.stop()
await postgres?.stop()
process.exit(code ?? 1)
