import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fingerprint, fingerprintIn } from '../../tools/client/fingerprint.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the generated types of the API are current', () => {
  const description = read('src/features/system/openapi.json')
  assert.equal(
    fingerprintIn(read('tools/client/caracal.d.ts')),
    fingerprint(description),
    'tools/client/caracal.d.ts is not current: run "npm ci && npm run generate" in tools/client'
  )
})

test('a new version alone does not make the types old, a changed path does', () => {
  const description = (version: string, paths: object) =>
    fingerprint(JSON.stringify({ info: { version }, paths, components: {} }))
  assert.equal(description('1', {}), description('2', {}))
  assert.notEqual(description('1', {}), description('1', { '/x': {} }))
})

test('the lock file of the client names no registry', () => {
  assert.doesNotMatch(read('tools/client/package-lock.json'), /"resolved"/)
})
