import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { follow } from '../../src/cli/ask.ts'
import { temporaryDirectory } from '../support/process.ts'

/** Longer than a command waits for the begin of an answer. */
const SECONDS = 17

test('a command waits for work that takes long, as long as it hears of it', async (t) => {
  const socketPath = join(temporaryDirectory(), 'control.sock')
  const server = createServer(async (_request, response) => {
    for (let second = 0; second < SECONDS; second++) {
      response.write(`${JSON.stringify({ progress: second / SECONDS })}\n`)
      await wait(1000)
    }
    response.end(`${JSON.stringify({ result: 'done' })}\n`)
  }).listen(socketPath)
  await once(server, 'listening')
  t.after(() => server.close())
  const told: number[] = []
  const onProgress = (done: number) => void told.push(done)
  assert.equal(await follow(socketPath, { path: '/', body: {}, onProgress }), 'done')
  assert.equal(told.length, SECONDS + 1)
  assert.equal(told.at(-1), 1)
})

test('a command whose platform ends meanwhile says so', async (t) => {
  const socketPath = join(temporaryDirectory(), 'control.sock')
  const server = createServer((_request, response) => {
    response.write('{"progress": 0.5}\n')
    setTimeout(() => response.destroy(), 100)
  }).listen(socketPath)
  await once(server, 'listening')
  t.after(() => server.close())
  const following = follow(socketPath, { path: '/', body: {}, onProgress: () => {} })
  await assert.rejects(following, { message: 'the running Caracal ended before the work was done' })
})
