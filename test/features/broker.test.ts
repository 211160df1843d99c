import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { findBrokerClient } from '../../src/features/broker/clients.ts'
import { createKey } from '../../src/features/user/changes.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import type { PlatformBus } from '../../src/platform/bus.ts'
import { readPlatformId } from '../../src/registry/platform.ts'
import { eventually } from '../support/eventually.ts'
import { type Mosquitto, startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import type { Account, Answer } from '../support/world.ts'

const KEY = 'a_broker-key_of_32_characters_00'
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const asBroker = { authorization: `Bearer ${KEY}` }
const json = { 'content-type': 'application/json' }

type SignIn = { clientid: string; username?: string | null; password?: string; peerhost?: string }

/** Sends a raw request; returns the status and body of the answer. */
async function raw(port: number, head: string[], body: string) {
  const socket = connect(port, '127.0.0.1')
  const lines = [...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body]
  socket.write(lines.join('\r\n'))
  let text = ''
  const isComplete = () => {
    const [headers = '', answer] = text.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(headers)?.[1])
    return answer !== undefined && Buffer.byteLength(answer) >= length
  }
  while (!isComplete()) text += (await once(socket, 'data'))[0]
  socket.destroy()
  return { status: Number(text.split(' ')[1]), body: text.split('\r\n\r\n')[1] ?? '' }
}

onRegistryMatrix('broker', (engine) => {
  describe('asked by', { skip: withoutMosquitto }, () => {
    let mosquitto: Mosquitto
    let platform: TestPlatform
    let ahead = 0
    const closers: (() => unknown)[] = []

    before(async () => {
      mosquitto = await startMosquitto({ after: (close: () => unknown) => closers.push(close) })
      platform = await startTestPlatform({
        registryUrl: await engine.url(),
        clock: () => unixMs(Date.now() + ahead),
        settings: {
          CARACAL_BUS_URL: `mqtt://caracal:own%20password@127.0.0.1:${mosquitto.port}`,
          CARACAL_BROKER_KEY: KEY
        }
      })
      await isRead()
    })
    after(async () => {
      await platform.stop()
      for (const close of closers) await close()
    })

    const isRead = () => eventually(() => assert.ok(platform.deps.isBusRead()))
    const ask = (path: string, body: unknown, headers: Record<string, string> = asBroker) =>
      platform.world.request(`POST /broker${path}`, { body, headers: { ...json, ...headers } })
    const signIn = async (body: SignIn) => (await ask('/auth', body)).json
    const allow = { result: 'allow', is_superuser: false }
    const deny = { result: 'deny', is_superuser: false }
    /** `publish 42/obj/x`, asked as EMQX does. */
    const may = async ({ clientid, username = 'any' }: SignIn, what: string) => {
      const [action, topic] = what.split(/ (.*)/s)
      const { status, json } = await ask('/acl', { clientid, username, topic, action })
      assert.equal(status, 200)
      return (json as { result: string }).result === 'allow'
    }
    const ACC = { read: 1, write: 2, both: 3, subscribe: 4, unsubscribe: 8 } as const
    /** `write 42/obj/x`, asked as mosquitto-go-auth does. */
    const mosquittoMay = async ({ clientid, username = 'any' }: SignIn, what: string) => {
      const [access, topic] = what.split(/ (.*)/s)
      const acc = ACC[access as keyof typeof ACC]
      const { status } = await ask('/mosquitto/acl', { clientid, username, topic, acc })
      assert.ok(status === 200 || status === 403, String(status))
      return status === 200
    }
    const connected = async ({ token }: { token: string }, username = 'any') => {
      const device = { clientid: platform.world.unique('device'), username }
      assert.deepEqual(await signIn({ ...device, password: token }), allow)
      return device
    }
    const deleteToken = (as: Account) => platform.world.request('DELETE /api/v2/auth', { as })

    test('no certificate is issued or registered, because the broker ends TLS', async () => {
      const { world } = platform
      const { installation, user } = await world.site(['#'])
      const place = `/api/v2/certificate/${installation.id}`
      for (const line of [`POST ${place}`, `POST ${place}/register`]) {
        const body = { name: 'device', certificate: 'x' }
        const { status, text } = await world.request(line, { as: user, body })
        assert.equal(status, 400, line)
        assert.match(text, /an external broker does not ask here about certificates, see docs/)
      }
      const list = await world.request(`GET ${place}`, { as: user })
      assert.deepEqual([list.status, list.json], [200, []])
    })

    test('a mount is refused: when it is made, and when its key signs in', async () => {
      const { world, deps, logged } = platform
      const { installation, user } = await world.site(['#'])
      const mount = { installation_id: installation.id, prefix: 'dev' }
      for (const line of [
        'POST /api/v2/user/me/security/token',
        `POST /api/v2/gateway/credentials/${installation.id}`
      ]) {
        const { status, text } = await world.request(line, {
          as: user,
          body: { name: 'device', mount }
        })
        assert.equal(status, 400, line)
        assert.match(text, /an external broker does not know mounts, see docs\/brokers.md/)
      }
      // Made while the platform had the embedded broker.
      const { token } = await createKey(deps, user.id, {
        ...{ name: 'device', expires: 0, session_timeout: 0, permissions: undefined, mount }
      })
      const device = { clientid: world.unique('device'), username: 'any' }
      assert.deepEqual(await signIn({ ...device, password: token }), deny)
      const { status } = await ask('/mosquitto/user', { ...device, password: token })
      assert.equal(status, 403)
      assert.equal(await may(device, `publish ${installation.client_id}/obj/x`), false)
      assert.equal(await findBrokerClient(deps.registry, device.clientid), undefined)
      await eventually(() => {
        const lines = logged.filter(
          ({ msg }) => msg === 'a key with a mount needs the embedded broker'
        )
        assert.deepEqual(
          lines.map(({ clientId }) => clientId),
          [device.clientid]
        )
      })
    })

    test('a caller without the key, or with another key, gets no answer, whatever its rights', async () => {
      const { world } = platform
      const paths = ['/auth', '/acl', '/mosquitto/user', '/mosquitto/acl']
      const basic = (password: string) => ({ authorization: `Basic ${btoa(`x:${password}`)}` })
      const strangers: Record<string, string>[] = [
        {},
        { authorization: 'Bearer wrong' },
        basic('wrong'),
        { 'x-api-key': KEY },
        { 'x-api-key': world.admin.token },
        { authorization: `Bearer ${world.admin.token}` }
      ]
      const body = {
        clientid: 'x',
        username: 'caracal',
        topic: '1/obj/x',
        acc: 2,
        action: 'publish'
      }
      for (const path of paths) {
        for (const headers of strangers) {
          assert.equal((await ask(path, body, headers)).status, 401, path)
        }
        for (const headers of [asBroker, basic(KEY)]) {
          assert.notEqual((await ask(path, body, headers)).status, 401, path)
        }
      }
    })

    test('a question with an unknown parameter is 400', async () => {
      const { json } = await ask('/acl?x=1', { clientid: 'x', topic: 'x', action: 'publish' })
      assert.deepEqual(json, { message: 'unknown parameter x; this route knows none' })
    })

    test('EMQX: who may connect', async () => {
      const { world } = platform
      const { installation, user } = await world.site([])
      const clientid = world.unique('device')
      const { json: gateway } = await world.request(
        `POST /api/v2/gateway/credentials/${installation.id}`,
        { as: world.admin }
      )
      const { mqtt_username, mqtt_password } = gateway as Record<string, string>
      const inside: SignIn[] = [
        { clientid, username: 'any name', password: user.token },
        { clientid, username: '', password: user.token },
        { clientid, username: null, password: user.token },
        { clientid, password: user.token, peerhost: '10.1.2.3' },
        { clientid, username: user.email, password: user.password },
        {
          clientid: world.unique('edge'),
          username: mqtt_username ?? '',
          password: mqtt_password ?? ''
        }
      ]
      for (const body of inside) assert.deepEqual(await signIn(body), allow, JSON.stringify(body))
      const outside: SignIn[] = [
        { clientid },
        { clientid, username: 'any name', password: 'wrong' },
        { clientid, username: user.email, password: 'wrong' },
        { clientid, username: mqtt_username ?? '', password: user.password },
        { clientid: '', username: 'any name', password: user.token },
        { clientid: 'x'.repeat(256), username: 'any name', password: user.token },
        { clientid, username: 'x'.repeat(2000), password: user.token },
        // Nobody else can use the client ids and the name of the platform.
        { clientid: 'caracal-1-slot-0', username: 'any name', password: user.token },
        { clientid, username: 'caracal', password: user.token },
        { clientid, username: 'caracal', password: 'wrong' }
      ]
      for (const body of outside) assert.deepEqual(await signIn(body), deny, JSON.stringify(body))
      const own = { username: 'caracal', password: 'own password' }
      assert.deepEqual(await signIn({ clientid: 'caracal-1-slot-0', ...own }), {
        result: 'allow',
        is_superuser: true
      })
    })

    test('EMQX: who may publish and subscribe', async () => {
      const { world } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const stranger = await world.installation()
      const [own, other] = [installation.client_id, stranger.client_id]
      const device = await connected(user)
      const f = async (what: string, want: boolean) =>
        assert.equal(await may(device, what), want, what)
      await f(`publish ${own}/obj/x`, true)
      await f(`publish ${own}/set/x`, true)
      await f(`publish ${other}/obj/x`, false)
      await f('publish 999999/obj/x', false)
      await f('publish $SYS/x', false)
      await f(`publish $delayed/1/${own}/obj/x`, false)
      await f('publish caracal/x', false)
      await f(`publish ${own}/obj/#`, false)
      await f('publish ', false)
      await f(`subscribe ${own}/#`, true)
      await f(`subscribe ${own}/obj/+/x`, true)
      await f(`subscribe $share/group/${own}/#`, true)
      await f(`subscribe $share//${own}/#`, false)
      await f(`subscribe $share/${own}/#`, false)
      await f(`subscribe $share/+/${own}/#`, false)
      await f(`subscribe $share/group/${other}/#`, false)
      await f(`subscribe ${other}/#`, false)
      await f(`subscribe ${own}/#/x`, false)
      await f('subscribe $SYS/#', false)
      await f('subscribe $share/group/$SYS/#', false)
      await f('subscribe caracal/#', false)
      // EMQX does not ask for deliveries, so a wildcard needs the right to everything.
      await f('subscribe #', false)
      await f('subscribe +/obj/#', false)
      await f('subscribe $share/group/#', false)
      assert.equal(await may(await connected(world.admin), 'subscribe #'), true)
      const top = await world.user({ grants: ['mqtt/subscribe/all'], organizations: [1] })
      assert.equal(await may(await connected(top), 'subscribe #'), false)

      // A client that did not sign in with that client id and name.
      assert.equal(await may({ clientid: 'nobody' }, `publish ${own}/obj/x`), false)
      const renamed = { ...device, username: 'another' }
      assert.equal(await may(renamed, `publish ${own}/obj/x`), false)
      assert.equal(await may({ ...device, clientid: '' }, `publish ${own}/obj/x`), false)
      assert.equal(await may({ clientid: 'c', username: 'caracal' }, 'subscribe $SYS/#'), false)
    })

    test('the name of the platform alone allows nothing', async () => {
      const { world } = platform
      const { clientid } = await connected(world.admin)
      const own = (id: string) => ({ clientid: id, username: 'caracal' })
      const signedIn = world.unique('caracal-test')
      const f = async (who: SignIn, what: string, want: boolean) =>
        assert.equal(await mosquittoMay(who, what), want, `${who.clientid} ${what}`)
      for (const what of ['write 1/set/x', 'read 1/obj/x', 'subscribe #']) {
        await f(own(signedIn), what, false)
        await f(own(clientid), what, false)
      }
      assert.deepEqual(await signIn({ ...own(signedIn), password: 'own password' }), {
        result: 'allow',
        is_superuser: true
      })
      for (const what of ['write 1/set/x', 'read 1/obj/x', 'subscribe #']) {
        await f(own(signedIn), what, true)
        await f({ clientid: signedIn, username: 'any' }, what, false)
      }
      // When the platform disconnects a client: Mosquitto drops queued messages that may not be read.
      await signIn({ ...own(clientid), password: 'own password' })
      await f(own(clientid), 'read 1/obj/x', true)
      await f(own(clientid), 'write 1/set/x', false)
      await f(own(clientid), 'subscribe #', false)
    })

    test('mosquitto-go-auth asks for every delivery, so more callers may use a wildcard', async () => {
      const { world } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const stranger = await world.installation()
      const [own, other] = [installation.client_id, stranger.client_id]
      const device = await connected(user)
      const f = async (what: string, want: boolean) =>
        assert.equal(await mosquittoMay(device, what), want, what)
      await f(`write ${own}/obj/x`, true)
      await f(`write ${other}/obj/x`, false)
      await f(`read ${own}/obj/x`, true)
      await f(`read ${other}/obj/x`, false)
      await f('read $SYS/broker/uptime', false)
      await f('read caracal/x', false)
      await f(`both ${own}/obj/x`, true)
      await f(`both ${other}/obj/x`, false)
      await f(`subscribe ${own}/#`, true)
      await f(`subscribe ${other}/#`, false)
      await f('subscribe #', true)
      await f('subscribe $share/group/+/obj/#', true)
      // The group of the platform: a member would take messages away.
      const id = await readPlatformId(platform.deps.registry)
      await f(`subscribe $share/caracal-${id}/+/obj/#`, false)
      // EMQX does not tell the group, so nobody must be able to guess it.
      assert.match(id, /^[0-9a-f]{32}$/)
      await f('unsubscribe #', true)
      const reader = await connected(
        await world.user({
          grants: ['mqtt/subscribe/all'],
          organizations: [installation.organization_id]
        })
      )
      assert.equal(await mosquittoMay(reader, 'subscribe #'), false)
      assert.equal(await mosquittoMay(reader, `both ${own}/obj/x`), false)
      const { status } = await ask('/mosquitto/acl', { ...device, topic: `${own}/obj/x`, acc: 77 })
      assert.equal(status, 403)
    })

    test('a credential that has ended is refused at the next question', async () => {
      const { world } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const what = `publish ${installation.client_id}/obj/x`
      const device = await connected(user)
      assert.equal(await may(device, what), true)
      await world.setGrants(user.id, ['mqtt/subscribe/#'])
      assert.equal(await may(device, what), false)
      await world.setGrants(user.id, ['mqtt/#'])
      assert.equal(await may(device, what), true)
      await deleteToken(user)
      assert.equal(await may(device, what), false)
      assert.equal(await mosquittoMay(device, `read ${installation.client_id}/obj/x`), false)
      const byPassword = { clientid: device.clientid, username: user.email }
      assert.deepEqual(await signIn({ ...byPassword, password: user.password }), allow)
      assert.equal(await may(byPassword, what), true)
      assert.equal(await may(device, what), false)
      await world.request(`DELETE /api/v2/user/${user.id}`, { as: world.admin })
      assert.equal(await may(byPassword, what), false)

      const line = `POST /api/v2/gateway/credentials/${installation.id}`
      const { json } = await world.request(line, { as: world.admin })
      const { mqtt_username = '', mqtt_password = '' } = json as Record<string, string>
      const gateway = { clientid: world.unique('edge'), username: mqtt_username }
      assert.deepEqual(await signIn({ ...gateway, password: mqtt_password }), allow)
      assert.equal(await may(gateway, what), true)
      await world.request(line, { as: world.admin })
      assert.equal(await may(gateway, what), false)
    })

    test('while the registry is away, known clients are allowed for ten minutes', async () => {
      const { world, deps } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const what = `publish ${installation.client_id}/obj/x`
      const [device, silent] = [await connected(user), await connected(user)]
      assert.equal(await may(device, what), true)
      const rename = (from: string, to: string) =>
        deps.registry.schema.alterTable(from).renameTo(to).execute()
      const isUnanswered = async ({ clientid, username }: typeof device) => {
        const topic = `${installation.client_id}/obj/x`
        const { status } = await ask('/acl', { clientid, username, topic, action: 'publish' })
        assert.ok(status >= 500, String(status))
      }
      await rename('broker_clients', 'away')
      try {
        ahead = 5 * MINUTE_MS
        assert.equal(await may(device, what), true)
        await isUnanswered({ ...device, username: 'another' })
        await isUnanswered(silent)
        ahead = 11 * MINUTE_MS
        await isUnanswered(device)
        ahead = 5 * MINUTE_MS
        assert.equal(await may(device, what), true)
        // After a known change the answer does not come from memory.
        await deleteToken(user)
        await isUnanswered(device)
      } finally {
        ahead = 0
        await rename('away', 'broker_clients')
      }
      assert.equal(await may(device, what), false)
    })

    test('a key that has expired is refused, and a restricted key may do what its list says', async () => {
      const { world } = platform
      const { installation, user } = await world.site(['mqtt/#', 'user/#'])
      const what = `publish ${installation.client_id}/obj/x`
      const key = async (body: object) => {
        const line = 'POST /api/v2/user/me/security/token'
        const { status, json, text } = await world.request(line, { as: user, body })
        assert.equal(status, 200, text)
        return connected(json as Account)
      }
      const expire = Math.floor(Date.now() / 1000) + 3600
      const short = await key({ name: 'short', expire })
      const narrow = await key({ name: 'narrow', permissions: ['mqtt/subscribe/all'] })
      assert.equal(await may(short, what), true)
      assert.equal(await may(narrow, what), false)
      assert.equal(await may(narrow, `subscribe ${installation.client_id}/#`), true)
      ahead = 3_601_000
      assert.equal(await may(short, what), false)
      ahead = 0
    })

    test('a restricted key has its own client ids and cannot use the sessions of a wider key', async () => {
      const { world } = platform
      const { installation, user } = await world.site(['mqtt/#', 'user/#'])
      const key = async (name: string) => {
        const body = { name, permissions: ['mqtt/publish/all'] }
        const line = 'POST /api/v2/user/me/security/token'
        return (await world.request(line, { as: user, body })).json as Account
      }
      const [one, two] = [await key('one'), await key('two')]
      const [wide, narrow] = [await connected(user), await connected(one)]
      assert.deepEqual(await signIn({ ...wide, password: one.token }), deny)
      assert.deepEqual(await signIn({ ...narrow, password: two.token }), deny)
      assert.deepEqual(await signIn({ ...narrow, password: user.token }), deny)
      assert.deepEqual(await signIn({ ...narrow, password: one.token }), allow)
      assert.equal(await may(narrow, `publish ${installation.client_id}/obj/x`), true)
      assert.equal(await may(wide, `subscribe ${installation.client_id}/#`), true)
    })

    test('a client id belongs to its principal until nobody has used it for a long time', async () => {
      const { world } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const thief = await world.user({})
      const what = `publish ${installation.client_id}/obj/x`
      const device = await connected(user)
      const { clientid } = device
      assert.deepEqual(await signIn({ ...device, password: thief.token }), deny)
      assert.equal(await may(device, what), true)
      // The same principal takes over with any credential.
      const again = { clientid, username: user.email }
      assert.deepEqual(await signIn({ ...again, password: user.password }), allow)
      assert.deepEqual(await signIn({ ...device, password: thief.token }), deny)
      ahead = 29 * DAY_MS
      assert.equal(await may(again, what), true)
      ahead = 58 * DAY_MS
      assert.deepEqual(await signIn({ clientid, username: 'x', password: user.token }), deny)
      assert.deepEqual(await signIn({ ...again, password: user.password }), allow)
      ahead = 89 * DAY_MS
      const late = await world.user({})
      assert.deepEqual(await signIn({ ...device, password: late.token }), deny)
      await platform.deps.brokerAccess.freeUnused(Date.now() + 58.5 * DAY_MS, async () => true)
      assert.deepEqual(await signIn({ ...device, password: late.token }), allow)
      assert.equal(await may(again, what), false)
      ahead = 0
    })

    test('wrong passwords lock the account for their address, and nothing else', slow, async () => {
      const { world } = platform
      const [user, other] = [await world.user({}), await world.user({})]
      const clientid = world.unique('device')
      const tryFrom = (peerhost: string, account: Account, password: string) =>
        signIn({ clientid, username: account.email, password, peerhost })
      for (let i = 0; i < 10; i++) await tryFrom('10.9.9.9', user, 'wrong')
      assert.deepEqual(await tryFrom('10.9.9.9', user, user.password), deny)
      assert.deepEqual(await tryFrom('10.9.9.8', user, user.password), allow)
      // If the address is not known, wrong passwords of other accounts do not lock an account.
      const byMosquitto = (username: string, password: string, id = world.unique('m')) =>
        ask('/mosquitto/user', { clientid: id, username, password })
      for (let i = 0; i < 12; i++) {
        assert.equal((await byMosquitto(`nobody${i}@example.org`, 'wrong')).status, 403)
      }
      assert.equal((await byMosquitto(other.email, other.password)).status, 200)
      // Nobody can lock out the platform itself.
      for (let i = 0; i < 20; i++) await byMosquitto('caracal', 'wrong')
      assert.equal((await byMosquitto('caracal', 'own password')).status, 200)
    })

    test('hostile input is 400 or a refusal, never 500', async () => {
      const { world } = platform
      const user = await world.user({})
      const f = async (path: string, body: unknown, want: number, headers = {}) => {
        const { status, text } = await ask(path, body, { ...asBroker, ...headers })
        assert.equal(status, want, `${path} ${JSON.stringify(body).slice(0, 80)}: ${text}`)
      }
      await f('/auth', '', 400)
      await f('/auth', '[]', 400)
      await f('/auth', { clientid: 5 }, 400)
      await f('/auth', { clientid: 'a\0b', username: 'x', password: 'x' }, 400)
      await f('/auth', { clientid: 'x'.repeat(70_000) }, 400)
      await f('/auth', { clientid: '__proto__', username: 'toString', password: user.token }, 200)
      await f('/acl', { clientid: 'x', topic: 'x' }, 400)
      await f('/acl', { clientid: 'x', topic: 'x', action: 'all' }, 400)
      await f('/acl', { clientid: '🐈\ud800', topic: '\ud800/#', action: 'subscribe' }, 200)
      await f('/mosquitto/acl', { topic: 'x', acc: '2' }, 400)
      await f('/mosquitto/acl', { topic: 'x', acc: 1.5 }, 400)
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      await f('/mosquitto/acl', 'topic=x&acc=nan', 400, form)
      await f('/mosquitto/acl', 'acc=2', 400, form)
      await f('/mosquitto/user', `clientid=a%00b&username=x&password=${user.token}`, 403, form)
      await f('/mosquitto/user', '%%%', 403, form)
      await f('/mosquitto/user', '', 400)
    })

    test('an open connection is closed when its credential ends, and its session stays', async (t) => {
      const { world, deps } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const topic = `${installation.client_id}/set/x`
      const [clean, kept, other] = [
        await connected(user),
        await connected(user),
        await connected(world.admin)
      ]
      const open = async ({ clientid }: SignIn, isClean: boolean) => {
        const client = await mqttClient(t, mosquitto.port, { clientId: clientid, clean: isClean })
        await client.subscribe(topic)
        return client
      }
      const clients = [await open(clean, true), await open(kept, false), await open(other, true)]
      const isOpen = () => clients.map(({ mqtt }) => mqtt.connected)
      await deps.bus.publish(topic, 'before', { qos: 1 })
      await eventually(() => {
        assert.deepEqual(
          clients.flatMap((client) => client.payloads()),
          ['before', 'before', 'before']
        )
      })
      assert.deepEqual(isOpen(), [true, true, true])
      await deleteToken(user)
      await eventually(() => assert.deepEqual(isOpen(), [false, false, true]))
      await deps.bus.publish(topic, 'while away', { qos: 1 })
      await eventually(async () => {
        assert.equal((await findBrokerClient(deps.registry, kept.clientid))?.sealed, '')
        assert.equal((await findBrokerClient(deps.registry, clean.clientid))?.sealed, '')
      })
      // The owner comes back, and the queue is there.
      const byPassword = { username: user.email, password: user.password }
      assert.deepEqual(await signIn({ clientid: kept.clientid, ...byPassword }), allow)
      const back = await mqttClient(t, mosquitto.port, { clientId: kept.clientid, clean: false })
      assert.equal(back.sessionPresent, true)
      await eventually(() => assert.deepEqual(back.payloads(), ['while away']))
    })

    const rowOf = (clientid: string) => findBrokerClient(platform.deps.registry, clientid)
    const gatewayOf = async (installationId: number) => {
      const line = `POST /api/v2/gateway/credentials/${installationId}`
      const { json } = await platform.world.request(line, { as: platform.world.admin })
      const { mqtt_client_id, mqtt_username, mqtt_password } = json as Record<string, string>
      const password = mqtt_password ?? ''
      return { clientid: mqtt_client_id ?? '', username: mqtt_username ?? '', password }
    }

    test('the client id of a gateway is refused to those who may not publish there', async () => {
      const { world } = platform
      const { installation, user: member } = await world.site(['mqtt/publish/all', 'user/#'])
      const { installation: other, user: stranger } = await world.site(['mqtt/#'])
      const key = await world.request('POST /api/v2/user/me/security/token', {
        ...{ as: member, body: { name: 'narrow', permissions: ['user/#'] } }
      })
      const neighbour = await gatewayOf(other.id)
      const clientid = `edge-${installation.client_id}`
      const refused: SignIn[] = [
        { clientid, username: 'x', password: stranger.token },
        { clientid, username: 'x', password: (key.json as Account).token },
        { ...neighbour, clientid },
        { clientid: 'edge-999999', username: 'x', password: stranger.token },
        { clientid: 'edge-999999', username: 'x', password: world.admin.token }
      ]
      for (const body of refused) {
        assert.deepEqual(await signIn(body), deny)
        assert.equal((await ask('/mosquitto/user', body)).status, 403)
        assert.equal(await rowOf(body.clientid), undefined)
      }
      const account = { clientid, username: 'x', password: member.token }
      assert.deepEqual(await signIn(account), allow)
    })

    test('a gateway gets its own client id, and nothing that the broker kept for another', async (t) => {
      const { world, deps } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const topic = `${installation.client_id}/set/x`
      const gateway = await gatewayOf(installation.id)
      const { clientid } = gateway
      const account = { clientid, username: 'x', password: user.token }
      assert.deepEqual(await signIn(account), allow)
      const admin = { ...account, password: world.admin.token }
      assert.deepEqual(await signIn(admin), deny)
      const open = () => mqttClient(t, mosquitto.port, { clientId: clientid, clean: false })
      const before = await open()
      await before.subscribe(topic)
      await deps.bus.publish(topic, 'for another', { qos: 1 })
      await eventually(() => assert.equal(before.messages.length, 1))

      // The broker waits for this answer. The old session ends after it, and the gateway tries again.
      assert.deepEqual(await signIn(gateway), deny)
      assert.equal(await may(account, `publish ${topic}`), false)
      for (const body of [gateway, account, admin]) assert.deepEqual(await signIn(body), deny)
      await deps.bus.publish(topic, 'for nobody', { qos: 1 })
      await (deps.bus as PlatformBus).recheck()
      await eventually(() => assert.equal(before.mqtt.connected, false))
      for (const body of [account, admin]) assert.deepEqual(await signIn(body), deny)
      assert.deepEqual(await signIn(gateway), allow)
      assert.equal(await may(gateway, `publish ${topic}`), true)
      const edge = await open()
      assert.equal(edge.sessionPresent, false)
      await deps.bus.publish(topic, 'later', { qos: 1 })
      await edge.subscribe(topic)
      await deps.bus.publish(topic, 'for it', { qos: 1 })
      await eventually(() => assert.deepEqual(edge.payloads(), ['for it']))
      assert.deepEqual(await signIn(account), deny)
    })

    test(
      'a gateway waits for its client id while the other connection cannot be closed',
      slow,
      async () => {
        const { world, deps } = platform
        const { installation, user } = await world.site(['mqtt/#'])
        const gateway = await gatewayOf(installation.id)
        const { clientid } = gateway
        const { brokerAccess } = deps
        const isRefused = async () => {
          const user = { ...gateway, clientId: clientid }
          assert.equal(await brokerAccess.signIn(user, gateway.password, ''), 'refused')
        }
        const account = { clientid, username: 'x', password: user.token }
        assert.deepEqual(await signIn(account), allow)
        await mosquitto.stop('SIGTERM')
        try {
          await isRefused()
          await brokerAccess.cutOffEnded(async () => false)
          await isRefused()
        } finally {
          await mosquitto.start()
          await isRead()
        }
        await eventually(async () => assert.deepEqual(await signIn(gateway), allow))
      }
    )

    test('the client ids of a deleted account are free, those of an account that signed out are not', async (t) => {
      const { world, deps } = platform
      const { installation, user } = await world.site(['mqtt/#', 'user/#'])
      const topic = `${installation.client_id}/set/x`
      const line = 'POST /api/v2/user/me/security/token'
      const body = { name: 'narrow', permissions: ['mqtt/subscribe/all'] }
      const key = (await world.request(line, { as: user, body })).json as Account
      const signedOut = await world.user({})
      const next = await world.user({})
      const [byToken, byKey, left] = [
        await connected(user),
        await connected(key),
        await connected(signedOut)
      ]
      const gateway = { ...(await gatewayOf(installation.id)), clientid: world.unique('edge') }
      assert.deepEqual(await signIn(gateway), allow)
      const open = ({ clientid }: SignIn) =>
        mqttClient(t, mosquitto.port, { clientId: clientid, clean: false })
      const clients = [await open(byToken), await open(byKey)]
      for (const client of clients) {
        await client.subscribe(topic)
        await client.mqtt.endAsync()
      }
      await deps.bus.publish(topic, 'kept', { qos: 1 })
      await deleteToken(user)
      await deleteToken(signedOut)
      const sealed = async ({ clientid }: SignIn) => (await rowOf(clientid))?.sealed
      await eventually(async () => {
        assert.deepEqual([await sealed(byToken), await sealed(left)], ['', ''])
      })
      for (const device of [byToken, byKey, left]) {
        assert.deepEqual(await signIn({ ...device, password: next.token }), deny)
      }

      await world.request(`DELETE /api/v2/user/${user.id}`, { as: world.admin })
      await world.request(`DELETE /api/v2/installation/${installation.id}`, { as: world.admin })
      for (const device of [byToken, byKey, gateway]) {
        await eventually(async () => assert.equal(await rowOf(device.clientid), undefined))
        assert.deepEqual(await signIn({ ...device, password: next.token }), allow)
        const { sessionPresent } = await open(device)
        assert.equal(sessionPresent, false)
      }
      assert.deepEqual(await signIn({ ...left, password: next.token }), deny)
      const { email: username, password } = signedOut
      assert.deepEqual(await signIn({ ...left, username, password }), allow)
    })

    test('the requests of mosquitto-go-auth work exactly as it sends them', async () => {
      const { world, httpPort } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const clientid = world.unique('device')
      // Go sends the text before the @ of http_host as Basic, and the keys of a map in order.
      const head = (path: string, type: string) => [
        `POST /broker/mosquitto/${path} HTTP/1.1`,
        `Host: 127.0.0.1:${httpPort}`,
        'User-Agent: mosquitto-go-auth-2.1.0',
        `Authorization: Basic ${btoa(`caracal:${KEY}`)}`,
        `Content-Type: ${type}`,
        'Accept-Encoding: gzip'
      ]
      const send = (path: string, body: object) =>
        raw(httpPort, head(path, 'application/json'), JSON.stringify(body))
      const sendForm = (path: string, body: string) =>
        raw(httpPort, head(path, 'application/x-www-form-urlencoded'), body)
      const topic = `${installation.client_id}/obj/x`
      const yes = { status: 200, body: '{"ok":true}' }
      const no = { status: 403, body: '{"message":"Forbidden"}' }
      assert.deepEqual(await send('user', { clientid, password: user.token, username: 'd' }), yes)
      assert.deepEqual(await send('user', { clientid, password: 'wrong', username: 'd' }), no)
      // Only other configurations ask this. Nobody is a superuser, whatever the name.
      assert.equal((await send('superuser', { username: 'caracal' })).status, 404)
      assert.deepEqual(await send('acl', { acc: 2, clientid, topic, username: 'd' }), yes)
      assert.deepEqual(await send('acl', { acc: 2, clientid, topic: '1/x', username: 'd' }), no)
      const text = `clientid=${clientid}&password=${user.token}&username=d`
      assert.deepEqual(await sendForm('user', text), yes)
      const at = encodeURIComponent(topic)
      assert.deepEqual(
        await sendForm('acl', `acc=4&clientid=${clientid}&topic=${at}&username=d`),
        yes
      )
      assert.deepEqual(await sendForm('acl', `acc=4&clientid=${clientid}&topic=%23&username=e`), no)
    })

    test('the requests of EMQX work exactly as it sends them', async () => {
      const { world, httpPort } = platform
      const { installation, user } = await world.site(['mqtt/#'])
      const clientid = world.unique('device')
      const send = (path: string, body: object) =>
        raw(
          httpPort,
          [
            `POST /broker/${path} HTTP/1.1`,
            `host: 127.0.0.1:${httpPort}`,
            'accept: application/json',
            `authorization: Bearer ${KEY}`,
            'cache-control: no-cache',
            'connection: keep-alive',
            'content-type: application/json',
            'keep-alive: timeout=30, max=1000'
          ],
          JSON.stringify(body)
        )
      const device = { clientid, username: 'undefined', peerhost: '10.0.0.1' }
      assert.deepEqual(await send('auth', { ...device, password: user.token }), {
        status: 200,
        body: '{"result":"allow","is_superuser":false}'
      })
      const question = { ...device, topic: `${installation.client_id}/obj/x`, action: 'publish' }
      assert.deepEqual(await send('acl', question), { status: 200, body: '{"result":"allow"}' })
      assert.deepEqual(await send('acl', { ...question, topic: '1/x' }), {
        status: 200,
        body: '{"result":"deny"}'
      })
    })

    test('a client id that nobody has used for a long time is free after its connection was closed', async (t) => {
      const { world, deps } = platform
      const { clientid } = await connected(await world.user({}))
      const client = await mqttClient(t, mosquitto.port, { clientId: clientid, clean: false })
      const isThere = async () => (await findBrokerClient(deps.registry, clientid)) !== undefined
      const bus = deps.bus as PlatformBus
      await bus.endSessionsUnusedSince(Date.now() - DAY_MS)
      assert.deepEqual([await isThere(), client.mqtt.connected], [true, true])
      // A client that cannot be disconnected keeps its client id.
      await deps.brokerAccess.freeUnused(Date.now() + DAY_MS, async () => false)
      assert.equal(await isThere(), true)
      assert.ok((await bus.endSessionsUnusedSince(Date.now() + DAY_MS)) > 0)
      assert.equal(await isThere(), false)
      await eventually(() => assert.equal(client.mqtt.connected, false))
      // The next owner does not get the session of the one before.
      const next = await mqttClient(t, mosquitto.port, { clientId: clientid, clean: false })
      assert.equal(next.sessionPresent, false)
    })

    test('a client that comes back while it is disconnected keeps its client id', async () => {
      const { world, deps } = platform
      const user = await world.user({})
      const device = await connected(user)
      ahead = 2 * MINUTE_MS
      await deps.brokerAccess.freeUnused(Date.now() + MINUTE_MS, async (clientid) => {
        if (clientid === device.clientid) await signIn({ ...device, password: user.token })
        return true
      })
      ahead = 0
      assert.ok(await findBrokerClient(deps.registry, device.clientid))
    })

    test('above the limit new client ids are refused, and the existing ones stay', async () => {
      const { world, deps } = platform
      const [user, other] = [await world.user({}), await world.user({})]
      const device = await connected(user)
      const owner = `user:${user.id}`
      await sql`insert into broker_clients (client_id, username, owner, sealed, seen)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 99999)
        select 'many-' || i, 'any', cast(${owner} as text), '', 1 from n`.execute(deps.registry)
      const next = { clientid: world.unique('device'), username: 'any' }
      assert.deepEqual(await signIn({ ...next, password: user.token }), deny)
      assert.deepEqual(await signIn({ ...device, password: user.token }), allow)
      assert.deepEqual(await signIn({ ...next, password: other.token }), allow)
      await deps.registry.deleteFrom('broker_clients').where('owner', '=', owner).execute()
    })

    test('only the platform is let in before messages are read', async () => {
      const { world } = platform
      const user = await world.user({})
      const device = { clientid: world.unique('device'), username: 'x', password: user.token }
      const own = { clientid: 'caracal-x', username: 'caracal', password: 'own password' }
      const statusOf = async (body: object): Promise<Answer['status']> =>
        (await ask('/mosquitto/user', body)).status
      assert.equal(await statusOf(device), 200)
      await mosquitto.stop('SIGTERM')
      await eventually(async () => assert.equal(await statusOf(device), 503))
      assert.equal(await statusOf(own), 200)
      // For EMQX 503 is like any other failure.
      assert.deepEqual(await signIn(device), deny)
      assert.deepEqual(await signIn(own), { result: 'allow', is_superuser: true })
      await mosquitto.start()
      await isRead()
      assert.equal(await statusOf(device), 200)
    })
  })
})
