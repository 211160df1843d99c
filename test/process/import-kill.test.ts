import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { type Caracal, startCaracal, temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(4, 1)
/** Mostly more than are stored in all rounds together. */
const ROWS = rounds(2_000_000, 200_000)
const TOPICS = 20
const first = 1_700_000_000

function* file(): Generator<string> {
  for (let row = 0; row < ROWS; ) {
    let text = ''
    for (const end = row + 10_000; row < end; row++) {
      text += `${first + Math.floor(row / TOPICS)},obj/${row % TOPICS},${row},\n`
    }
    yield text
  }
}

/** Sends the whole file; returns the number of imported samples, or undefined if it broke. */
async function send(caracal: Caracal, path: string, token: string): Promise<number | undefined> {
  const sending = request(caracal.url + path, { method: 'POST', headers: { 'x-api-key': token } })
  const answered = once(sending, 'response').then(async ([response]) => {
    const text = Buffer.concat(await response.toArray()).toString()
    return JSON.parse(text).imported as number
  })
  const [, answer] = await Promise.allSettled([pipeline(Readable.from(file()), sending), answered])
  return answer.status === 'fulfilled' ? answer.value : undefined
}

test(`an import that was killed up to ${ROUNDS} times and sent again is stored exactly once`, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery'
    })
  let caracal = await start()
  const call = async (line: string, init: RequestInit = {}) => {
    const [method = '', path = ''] = line.split(' ')
    return (await fetch(caracal.url + path, { method, ...init })).json() as Promise<{
      [name: string]: unknown
    }>
  }
  const basic = `Basic ${btoa('boss@example.org:correct horse battery')}`
  const { token } = await call('POST /api/v2/auth', { headers: { authorization: basic } })
  const headers = { 'x-api-key': String(token) }
  const { id } = await call('POST /api/v2/installation', { headers, body: '{"name":"x"}' })
  const totalOf = async () =>
    Number((await call(`GET /api/v3beta/log/${id}?from=0&limit=1`, { headers }))['total'])
  const path = `/api/v3beta/log/${id}/import`

  const totals: number[] = []
  for (let round = 0; round < ROUNDS && (totals.at(-1) ?? 0) < ROWS; round++) {
    const sent = send(caracal, path, String(token))
    const before = totals.at(-1) ?? 0
    await eventually(async () => assert((await totalOf()) > before), 60_000)
    await wait(Math.random() * 100)
    await caracal.kill('SIGKILL')
    await sent
    caracal = await start()
    totals.push(await totalOf())
    // Whole batches in order, and nothing of the batch that was being written.
    const { data } = await call(`GET /api/v3beta/log/${id}?from=0&order=desc&limit=${TOPICS}`, {
      headers
    })
    const values = (data as { value: number }[]).map(({ value }) => value)
    assert.equal(totals.at(-1), Math.max(-1, ...values) + 1)
  }
  assert.equal(await send(caracal, path, String(token)), ROWS)
  assert.equal(await totalOf(), ROWS)
  assert.equal(await send(caracal, path, String(token)), ROWS)
  assert.equal(await totalOf(), ROWS, 'and once more')
  const status = (await call(`GET /api/v2/status/${id}`, { headers })) as unknown as {
    value: number
  }[]
  assert.deepEqual(
    status.map(({ value }) => value).sort((a, b) => a - b),
    Array.from({ length: TOPICS }, (_, i) => ROWS - TOPICS + i)
  )
  assert.equal(await caracal.kill('SIGTERM'), 0)
})
