import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'

const root = new URL('../..', import.meta.url).pathname

/** The sections of MQTT 5.0 that have statements, with the first and the last number. */
const sections: Record<string, [first: number, last: number]> = {
  ...{ '1.5.4': [1, 3], '1.5.5': [1, 1], '1.5.7': [1, 1] },
  ...{ '2.1.3': [1, 1], '2.2.1': [2, 6], '2.2.2': [1, 1] },
  ...{ '3.1.0': [1, 2], '3.1.2': [1, 30], '3.1.3': [1, 12], '3.1.4': [1, 6] },
  ...{ '3.2.0': [1, 2], '3.2.2': [1, 22] },
  ...{ '3.3.1': [1, 13], '3.3.2': [1, 20], '3.3.4': [1, 10] },
  ...{ '3.4.2': [1, 3], '3.5.2': [1, 3], '3.6.1': [1, 1], '3.6.2': [1, 3], '3.7.2': [1, 3] },
  ...{ '3.8.1': [1, 1], '3.8.3': [1, 5], '3.8.4': [1, 8], '3.9.2': [1, 2], '3.9.3': [1, 2] },
  ...{ '3.10.1': [1, 1], '3.10.3': [1, 2], '3.10.4': [1, 6], '3.11.2': [1, 2], '3.11.3': [1, 2] },
  ...{ '3.12.4': [1, 1], '3.14.0': [1, 1], '3.14.1': [1, 1], '3.14.2': [1, 4], '3.14.4': [1, 3] },
  ...{ '3.15.1': [1, 1], '3.15.2': [1, 3] },
  ...{ '4.1.0': [1, 2], '4.2.0': [1, 1], '4.3.1': [1, 1], '4.3.2': [1, 5], '4.3.3': [1, 13] },
  ...{ '4.4.0': [1, 2], '4.5.0': [1, 2], '4.6.0': [1, 6] },
  ...{ '4.7.0': [1, 1], '4.7.1': [1, 2], '4.7.2': [1, 1], '4.7.3': [1, 4] },
  ...{ '4.8.2': [1, 6], '4.9.0': [1, 3], '4.12.0': [1, 7], '4.12.1': [1, 2] },
  ...{ '4.13.1': [1, 1], '4.13.2': [1, 1], '6.0.0': [1, 4] }
}
const statements = Object.entries(sections).flatMap(([section, [first, last]]) =>
  Array.from({ length: last - first + 1 }, (_, i) => `MQTT-${section}-${first + i}`)
)

/** By statement: the tests that name it. */
const named = new Map<string, string[]>()
for (const file of globSync('test/{features,process}/mqtt5-*.test.ts', { cwd: root }).sort()) {
  const text = readFileSync(join(root, file), 'utf8')
  for (const [, statement = ''] of text.matchAll(/\[(MQTT-[\d.]+-\d+)\]/g)) {
    const files = named.get(statement) ?? []
    named.set(statement, [...new Set([...files, basename(file)])].sort())
  }
}

/** By statement: what the page says about it. */
const listed = new Map<string, string>()
const page = readFileSync(join(root, 'docs/mqtt5.md'), 'utf8')
for (const [, statement = '', how = ''] of page.matchAll(/^\| `(MQTT-\S+)` \|[^|]*\|(.*)\|$/gm)) {
  assert.equal(listed.has(statement), false, `${statement} is there twice`)
  listed.set(statement, how.trim())
}

test('docs/mqtt5.md has every statement of MQTT 5, and no other', () => {
  assert.equal(statements.length, 251)
  assert.deepEqual([...listed.keys()], statements)
})

test('docs/mqtt5.md says which tests hold a statement, or why there is none', () => {
  for (const statement of named.keys()) assert.ok(listed.has(statement), statement)
  for (const [statement, how] of listed) {
    const files = named.get(statement)
    if (files) assert.equal(how, files.map((file) => `\`${file}\``).join(', '), statement)
    else assert.match(how, /^(client only(: .+)?|(not offered|argued): .+)$/, statement)
  }
})
