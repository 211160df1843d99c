import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { DAY, HOUR, unixMs } from '../../src/lib/unix-time.ts'
import {
  CLIENT,
  makeAuthority,
  makeClient,
  makePair,
  makeRequest,
  type Pair
} from '../support/authority.ts'
import { mqttsUrl, signInOver, trustedTls } from '../support/certified.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'

type Issued = {
  id: number
  certificate: string
  authority: string
  private_key: string
  fingerprint: string
  status: string
  not_after: number
}
const base = '/api/v2/certificate'

onRegistryMatrix('client certificates', (engine) => {
  const authority = makeAuthority('works')
  const other = makeAuthority('works')
  const between = makeAuthority('between', authority)
  const tls = trustedTls(authority.cert)
  let ahead = 0
  let platform: TestPlatform
  before(async () => {
    const { caPath: _, ...settings } = tls
    platform = await startTestPlatform({
      registryUrl: await engine.url(),
      settings,
      clock: () => unixMs(Date.now() + ahead)
    })
  })
  after(() => platform.stop())

  const ask = (line: string, body?: unknown) =>
    platform.world.request(line, { as: platform.world.admin, body })
  const issue = async (installationId: number, body: object = {}) => {
    const answer = await ask(`POST ${base}/${installationId}`, { name: 'one', ...body })
    assert.equal(answer.status, 200, answer.text)
    return answer.json as Issued
  }
  const register = (installationId: number, certificate: string) =>
    ask(`POST ${base}/${installationId}/register`, { name: 'own', certificate })
  const revoke = (installationId: number, id: number) =>
    ask(`POST ${base}/${installationId}/${id}/revoke`)
  const signIn = (pair: Partial<Pair>, options: object = {}) =>
    signInOver(mqttsUrl(platform), { ...pair, ...options })
  const pairOf = ({ certificate: cert, private_key: key }: Issued): Pair => ({ cert, key })
  const refused = async (pair: Pair, text: RegExp, options: object = {}) => {
    const newer = await signIn(pair, options)
    assert.equal(newer.code, 0x87)
    assert.match(newer.text ?? '', text)
    const older = await signIn(pair, { protocolVersion: 4, ...options })
    assert.equal(older.code, 5)
  }

  test('a client without a certificate signs in with a password as before', async () => {
    const installation = await platform.world.installation()
    const { json } = await ask(`POST /api/v2/gateway/credentials/${installation.id}`)
    const { mqtt_username: username, mqtt_password: password } = json as Record<string, string>
    const { client, code } = await signIn({}, { username, password })
    assert.equal(code, 0)
    client.end(true)
    assert.equal((await signIn({}, { username, password: 'wrong' })).code, 0x86)
  })

  test('an issued certificate is the gateway of its installation, and of no other', async () => {
    const [mine, others] = [
      await platform.world.installation(),
      await platform.world.installation()
    ]
    const issued = await issue(mine.id)
    const x509 = new X509Certificate(issued.certificate)
    assert.equal(x509.subject, `CN=${mine.client_id}`)
    assert(x509.verify(new X509Certificate(issued.authority).publicKey))
    const { json } = await ask(`GET ${base}/authority`)
    assert.equal((json as { certificate: string }).certificate, issued.authority)
    for (const protocolVersion of [4, 5] as const) {
      const { client, code } = await signIn(pairOf(issued), { protocolVersion })
      assert.equal(code, 0)
      const granted = async (filter: string) =>
        new Promise((resolve) => {
          client.subscribe(filter, { qos: 0 }, (_error, _granted, packet) =>
            resolve(Number(packet?.granted[0]))
          )
        })
      assert.equal(await granted(`${mine.client_id}/set/#`), 0)
      assert((Number(await granted(`${others.client_id}/set/#`)) & 0x80) !== 0)
      assert((Number(await granted('#')) & 0x80) !== 0)
      await client.publishAsync(`${mine.client_id}/obj/a`, '{"value": 5}', { qos: 1 })
      await client
        .publishAsync(`${others.client_id}/obj/a`, '{"value": 6}', { qos: 1 })
        .catch(() => {})
      client.end(true)
    }
    const statusOf = async (id: number) => (await ask(`GET /api/v2/status/${id}`)).json as unknown[]
    await eventually(async () => assert.equal((await statusOf(mine.id)).length, 1))
    assert.deepEqual(await statusOf(others.id), [])
  })

  test('the user name may be that of the gateway; a password is too much', async () => {
    const [mine, others] = [
      await platform.world.installation(),
      await platform.world.installation()
    ]
    const pair = pairOf(await issue(mine.id))
    const named = await signIn(pair, { username: String(mine.client_id) })
    assert.equal(named.code, 0)
    named.client.end(true)
    await refused(pair, /not for this user name/, { username: String(others.client_id) })
    await refused(pair, /no password/, { username: String(mine.client_id), password: 'x' })
    // A right password of another identity does not help either.
    await refused(pair, /no password/, { username: 'x', password: platform.world.admin.token })
  })

  test('a certificate with a mount is a device below it, not the gateway', async () => {
    const installation = await platform.world.installation()
    const pair = pairOf(await issue(installation.id, { mount: { prefix: 'dev' } }))
    const { client, code } = await signIn(pair)
    assert.equal(code, 0)
    const gateway = await signIn(pair, { clientId: `edge-${installation.client_id}` })
    assert.equal(gateway.code, 0x85)
    const watching = await platform.world.mqtt(platform.world.admin)
    await watching.subscribe(`${installation.client_id}/#`)
    await client.publishAsync('state', 'on', { qos: 1 })
    await eventually(() =>
      assert.equal(watching.messages[0]?.topic, `${installation.client_id}/dev/state`)
    )
    client.end(true)
  })

  test('a device has sessions of its own, which end with its certificate', async () => {
    const installation = await platform.world.installation()
    const mount = { prefix: 'dev' }
    const [one, two] = [
      await issue(installation.id, { mount }),
      await issue(installation.id, { mount })
    ]
    const kept = { clientId: 'same', clean: false, protocolVersion: 4 as const }
    const first = await signIn(pairOf(one), kept)
    await first.client.subscribeAsync('in/#', { qos: 1 })
    const second = await signIn(pairOf(two), kept)
    assert.equal(first.client.connected, true)
    second.client.end(true)
    first.client.end(true)
    const sessions = async () => {
      const { text } = await ask('GET /metrics')
      return Number(/^caracal_mqtt_sessions (\d+)/m.exec(text)?.[1])
    }
    const before = await sessions()
    await revoke(installation.id, one.id)
    await eventually(async () => assert.equal(await sessions(), before - 1))
  })

  describe('what is refused', () => {
    test('a certificate that nobody registered, of a known authority', () =>
      refused(makeClient('gateway', authority), /^the certificate is not registered$/))

    test('a self-signed one with the subject of a good one', async () => {
      const installation = await platform.world.installation()
      await issue(installation.id)
      await refused(makeClient(String(installation.client_id)), /not of a known authority/)
    })

    test('one of an authority with the same name and another key', async () =>
      refused(makeClient('gateway', other), /not of a known authority/))

    test('the certificate of the authority itself', async () => {
      const installation = await platform.world.installation()
      assert.equal((await register(installation.id, authority.cert)).status, 400)
      await refused(authority, /not for clients/)
      const signing = makePair({
        name: 'signs too',
        by: authority,
        extensions: ['basicConstraints=CA:TRUE', 'keyUsage=keyCertSign,digitalSignature']
      })
      assert.equal((await register(installation.id, signing.cert)).status, 400)
      await refused(signing, /not for clients/)
    })

    test('one for servers only', async () => {
      const installation = await platform.world.installation()
      const pair = makePair({
        name: 'server',
        by: authority,
        extensions: ['basicConstraints=CA:FALSE', 'extendedKeyUsage=serverAuth']
      })
      assert.equal((await register(installation.id, pair.cert)).status, 400)
      await refused(pair, /not for clients/)
    })

    test('one whose key may not sign', async () => {
      const installation = await platform.world.installation()
      const pair = makePair({
        name: 'no signature',
        by: authority,
        extensions: ['basicConstraints=CA:FALSE', 'keyUsage=critical,keyEncipherment']
      })
      await register(installation.id, pair.cert)
      await refused(pair, /not for clients/)
    })

    test('one that has expired, or is not valid yet', async () => {
      const installation = await platform.world.installation()
      const old = { from: '20200101000000Z', to: '20210101000000Z' }
      const expired = makePair({ name: 'old', by: authority, extensions: CLIENT, ...old })
      assert.match((await register(installation.id, expired.cert)).text, /must not be expired/)
      await refused(expired, /^the certificate is expired$/)
      const late = { from: '20900101000000Z', to: '20910101000000Z' }
      const early = makePair({ name: 'new', by: authority, extensions: CLIENT, ...late })
      const answer = await register(installation.id, early.cert)
      assert.equal((answer.json as Issued).status, 'pending')
      await refused(early, /^the certificate is not yet valid$/)
    })
  })

  test('one of the operator, with others between it and the authority', async () => {
    const installation = await platform.world.installation()
    const pair = makeClient('behind', between)
    const chain = `${pair.cert}\n${between.cert}`
    assert.match(
      (await register(installation.id, pair.cert)).text,
      /must be signed by an authority/
    )
    const { status, json } = await register(installation.id, chain)
    assert.equal(status, 200)
    const { client, code } = await signIn({ cert: chain, key: pair.key })
    assert.equal(code, 0)
    client.end(true)
    await refused(pair, /not of a known authority/)
    // It belongs to one installation, even after it was revoked.
    const elsewhere = await platform.world.installation()
    assert.equal((await register(elsewhere.id, chain)).status, 409)
    assert.equal((await revoke(installation.id, (json as Issued).id)).status, 200)
    await refused({ cert: chain, key: pair.key }, /^the certificate is revoked$/)
    assert.match((await register(installation.id, chain)).text, /was revoked/)
    assert.equal((await register(elsewhere.id, chain)).status, 409)
    await refused({ cert: chain, key: pair.key }, /^the certificate is revoked$/)
  })

  test('one that the platform has issued cannot be registered', async () => {
    const [mine, others] = [
      await platform.world.installation(),
      await platform.world.installation()
    ]
    const issued = await issue(mine.id)
    assert.match((await register(others.id, issued.certificate)).text, /must be signed by/)
  })

  test('revoking ends the connection at once, and only that one', async () => {
    const installation = await platform.world.installation()
    const [one, two] = [await issue(installation.id), await issue(installation.id)]
    const first = await signIn(pairOf(one), { clientId: 'a' })
    const second = await signIn(pairOf(two), { clientId: 'b' })
    const old = await signIn(pairOf(one), { clientId: 'c', protocolVersion: 4 })
    let reason = 0
    first.client.on('disconnect', ({ reasonCode = 0 }) => {
      reason = reasonCode
    })
    const elsewhere = await platform.world.installation()
    assert.equal((await revoke(elsewhere.id, one.id)).status, 404)
    const { json } = await revoke(installation.id, one.id)
    assert.equal((json as Issued).status, 'revoked')
    await eventually(() => {
      assert.equal(first.client.connected, false)
      assert.equal(old.client.connected, false)
    })
    assert.equal(reason, 0x98)
    assert.equal(second.client.connected, true)
    await refused(pairOf(one), /^the certificate is revoked$/)
    second.client.end(true)
  })

  test('no TLS session is resumed, so nothing of an earlier check counts', async () => {
    const installation = await platform.world.installation()
    const issued = await issue(installation.id)
    const { port, hostname: host } = new URL(mqttsUrl(platform))
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const open = (session?: Buffer) => {
        const socket = connectTls({
          ...{ port: Number(port), host, rejectUnauthorized: false, maxVersion },
          ...{ ...pairOf(issued), ...(session && { session }) }
        })
        let latest: Buffer | undefined
        socket.on('session', (given) => {
          latest = given
        })
        socket.on('error', () => {})
        return new Promise<{ reused: boolean; session: Buffer | undefined }>((resolve) => {
          socket.once('secureConnect', () => {
            // A session ticket of TLS 1.3 comes after the handshake.
            setTimeout(() => {
              const reused = socket.isSessionReused()
              const session = latest ?? socket.getSession()
              socket.destroy()
              resolve({ reused, session })
            }, 50)
          })
        })
      }
      const { session } = await open()
      assert.equal((await open(session)).reused, false, maxVersion)
    }
  })

  test('over WebSocket a certificate does not count', async () => {
    const installation = await platform.world.installation()
    const pair = pairOf(await issue(installation.id))
    const wss = `${platform.url.replace('https', 'wss')}/mqtt`
    assert.equal((await signInOver(wss, pair)).code, 0x86)
  })

  test('an open connection ends when its certificate expires', async () => {
    const installation = await platform.world.installation()
    const pair = pairOf(await issue(installation.id, { days: 1 }))
    const { client, code } = await signIn(pair)
    assert.equal(code, 0)
    ahead = DAY + HOUR
    try {
      await eventually(() => assert.equal(client.connected, false), 15_000)
      await refused(pair, /^the certificate is expired$/)
    } finally {
      ahead = 0
    }
  })

  test('with its installation its certificates and connections go', async () => {
    const installation = await platform.world.installation()
    const pair = pairOf(await issue(installation.id))
    const { client } = await signIn(pair)
    await ask(`DELETE /api/v2/installation/${installation.id}`)
    await eventually(() => assert.equal(client.connected, false))
    await refused(pair, /^the certificate is not registered$/)
    const { registry } = platform.deps
    const rows = await registry
      .selectFrom('certificates')
      .selectAll()
      .where('installation_id', '=', installation.id)
      .execute()
    assert.deepEqual(rows, [])
  })

  test('a request keeps its key, and its subject does not count', async () => {
    const installation = await platform.world.installation()
    for (const key of [
      ['ec', 'P-256'],
      ['ec', 'P-384'],
      ['rsa', '2048']
    ]) {
      const { cert: csr, key: own } = makeRequest('somebody else', key)
      const issued = await issue(installation.id, { csr })
      assert.equal(issued.private_key, undefined)
      const cert = issued.certificate
      assert.equal(new X509Certificate(cert).subject, `CN=${installation.client_id}`)
      const { client, code } = await signIn({ cert, key: own })
      assert.equal(code, 0)
      client.end(true)
    }
  })

  test('the authorities are read again when the file changes', async () => {
    const installation = await platform.world.installation()
    const pair = makeClient('kept', authority)
    await register(installation.id, pair.cert)
    const { client, code } = await signIn(pair)
    assert.equal(code, 0)
    const added = makeClient('added', other)
    assert.equal((await register(installation.id, added.cert)).status, 400)
    writeFileSync(tls.caPath, authority.cert + other.cert)
    await eventually(async () => {
      assert.notEqual((await register(installation.id, added.cert)).status, 400)
    }, 10_000)
    const newcomer = await signIn(added)
    assert.equal(newcomer.code, 0)
    assert.equal(client.connected, true)
    writeFileSync(tls.caPath, authority.cert)
    await eventually(() => assert.equal(newcomer.client.connected, false), 10_000)
    await refused(added, /not of a known authority/)
    writeFileSync(tls.caPath, 'nonsense')
    await eventually(
      () => assert(platform.logged.some(({ msg }) => /the old ones stay/.test(String(msg)))),
      10_000
    )
    const again = await signIn(pair)
    assert.equal(again.code, 0)
    again.client.end(true)
    writeFileSync(tls.caPath, authority.cert)
  })
})
