import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import type { Account } from '../support/world.ts'

const grants = ['mqtt/publish/all', 'status/read/all', 'file/create_delete/all', 'file/list/all']
const BOUNDARY = 'border'

let platform: TestPlatform
before(async () => {
  platform = await startTestPlatform({ settings: { CARACAL_BODY_TIMEOUT_SECONDS: '3' } })
})
after(() => platform.stop())

/** A raw request: its head, the beginning of its body, and then what `go` writes. */
async function begin(
  path: string,
  user: Account,
  { type = 'application/json', body = '{', go }: Sent = {}
): Promise<Answer> {
  const socket = connect(platform.httpPort, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${user.token}\r\ncontent-type: ${type}\r\n` +
      `content-length: 1000000\r\n\r\n${body}`
  )
  void go?.(socket).catch(() => {})
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  socket.on('error', () => {})
  const answered = once(socket, 'close').then(() => text)
  return { answered }
}
type Sent = { type?: string; body?: string; go?: (socket: Socket) => Promise<void> }
type Answer = { answered: Promise<string> }

const stalled = /^HTTP\/1\.1 408 [\s\S]*\{"message":"The body arrives too slowly/

const send = (path: string, user: Account, body: string, type: string) =>
  fetch(platform.url + path, {
    method: 'POST',
    headers: { 'x-api-key': user.token, 'content-type': type },
    body
  })

test('imports that stall are ended with 408, and the next one is served', async () => {
  const { installation, user } = await platform.world.site(grants)
  const path = `/api/v3beta/log/${installation.id}/import`
  const line = '{"timestamp":1,"topic":"obj/a","value":1}\n'
  const type = 'application/x-ndjson'
  const waiting = await Promise.all(
    Array.from({ length: 2 }, () => begin(path, user, { type, body: line }))
  )
  // If it came after the others, it waits until then.
  assert.equal((await send(path, user, line, type)).status, 200)
  for (const { answered } of waiting) assert.match(await answered, stalled)
  assert.equal((await send(path, user, line, type)).status, 200)
})

test('uploads that stall are ended with 408, and the next one is served', async () => {
  const type = `multipart/form-data; boundary=${BOUNDARY}`
  const part = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\nx`
  const sites = await Promise.all(Array.from({ length: 16 }, () => platform.world.site(grants)))
  const pathOf = ({ installation }: (typeof sites)[number]) =>
    `/api/v2/file/installation/${installation.id}`
  const other = await platform.world.site(grants)
  const whole = `${part}\r\n--${BOUNDARY}--\r\n`
  const waiting = await Promise.all(
    sites.flatMap((site) =>
      Array.from({ length: 4 }, () => begin(pathOf(site), site.user, { type, body: part }))
    )
  )
  await eventually(() => assert.equal(platform.deps.uploading.callers.total, 64))
  // All places are in use or reserved, so it waits for its turn.
  assert.equal((await send(pathOf(other), other.user, whole, type)).status, 200)
  for (const { answered } of waiting) assert.match(await answered, stalled)
  assert.equal((await send(pathOf(other), other.user, whole, type)).status, 200)
})

test('a JSON body that stops, and one that comes too slowly, end with 408', async () => {
  const { installation, user } = await platform.world.site(grants)
  const path = `/api/v2/status/${installation.id}`
  assert.match(await (await begin(path, user)).answered, stalled)
  const trickle = async (socket: Socket) => {
    for (; !socket.destroyed; await wait(50)) socket.write(' ')
  }
  assert.match(await (await begin(path, user, { go: trickle })).answered, stalled)
})

test('a body that comes steadily may take long', async () => {
  const { installation, user } = await platform.world.site(grants)
  const path = `/api/v2/status/${installation.id}`
  const go = async (socket: Socket) => {
    for (let sent = 1; sent < 990_000; sent += 33_000) {
      socket.write(' '.repeat(33_000))
      await wait(150)
    }
    socket.write(' '.repeat(9_999))
  }
  const text = await (await begin(path, user, { body: '[', go })).answered
  assert.match(text, /^HTTP\/1\.1 400 [\s\S]*not valid JSON/)
})
