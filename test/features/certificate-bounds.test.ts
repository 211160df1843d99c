import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Authority } from '../../src/features/certificate/authority.ts'
import { MAX_IN_USE, MAX_TOGETHER } from '../../src/features/certificate/rows.ts'
import { CertificateThread } from '../../src/features/certificate/thread.ts'
import { DAY, MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { firstRoles } from '../../src/permission/catalogue.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { makeAuthority, makeClient, makeRequest } from '../support/authority.ts'
import { trustedTls } from '../support/certified.ts'
import { eventually } from '../support/eventually.ts'
import { longestRound } from '../support/loop.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onEveryRegistry, onRegistryMatrix } from '../support/registries.ts'

const base = '/api/v2/certificate'
const MOST_MS = 20

const pem = (der: Buffer, label: string) =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`

/** Sequences in sequences, as many as fit in so many bytes. */
function nested(bytes: number): Buffer {
  let inner: Buffer = Buffer.from([5, 0])
  while (inner.length < bytes) {
    const { length } = inner
    const head =
      length < 128
        ? [0x30, length]
        : length < 256
          ? [0x30, 0x81, length]
          : [0x30, 0x82, length >> 8, length & 255]
    inner = Buffer.concat([Buffer.from(head), inner])
  }
  return inner
}

/** Many small elements beside each other. */
const flat = (bytes: number): Buffer =>
  Buffer.concat([
    Buffer.from([0x30, 0x82, bytes >> 8, bytes & 255]),
    Buffer.from('0500'.repeat(bytes / 2), 'hex')
  ])

onRegistryMatrix('the bounds of client certificates', (engine) => {
  const authority = makeAuthority('works')
  const { caPath: _, ...settings } = trustedTls(authority.cert)
  let ahead = 0
  let platform: TestPlatform
  before(async () => {
    platform = await startTestPlatform({
      registryUrl: await engine.url(),
      settings,
      clock: () => unixMs(Date.now() + ahead)
    })
  })
  after(() => platform.stop())
  const ask = (line: string, body?: unknown) =>
    platform.world.request(line, { as: platform.world.admin, body })

  describe('hostile texts are 400, and hold nothing up', () => {
    const good = makeClient('good', authority).cert
    const texts: Record<string, string> = {
      garbage: 'x'.repeat(16_000),
      'an empty certificate': '-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----',
      'no certificate': pem(Buffer.from('hello'), 'CERTIFICATE'),
      'deep sequences': pem(nested(11_000), 'CERTIFICATE'),
      'wide sequences': pem(flat(11_000), 'CERTIFICATE'),
      'many beginnings': '-----BEGIN CERTIFICATE-----'.repeat(600),
      'too many certificates': good.repeat(6),
      'a deep request': pem(nested(11_000), 'CERTIFICATE REQUEST'),
      'a wide request': pem(flat(11_000), 'CERTIFICATE REQUEST'),
      'a truncated one': good.slice(0, -80),
      'text with NUL': '\0'.repeat(1000),
      'too long': good.repeat(40)
    }
    for (const [what, text] of Object.entries(texts)) {
      test(what, async (t) => {
        const { id } = await platform.world.installation()
        // The thread starts and the code is compiled.
        await ask(`POST ${base}/${id}`, { name: 'x' })
        const longest = await longestRound(MOST_MS, async () => {
          for (let i = 0; i < 5; i++) {
            const registering = { name: 'x', certificate: text }
            const { status, text: why } = await ask(`POST ${base}/${id}/register`, registering)
            assert.equal(status, 400, why)
            const issuing = await ask(`POST ${base}/${id}`, { name: 'x', csr: text })
            assert.equal(issuing.status, 400, issuing.text)
          }
        })
        t.diagnostic(`${longest.toFixed(1)} ms`)
        assert(longest < MOST_MS, `${longest} ms`)
      })
    }

    test('a request with a weak, huge or strange key, or with the signature of another', async () => {
      const { id } = await platform.world.installation()
      const refused = async (csr: string, why: RegExp) => {
        const { status, text } = await ask(`POST ${base}/${id}`, { name: 'x', csr })
        assert.equal(status, 400)
        assert.match(text, why)
      }
      await refused(makeRequest('weak', ['rsa', '1024']).cert, /an RSA key of 2048 to 4096 bits/)
      await refused(makeRequest('huge', ['rsa', '5120']).cert, /an RSA key of 2048 to 4096 bits/)
      await refused(makeRequest('curve', ['ec', 'secp256k1']).cert, /curve P-256 or P-384/)
      const [one, two] = [makeRequest('one').cert, makeRequest('one').cert].map((text) =>
        Buffer.from(text.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
      ) as [Buffer, Buffer]
      // The part that is signed is as long in both; the key of one gets the signature of the other.
      const end = one.indexOf(Buffer.from('300a06082a8648ce3d040302', 'hex'))
      const mixed = Buffer.concat([one.subarray(0, end), two.subarray(end)])
      mixed.writeUInt16BE(mixed.length - 4, 2)
      await refused(pem(mixed, 'CERTIFICATE REQUEST'), /must be/)
    })
  })

  test('days and names have bounds', async () => {
    const { id } = await platform.world.installation()
    for (const body of [{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 'x', days: 0 }]) {
      assert.equal((await ask(`POST ${base}/${id}`, body)).status, 400)
    }
    assert.equal((await ask(`POST ${base}/${id}`, { name: 'x', days: 3651 })).status, 400)
    assert.equal((await ask(`POST ${base}/${id}`, { name: 'x', days: 3650 })).status, 200)
    assert.equal(
      (await ask(`POST ${base}/${id}`, { name: 'x', mount: { prefix: 'obj' } })).status,
      400
    )
  })

  test('an installation has so many in use, and so many together; the list has pages', async () => {
    const { id } = await platform.world.installation()
    const { registry } = platform.deps
    const row = (i: number, more: object) => ({
      ...{ installation_id: id, name: `${i}`, fingerprint: `${id} ${i}`, subject: '' },
      ...{ is_issued: 0 as const, mount_prefix: null, not_before: 0, created: 0 },
      ...{ not_after: Date.now() + DAY, revoked: null, ...more }
    })
    const used = Array.from({ length: MAX_IN_USE }, (_, i) => row(i, {}))
    await registry.insertInto('certificates').values(used).execute()
    const full = await ask(`POST ${base}/${id}`, { name: 'x' })
    assert.equal(full.status, 409)
    assert.match(full.text, /at most 200 certificates in use: revoke one first/)
    const page = await ask(`GET ${base}/${id}?limit=2&offset=1`)
    assert.deepEqual(
      (page.json as { name: string }[]).map(({ name }) => name),
      ['198', '197']
    )
    // Revoked ones of another authority are remembered; those that can go make room.
    await registry
      .updateTable('certificates')
      .set({ revoked: 1 })
      .where('installation_id', '=', id)
      .execute()
    const ended = Array.from({ length: MAX_TOGETHER - MAX_IN_USE }, (_, i) =>
      row(MAX_IN_USE + i, i === 7 ? { not_after: 1 } : { revoked: 1 })
    )
    await registry.insertInto('certificates').values(ended).execute()
    assert.equal((await ask(`POST ${base}/${id}`, { name: 'new' })).status, 200)
    const newer = await ask(`POST ${base}/${id}`, { name: 'newer' })
    assert.equal(newer.status, 409)
    assert.match(newer.text, /none of the 500 certificates can be forgotten yet/)
    const all = (await ask(`GET ${base}/${id}?limit=500`)).json as { name: string }[]
    assert.equal(all.length, MAX_TOGETHER)
    assert.equal(
      all.some(({ name }) => name === '207'),
      false
    )
    await registry.deleteFrom('certificates').where('installation_id', '=', id).execute()
  })

  test('a key that is restricted issues only if it has what the certificate gives', async () => {
    const { id } = await platform.world.installation()
    const { world } = platform
    const keyOf = async (permissions: string[]) => {
      const { json } = await ask('POST /api/v2/user/me/security/token', { name: 'k', permissions })
      return { token: (json as { token: string }).token }
    }
    const narrow = await keyOf(['certificate/issue/all'])
    const body = { name: 'x' }
    assert.equal((await world.request(`POST ${base}/${id}`, { as: narrow, body })).status, 403)
    const wide = await keyOf(['#'])
    assert.equal((await world.request(`POST ${base}/${id}`, { as: wide, body })).status, 200)
  })

  test('the trace tells who issued and revoked, and never the key', async () => {
    const { id } = await platform.world.installation()
    const { json, text } = await ask(`POST ${base}/${id}`, { name: 'traced' })
    const certificate = json as { id: number; private_key: string }
    assert.match(text, /BEGIN PRIVATE KEY/)
    await ask(`POST ${base}/${id}/${certificate.id}/revoke`)
    await ask(`POST ${base}/${id}/${certificate.id}/revoke`)
    await eventually(async () => {
      const object = `object_type=certificate&object_id=${certificate.id}`
      const trace = await ask(`GET /api/v2/trace?${object}&order=asc`)
      const { data } = trace.json as { data: { action: string; description: string }[] }
      assert.deepEqual(
        data.map(({ action }) => action),
        ['create', 'update']
      )
      assert.match(data[1]?.description ?? '', /revoked/)
      assert.doesNotMatch(trace.text, /PRIVATE KEY/)
    })
    assert.doesNotMatch(JSON.stringify(platform.logged), /PRIVATE KEY/)
    const rows = await platform.deps.registry.selectFrom('certificates').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /PRIVATE KEY/)
  })

  test('health warns of what ends, and does not fail; metrics count it', async () => {
    const { registry } = platform.deps
    await registry.deleteFrom('certificates').execute()
    const health = async () => {
      ahead += 2 * MINUTE
      const { status, json } = await ask('GET /health/ready')
      assert.equal(status, 200)
      return (json as { certificates?: Record<string, unknown> }).certificates
    }
    assert.equal(await health(), undefined)
    const { id } = await platform.world.installation()
    const issued = await ask(`POST ${base}/${id}`, { name: 'long', days: 100 })
    const { not_after } = issued.json as { not_after: number }
    const well = await health()
    assert.deepEqual([well?.['ok'], well?.['expired'], well?.['expiring']], [true, 0, 0])
    assert.equal(well?.['next'], not_after)
    await ask(`POST ${base}/${id}`, { name: 'soon', days: 20 })
    const warned = await health()
    assert.deepEqual([warned?.['ok'], warned?.['expired'], warned?.['expiring']], [false, 0, 1])
    assert.match(
      String(warned?.['detail']),
      /^0 expired, 1 end within 30 days; the next one ends at /
    )
    ahead += 21 * DAY
    const ended = await health()
    assert.deepEqual([ended?.['ok'], ended?.['expired'], ended?.['expiring']], [false, 1, 0])
    const { text } = await ask('GET /metrics')
    assert.match(text, /caracal_client_certificates\{status="valid"\} 1\n/)
    assert.match(text, /caracal_client_certificates\{status="expired"\} 1\n/)
    const next = `caracal_client_certificate_next_expiry_timestamp_seconds ${not_after}\n`
    assert(text.includes(next))
    ahead = 0
  })

  test('the first roles have what they should', () => {
    const of = (name: string) =>
      Object.keys(firstRoles.find((role) => role.name === name)?.permissions ?? {}).filter((one) =>
        one.startsWith('certificate/')
      )
    assert.deepEqual(of('Manager'), ['certificate/issue/all', 'certificate/revoke/all'])
    assert.deepEqual(of('User'), [])
  })
})

onEveryRegistry('the authority of the platform', (engine) => {
  test('two nodes that need it at once make one', async () => {
    const url = await engine.url()
    const platform = await startTestPlatform({ registryUrl: url })
    const registry = await openRegistry({ url, dataDir: platform.dataDir })
    const threads = [new CertificateThread(), new CertificateThread()]
    const nodes = [platform.deps.registry, registry].map((registry, i) => {
      const thread = threads[i] as CertificateThread
      return new Authority({ registry, thread, clock: () => unixMs(Date.now()), onKnown: () => {} })
    })
    const pairs = await Promise.all(nodes.flatMap((node) => [node.get(), node.get()]))
    assert.equal(new Set(pairs.map(({ certificate }) => certificate)).size, 1)
    assert.equal(new Set(pairs.map(({ private_key }) => private_key)).size, 1)
    for (const thread of threads) await thread.close()
    await registry.destroy()
    await platform.stop()
  })
})
