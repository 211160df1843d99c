import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { tolerateParameters } from '../../src/http/parameters.ts'

const querystring = Type.Object({
  limit: Type.Optional(Type.Integer()),
  from: Type.Optional(Type.Number()),
  silent: Type.Optional(Type.Boolean()),
  order: Type.Optional(Type.String()),
  topics: Type.Optional(Type.Array(Type.String())),
  ids: Type.Optional(Type.Array(Type.Integer()))
})

test('tolerateParameters', () => {
  const f = (query: Record<string, unknown>, want: Record<string, unknown>) => {
    const request = { query: { ...query }, params: {}, routeOptions: { schema: { querystring } } }
    tolerateParameters(request as unknown as FastifyRequest)
    assert.deepEqual(request.query, want)
  }
  f({ limit: '10', from: '1.5' }, { limit: 10, from: 1.5 })
  f({ limit: '', order: '', topics: '', silent: '' }, {})
  f({ limit: 'ten', from: '1e3', silent: 'maybe' }, { limit: 'ten', from: '1e3', silent: 'maybe' })
  f({ limit: ['1', '2'], order: ['asc', 'desc'] }, { limit: 2, order: 'desc' })
  f({ limit: ['1', ''] }, { limit: 1 })
  for (const yes of ['1', 'true', 'True', 'TRUE']) f({ silent: yes }, { silent: true })
  for (const no of ['0', 'false', 'False']) f({ silent: no }, { silent: false })
  f({ topics: 'a,b' }, { topics: ['a', 'b'] })
  f({ topics: ['a,b', 'c', ''] }, { topics: ['a', 'b', 'c'] })
  f({ topics: ',', ids: ['', ','] }, { topics: [','], ids: [','] })
  f({ ids: ['1', '2,x'] }, { ids: [1, 2, 'x'] })
  f({ room: '5', 'app.id': ['1', '2'] }, { room: '5', 'app.id': ['1', '2'] })
})
