import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = new URL('../..', import.meta.url).pathname
const files = globSync('src/**/*.{ts,js}', { cwd: root })

/** The drawing in docs/architecture.md. Each line begins with its level and names files and folders of src/. */
const drawing = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  .split('```')
  .find((block) => /^\n5 {2}main\.ts/.test(block))
assert(drawing, 'docs/architecture.md draws the levels')

const levels = new Map<string, number>()
let level = Number.NaN
for (const line of drawing.trim().split('\n')) {
  const [, digit = '', names = ''] = /^(\d| ) {2}(\S+(?: \S+)*)/.exec(line) ?? []
  if (digit !== ' ') level = Number(digit)
  for (const name of names.split(' ')) levels.set(name, level)
}

const levelOf = (file: string): number => {
  const [, name = ''] = /^src\/([^/]+\/?)/.exec(file) ?? []
  const found = levels.get(name)
  assert(found !== undefined, `${file}: docs/architecture.md draws no ${name}`)
  return found
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

test('SQL is only in registry/, history/, quota/, move/, site/, the store of the broker, and in rooms outside their routes', () => {
  const isSpeaker = (file: string) =>
    /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|from 'node:sqlite'|from 'kysely'/.test(
      readFileSync(join(root, file), 'utf8')
    )
  const allowed =
    /^src\/(registry|history|quota|move|site|bus\/embedded\/store)\/|^src\/features\/\w+\/(?!([\w-]+-)?routes\.ts)/
  // The lock of the data directory uses SQLite's file lock and stores nothing. What all engines on
  // SQLite need for a backup is in lib/.
  const elsewhere = files.filter((file) => isSpeaker(file) && !allowed.test(file))
  assert.deepEqual(elsewhere.sort(), ['src/lib/sqlite-file.ts', 'src/platform/data-dir.ts'])
})

test('there are no import circles', () => {
  const to = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const circles: string[][] = []
  const visit = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file)
    if (at >= 0) circles.push([...path.slice(at), file])
    if (at >= 0 || done.has(file)) return
    for (const next of to.get(file) ?? []) visit(next.to, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  assert.deepEqual(circles, [])
})

test('only main.ts reads the environment, and passes it to config.ts', () => {
  const readers = files.filter((file) =>
    /process\.env/.test(readFileSync(join(root, file), 'utf8'))
  )
  assert.deepEqual(readers, ['src/main.ts'])
})

test('no file is named utils, helpers, common, misc or manager', () => {
  const drawers = files.filter((file) => /(utils?|helpers?|common|misc|manager)\.ts$/.test(file))
  assert.deepEqual(drawers, [])
})

test('no file has more than 400 lines', () => {
  const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length
  assert.deepEqual(
    files.filter((file) => file.endsWith('.ts') && lines(file) > 400),
    []
  )
})

// An import reads all names of node:http, and some of them load its WebSocket client, which takes 3 MiB.
test('the server takes values of node:http without importing them', () => {
  const loadsLater = ['src/cli/ask.ts', 'src/history/clickhouse/server.ts']
  const importing = files.filter((file) =>
    /^import (?!type)[^'"]* from 'node:http'/m.test(readFileSync(join(root, file), 'utf8'))
  )
  assert.deepEqual(importing.sort(), loadsLater)
})
