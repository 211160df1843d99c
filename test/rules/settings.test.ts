import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Settings } from '../../src/config.ts'

const root = new URL('../..', import.meta.url).pathname

test('messages name settings with their prefix', () => {
  const names = Object.keys(Settings.properties).filter((name) => name.includes('_'))
  const bare = new RegExp(`\\b(${names.join('|')})\\b`)
  const isName = (text: string) => names.includes(text.slice(1, -1))
  // The settings themselves and --help have a heading with the prefix.
  const said = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !/^src\/(config|console)\.ts$/.test(file))
    .flatMap((file) => textsOf(readFileSync(join(root, file), 'utf8')))
    .filter((text) => bare.test(text) && !isName(text))
  assert.deepEqual(said, [])
})

/** The string literals of a source file, without computed parts. */
const textsOf = (source: string): string[] =>
  source
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .flatMap((line) => line.match(/'[^']*'|`[^`]*`/g) ?? [])
    .map((text) => text.replaceAll(/\$\{[^}]*\}/g, ''))
