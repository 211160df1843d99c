import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { openSearcher } from '../../src/features/search/open.ts'
import type { Question } from '../../src/features/search/search.ts'
import { handleError } from '../../src/http/error-handler.ts'
import { freePort } from '../support/port.ts'

const question: Question = {
  query: { wanted: { by: 'everything' }, filters: [], limit: 10, offset: 0 },
  reach: { device: { visible: 'everything', types: new Map(), seesProtected: 'everything' } }
}

test('a search whose server cannot be reached is 503, although it runs in a thread', async (t) => {
  const url = `postgres://caracal@127.0.0.1:${await freePort()}/postgres`
  const searcher = openSearcher({ url, dataDir: '', timeoutMs: 5000 })
  t.after(() => searcher.close())
  const app = fastify()
  app.setErrorHandler(handleError)
  app.get('/', () => searcher.search(question, new AbortController().signal))
  const { statusCode, body } = await app.inject('/')
  assert.deepEqual([statusCode, body], [503, '{"message":"Service Unavailable"}'])
})
