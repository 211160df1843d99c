import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { createInstallation, startCaracal, temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(12, 2)
const SENDERS = 4
const VALUES = 250

type Page = { total: number; data: { value: number }[] }

test(`values over HTTP are stored together or not at all after ${ROUNDS} times kill -9`, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery',
      CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1000000',
      CARACAL_QUOTA_ORGANIZATION: 'messages_per_second=1000000'
    })
  let caracal = await start()
  const call = async (line: string, init: RequestInit = {}) => {
    const [method = '', path = ''] = line.split(' ')
    const response = await fetch(caracal.url + path, { method, ...init })
    return { status: response.status, text: await response.text() }
  }
  const { token, id } = await createInstallation(caracal, 'Under fire')
  const headers = { 'x-api-key': token }

  let last = 0
  const answered = new Set<number>()
  /** Each request has its own value, once on each of its topics. */
  const send = async (isOver: () => boolean) => {
    while (!isOver()) {
      const value = ++last
      const body = Array.from({ length: VALUES }, (_, i) => {
        return { topic: `obj/${i}`, value, timestamp: 1_700_000_000 + value }
      })
      const line = `POST /api/v3beta/sample/${id}`
      const sent = await call(line, { headers, body: JSON.stringify(body) }).catch(() => undefined)
      if (sent?.status === 204) answered.add(value)
      else return
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    let isOver = false
    const before = answered.size
    const sending = Array.from({ length: SENDERS }, () => send(() => isOver))
    await eventually(() => assert(answered.size > before + SENDERS), 60_000)
    await wait(Math.random() * 300)
    await caracal.kill('SIGKILL')
    isOver = true
    await Promise.all(sending)
    caracal = await start()
  }

  const read = async (query: string): Promise<Page> =>
    JSON.parse(
      (await call(`GET /api/v3beta/log/${id}?from=0&order=asc&${query}`, { headers })).text
    )
  const valuesOf = async (topic: string) => {
    const values: number[] = []
    for (;;) {
      const page = await read(`topics=${topic}&limit=100000&offset=${values.length}`)
      values.push(...page.data.map(({ value }) => value))
      if (page.data.length === 0 || values.length >= page.total) return values
    }
  }
  await eventually(async () => {
    const first = await valuesOf('obj/0')
    const stored = new Set(first)
    assert.equal(stored.size, first.length, 'no value is there twice')
    for (const value of answered) assert(stored.has(value), `${value} was answered and is lost`)
    assert(stored.size - answered.size <= ROUNDS * SENDERS)
    const { total } = await read('limit=1')
    assert.equal(total, stored.size * VALUES, 'each request is there with all its values')
    assert.deepEqual(await valuesOf(`obj/${VALUES - 1}`), first)
  }, 15_000)
  assert.equal(await caracal.kill('SIGTERM'), 0)
})
