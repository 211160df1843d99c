import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { runCaracal, startCaracal, temporaryDirectory } from '../support/process.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('--version prints the version of package.json and starts nothing', async () => {
  const wrongSetting = { CARACAL_HTTP_PORT: 'x' }
  const { code, out, err } = await runCaracal(wrongSetting, ['--version'])
  assert.deepEqual([code, out, err], [0, `caracal ${version}\n`, ''])
})

test('the banner and a line of the log have the version', async () => {
  const caracal = await startCaracal({ CARACAL_DATA_DIR: temporaryDirectory() })
  await eventually(() => {
    const lines = caracal.printed().split('\n')
    assert(lines.includes(`  Caracal ${version} is ready`), caracal.printed())
    const started = lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'started')
    assert.deepEqual(
      started.map(({ version, node }) => ({ version, node })),
      [{ version, node: process.versions.node }]
    )
  })
  await caracal.kill('SIGTERM')
})

test('the banner in README.md is that of this version', () => {
  assert(read('README.md').includes(`\n  Caracal ${version} is ready\n`))
})
