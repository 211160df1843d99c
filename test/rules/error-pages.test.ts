import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const statusesOf = (page: string): string[] => {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  return [
    ...new Set([...text.matchAll(/^\| (\d{3}) \|/gm)].map(([, status = '']) => status))
  ].sort()
}

test('the page for app developers says what to do for every error status', () => {
  assert.deepEqual(statusesOf('apps/errors.md'), statusesOf('ERRORS.md'))
})
