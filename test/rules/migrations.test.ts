import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const folder = new URL('../../src/registry/migrations/', import.meta.url)

test('an additive migration only adds', () => {
  const additive = readdirSync(folder)
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))
    .filter(({ text }) => /isAdditive: true/.test(text))
  assert(additive.length > 0)
  for (const { name, text } of additive) {
    const changes =
      /\bdrop\w*|\brename\w*|\balterColumn|\bmodifyColumn|\bupdateTable|\bdeleteFrom|sql`/i
    assert.doesNotMatch(text, changes, `${name} changes what older programs use`)
    const added = [...text.matchAll(/addColumn\([^)]*notNull\(\)[^\n]*/g)].map(([line]) => line)
    const isTable = /createTable/.test(text)
    for (const line of added) {
      assert(isTable || /defaultTo/.test(line), `${name}: a new column needs a default: ${line}`)
    }
  }
})
