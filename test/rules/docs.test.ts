import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pages } from '../../tools/pages.ts'

test('the generated pages are current', async () => {
  for (const [path, text] of Object.entries(await pages())) {
    const written = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    assert.equal(written, text, `${path} is not current: run "npm run docs"`)
  }
})
