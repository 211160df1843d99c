import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { operationsIn, usesOfConsole } from '../../tools/console-page.ts'
import { withoutPage } from '../../tools/console-without.ts'

const description = new URL('../../src/features/system/openapi.json', import.meta.url)
const operations = operationsIn(readFileSync(description, 'utf8'))
const ids = operations.map(({ operationId }) => operationId)
const uses = usesOfConsole(operations)

test('every operation is used by a page of the console, or says why none does', () => {
  assert.deepEqual(
    ids.filter((id) => !uses.has(id) && !withoutPage.has(id)),
    []
  )
})

test('a reason is only for an operation that exists and that no page uses', () => {
  assert.deepEqual(
    [...withoutPage.keys()].filter((id) => uses.has(id) || !ids.includes(id)),
    []
  )
})

test('the pages are found by what they call', () => {
  assert(uses.get('listRules')?.includes('/installations/$id/rules'))
  assert(uses.get('getMe')?.includes(''), 'it is around every page')
  assert.equal(uses.has('writeSamples'), false)
})
