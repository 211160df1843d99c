import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = new URL('../..', import.meta.url).pathname
const files = globSync('src/**/*.{ts,js}', { cwd: root })

/** docs/architecture.md draws these levels; imports point down only. */
const levels: [level: number, pattern: RegExp][] = [
  [
    5,
    /^src\/(main|platform|platform-(address|bus|metrics|parts)|console|progress)\.ts$|^src\/(cli|demo|move)\//
  ],
  [4, /^src\/(app|routes|dialect)\.ts$|^src\/workers\//],
  [3, /^src\/features\//],
  [2, /^src\/(access|notify|metadata)\/|^src\/deps\.ts$/],
  [1, /^src\/(http|registry|history|bus|outbound)\/|^src\/(metrics|data-dir|file-store|tls)\.ts$/],
  [0, /^src\/lib\/|^src\/config\.ts$/]
]

const levelOf = (file: string): number => {
  const found = levels.find(([, pattern]) => pattern.test(file))
  assert(found, `${file} belongs to no level`)
  return found[0]
}

type Import = { from: string; to: string; typeOnly: boolean }

const imports: Import[] = files.flatMap((from) =>
  [
    ...readFileSync(join(root, from), 'utf8').matchAll(
      /^(?:import|export)\s[^'"]*?from '(\.[^']+)'/gms
    )
  ].map(([line, path = '']) => ({
    from,
    to: relative(root, join(root, dirname(from), path)),
    typeOnly: /^(import|export) type\b/.test(line)
  }))
)
const room = (file: string) => file.split('/').slice(0, 3).join('/')
const engine = (file: string) => file.split('/').slice(0, 2).join('/')

test('imports point down', () => {
  // deps.ts is types only: it may name what lies beside and below it.
  const wrong = imports.filter(({ from, to }) => levelOf(to) > levelOf(from))
  assert.deepEqual(wrong, [])
})

test('rooms never import rooms', () => {
  const wrong = imports.filter(
    ({ from, to }) => levelOf(from) === 3 && levelOf(to) === 3 && room(from) !== room(to)
  )
  assert.deepEqual(wrong, [])
})

test('engines never import their neighbours', () => {
  const wrong = imports.filter(
    ({ from, to }) => levelOf(from) === 1 && levelOf(to) === 1 && engine(from) !== engine(to)
  )
  assert.deepEqual(wrong, [])
})

test('SQL lives in registry/, history/ and bus/store/ only', () => {
  const speakers = files.filter((file) =>
    /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|from 'node:sqlite'|from 'kysely'/.test(
      readFileSync(join(root, file), 'utf8')
    )
  )
  const elsewhere = speakers.filter((file) => !/^src\/(registry|history|bus\/store)\//.test(file))
  // The lock of the data directory borrows SQLite's file lock and stores nothing.
  assert.deepEqual(elsewhere, ['src/data-dir.ts'])
})

test('only config.ts is handed the environment, by main.ts', () => {
  const readers = files.filter((file) =>
    /process\.env/.test(readFileSync(join(root, file), 'utf8'))
  )
  assert.deepEqual(readers, ['src/main.ts'])
})

test('no drawers', () => {
  const drawers = files.filter((file) => /(utils?|helpers?|common|misc|manager)\.ts$/.test(file))
  assert.deepEqual(drawers, [])
})

test('no file outgrows a reader', () => {
  const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length
  assert.deepEqual(
    files.filter((file) => file.endsWith('.ts') && lines(file) > 400),
    []
  )
})
