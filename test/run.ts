import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import module from 'node:module'
import { startFront, withoutClickhouse } from './support/clickhouse.ts'
import { startPostgres } from './support/postgres.ts'

/** `npm test [files]`: starts the servers that tests share, then Node's own runner. */
module.enableCompileCache()
const given = process.argv.slice(2)
const files = given.length > 0 ? given : globSync('test/**/*.test.ts')
const users =
  /engines\/(history|latest|aggregate|scan|influx|month|migrate-to|clickhouse-\w+)\.|process\/nodes\./
const needsClickhouse = files.some((file) => users.test(file))
if (needsClickhouse && withoutClickhouse) console.log(withoutClickhouse)
const clickhouse = needsClickhouse && process.env['CHDB_PREFIX'] ? await startFront() : undefined
const postgres = await startPostgres()
if (!postgres)
  console.log('PostgreSQL is not installed: its tests are skipped (with CI=true they fail)')

const runner = spawn(process.execPath, ['--test', '--test-concurrency=2', ...files], {
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
await clickhouse?.stop()
await postgres?.stop()
process.exit(code ?? 1)
