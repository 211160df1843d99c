import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'
import { store } from '../support/samples.ts'
import type { Account } from '../support/world.ts'

const grants = ['mqtt/publish/all', 'log/read/all', 'file/#', 'functionx/#']
const BOUNDARY = 'border'
/** More than the buffer of a socket that nobody reads. */
const LONG_TEXTS = 120
const LONG_TEXT = 'x'.repeat(60_000)

let platform: TestPlatform
before(async () => {
  platform = await startTestPlatform()
})
after(() => platform.stop())

type Site = Awaited<ReturnType<TestPlatform['world']['site']>>

async function open(user: { token: string }, head: string, body = ''): Promise<Socket> {
  const socket = connect(platform.httpPort, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`${head} HTTP/1.1\r\nhost: x\r\nx-api-key: ${user.token}\r\n${body || '\r\n'}`)
  return socket
}

/** Many requests whose callers neither send more nor read. */
const openMany = (count: number, begin: (at: number) => Promise<Socket>) =>
  Promise.all(Array.from({ length: count }, (_, at) => begin(at)))

const site = () => platform.world.site(grants)
const member = ({ installation }: Site) =>
  platform.world.user({ grants, organizations: [installation.organization_id] })

/** The first request has a place. It ends, and one more request comes. */
async function isRefused(
  ask: (signal: AbortSignal) => Promise<Response>,
  more: () => Promise<unknown>,
  message: string
) {
  const refused = await eventually(async () => {
    await more()
    // A new connection takes longer than one that is open.
    await wait(50)
    const answer = await ask(AbortSignal.timeout(3 * SECOND))
    const { status } = answer
    assert.equal(status, 429)
    return answer
  }, MINUTE)
  assert.deepEqual(await refused.json(), { message })
  assert.equal(refused.headers.get('retry-after'), '10')
}

async function isServed(answer: Promise<Response>): Promise<void> {
  const { status, ...rest } = await answer.then(async (response) => ({
    status: response.status,
    text: (await response.text()).slice(0, 200)
  }))
  assert.equal(status, 200, rest.text)
}

const line = '{"timestamp":1,"topic":"obj/a","value":1}\n'

test('another tenant and the platform can import at once while imports of one tenant stall', async () => {
  const [house, other] = [await site(), await site()]
  const path = ({ installation }: Site) => `/api/v3beta/log/${installation.id}/import`
  const send = (at: Site, { token }: { token: string }, signal: AbortSignal | null = null) =>
    fetch(platform.url + path(at), {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: line,
      signal
    })
  const stall = () =>
    open(house.user, `POST ${path(house)}`, `content-length: 1000000\r\n\r\n${line}`)
  const stalled = await openMany(4, stall)
  const more = async () => stalled.push(await stall())
  await isRefused(
    (signal) => send(house, house.user, signal),
    more,
    'Too many imports at once: an organization has at most 2 running and 2 waiting'
  )
  await isServed(send(other, other.user))
  await isServed(send(house, platform.world.admin))
  for (const socket of stalled) socket.destroy()
  await eventually(() => isServed(send(house, house.user)))
})

test('another tenant and the platform can upload at once while uploads of one tenant stall', async () => {
  const [house, other] = [await site(), await site()]
  const path = ({ installation }: Site) => `/api/v2/file/installation/${installation.id}`
  const part = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\nx`
  const type = `multipart/form-data; boundary=${BOUNDARY}`
  const send = (at: Site, { token }: { token: string }, signal: AbortSignal | null = null) =>
    fetch(platform.url + path(at), {
      method: 'POST',
      signal,
      headers: { 'x-api-key': token, 'content-type': type },
      body: `${part}\r\n--${BOUNDARY}--\r\n`
    })
  const users: Account[] = []
  for (let i = 0; i < 6; i++) users.push(await member(house))
  const stall = (user?: Account) =>
    open(
      user ?? house.user,
      `POST ${path(house)}`,
      `content-type: ${type}\r\ncontent-length: 1000000\r\n\r\n${part}`
    )
  const stalled = await openMany(24, (at) => stall(users[at % 6]))
  const more = async () => stalled.push(await stall(await member(house)))
  await eventually(() => assert(platform.deps.uploading.callers.total >= 24))
  await isRefused(
    (signal) => send(house, house.user, signal),
    more,
    'Too many uploads at once: an organization has at most 16 running and 8 waiting'
  )
  await isServed(send(other, other.user))
  await isServed(send(house, platform.world.admin))
  for (const socket of stalled) socket.destroy()
  await eventually(() => isServed(send(house, house.user)))
})

test(
  'another tenant and the platform get answers at once while one tenant does not read its answers',
  slow,
  async (t) => {
    const [house, other] = [await site(), await site()]
    const samples = Array.from({ length: 5 * LONG_TEXTS }, (_, i) => ({
      ...{ topic: 'obj/a', msg: LONG_TEXT },
      timestamp: unixMs(i * SECOND)
    }))
    await store(platform, house.installation, samples)
    for (let i = 0; i < LONG_TEXTS; i++) {
      const body = { type: 'house', meta: { text: LONG_TEXT, more: LONG_TEXT, most: LONG_TEXT } }
      const path = `POST /api/v2/functionx/${house.installation.id}`
      assert.equal((await platform.world.request(path, { as: house.user, body })).status, 200)
    }
    const log = ({ installation }: Site) => `/api/v3beta/log/${installation.id}`
    const rows: [what: string, each: number, waiting: number, path: (at: Site) => string][] = [
      ['log queries', 2, 100, (at) => `${log(at)}?from=0&to=86400&limit=1000`],
      ['log queries of long times', 2, 100, (at) => `${log(at)}?from=0&limit=1000`],
      ['exports', 2, 4, (at) => `${log(at)}/export`],
      ['searches', 2, 50, () => '/api/v3beta/search?q=house&limit=1000'],
      ['long lists', 64, 64, ({ installation }) => `/api/v2/functionx/${installation.id}`]
    ]
    for (const [what, each, waiting, path] of rows) {
      // They wait in the same kind of queue.
      const isSlow = !['log queries', 'long lists'].includes(what)
      await t.test(what, isSlow ? slow : {}, async () => {
        const ask = (at: Site, { token }: { token: string }, signal: AbortSignal | null = null) =>
          fetch(platform.url + path(at), { headers: { 'x-api-key': token }, signal })
        const ignore = () => open(house.user, `GET ${path(house)}`)
        const unread = await openMany(each + waiting, ignore)
        const more = async () => unread.push(await ignore())
        await isRefused(
          (signal) => ask(house, house.user, signal),
          more,
          `Too many ${what} at once: an organization has at most ${each} running and ${waiting} waiting`
        )
        await isServed(ask(other, other.user))
        await isServed(ask(house, platform.world.admin))
        // A caller who hangs up while waiting leaves the queue, and the next one waits there.
        for (const socket of unread.splice(-waiting)) socket.destroy()
        await eventually(() => {
          const answer = ask(house, house.user, AbortSignal.timeout(SECOND))
          return assert.rejects(answer, { name: 'TimeoutError' })
        })
        for (const socket of unread) socket.destroy()
        await eventually(() => isServed(ask(house, house.user)))
      })
    }
  }
)

test('a list that gets no place in time is 503 and says when to come again', slow, async () => {
  const house = await site()
  const body = { type: 'house', meta: { text: LONG_TEXT, more: LONG_TEXT, most: LONG_TEXT } }
  const path = `/api/v2/functionx/${house.installation.id}`
  for (let i = 0; i < LONG_TEXTS; i++) {
    await platform.world.request(`POST ${path}`, { as: house.user, body })
  }
  const unread = await openMany(64, () => open(house.user, `GET ${path}`))
  const refused = await eventually(async () => {
    unread.push(await open(house.user, `GET ${path}`))
    const answer = await fetch(platform.url + path, { headers: { 'x-api-key': house.user.token } })
    const { status } = answer
    if (status === 200) await answer.arrayBuffer()
    assert.equal(status, 503)
    return answer
  }, 2 * MINUTE)
  assert.deepEqual(await refused.json(), {
    message: 'Too many long lists at once: none ended within 30 s'
  })
  assert.equal(refused.headers.get('retry-after'), '10')
  for (const socket of unread) socket.destroy()
})
