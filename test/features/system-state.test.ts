import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Static } from 'typebox'
import type {
  BackupState,
  ConnectedClients,
  SystemState
} from '../../src/features/system/state-schema.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const HOSTILE = "<b>%_' OR 1=1 --\\</b>"

const routes = [
  ['GET /api/v2/system', 'metrics/read'],
  ['GET /api/v2/system/history', 'metrics/read'],
  ['GET /api/v2/system/client', 'system/client/list'],
  ['GET /api/v2/system/backup', 'metrics/read'],
  ['POST /api/v2/system/backup', 'system/backup'],
  ['POST /api/v2/system/backup/verify', 'system/backup']
] as const

const everythingBut = (name: string) =>
  ['metrics/read', 'system/client/list', 'system/backup'].filter((one) => one !== name)

onRegistryMatrix('the system', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  for (const [line, permission] of routes) {
    scenario(`${line} without a token`, { request: line, expect: unauthorized })
    scenario(`${line} without the grant`, {
      given: (world) => world.user({ grants: everythingBut(permission), organizations: [1] }),
      as: (user) => user,
      request: line,
      expect: forbidden
    })
    scenario(`${line} with the grant but below the top organization`, {
      given: async (world) =>
        world.user({ grants: ['#'], organizations: [await world.organization()] }),
      as: (user) => user,
      request: line,
      expect: forbidden
    })
  }

  scenario('GET system', {
    given: (world) => world.user({ grants: ['metrics/read'], organizations: [1] }),
    as: (user) => user,
    request: 'GET /api/v2/system',
    expect: { status: 200 },
    and: ({ json }) => {
      const state = json as Static<typeof SystemState>
      assert.equal(state.broker, 'embedded')
      assert(state.disk.free > state.disk.reserve && state.spool)
      assert(Math.abs(state.started - Date.now() / 1000) < 3600)
    }
  })

  scenario('POST system backup without a folder', {
    as: () => platform().world.admin,
    request: 'POST /api/v2/system/backup',
    expect: {
      status: 400,
      body: { message: 'no folder for backups is set on this node: set CARACAL_BACKUP_DIR' }
    }
  })
  scenario('POST system backup verify without a folder', {
    as: () => platform().world.admin,
    request: 'POST /api/v2/system/backup/verify',
    expect: { status: 400 }
  })

  const clients = async (world: World, query: string, as: { token: string } = world.admin) => {
    const line = `GET /api/v2/system/client?${query}`
    const { status, json, text } = await world.request(line, { as })
    assert.equal(status, 200, text)
    return json as Static<typeof ConnectedClients>
  }

  test('GET system client says who is connected', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/#'])
    const name = `${HOSTILE} ${world.unique('site')}`
    const as = world.admin
    await world.request(`PUT /api/v2/installation/${installation.id}`, { as, body: { name } })
    const clientId = `${world.unique('client')} ${HOSTILE}`
    await world.mqtt(user, { clientId })
    const line = `POST /api/v2/gateway/credentials/${installation.id}`
    const { mqtt_username, mqtt_password } = (await world.request(line, { as })).json as Record<
      string,
      string
    >
    const gatewayId = `edge-${installation.client_id}`
    await world.mqtt(
      { token: '' },
      { clientId: gatewayId, username: mqtt_username, password: mqtt_password, protocolVersion: 5 }
    )
    const ofUser = await clients(world, `search=${encodeURIComponent(clientId)}`)
    assert.equal(ofUser.found, 1)
    const [one] = ofUser.clients
    assert(one)
    assert.deepEqual(one.account, { kind: 'user', id: user.id, name: one.account.name })
    assert.deepEqual(
      [one.client_id, one.installation, one.protocol, one.address],
      [clientId, null, '3.1.1', '127.0.0.1']
    )
    assert(Math.abs(one.since - Date.now() / 1000) < 60)
    const ofGateway = await clients(world, `search=${encodeURIComponent(name.toUpperCase())}`)
    assert.deepEqual(
      ofGateway.clients.map(({ client_id, account, installation, protocol }) => ({
        ...{ client_id, account, installation, protocol }
      })),
      [
        {
          client_id: gatewayId,
          account: { kind: 'gateway', id: installation.id, name },
          installation: { id: installation.id, name },
          protocol: '5'
        }
      ]
    )
    const nothing = await clients(world, `search=${encodeURIComponent('%')}${world.unique('x')}`)
    assert.deepEqual([nothing.found, nothing.clients], [0, []])
  })

  test('GET system client in pages', async () => {
    const { world } = platform()
    const { user } = await world.site(['mqtt/#'])
    const mark = world.unique('paged')
    for (const number of [1, 2, 3]) await world.mqtt(user, { clientId: `${mark}-${number}` })
    const first = await clients(world, `search=${mark}&limit=2`)
    const last = first.clients.at(-1)?.id
    const second = await clients(world, `search=${mark}&limit=2&after=${last}`)
    assert.deepEqual(
      [first, second].map(({ clients }) => clients.map(({ client_id }) => client_id)),
      [[`${mark}-1`, `${mark}-2`], [`${mark}-3`]]
    )
    assert.deepEqual([first.found, second.found], [3, 3])
    for (const bad of ['limit=201', 'limit=-1', 'after=x', `search=${'x'.repeat(201)}`, 'who=1']) {
      const line = `GET /api/v2/system/client?${bad}`
      assert.equal((await world.request(line, { as: world.admin })).status, 400, bad)
    }
  })
})

onRegistryMatrix('backups over HTTP', (engine) => {
  const directory = mkdtempSync(join(tmpdir(), 'caracal-backups-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  const { platform } = withPlatform(engine, {
    settings: {
      CARACAL_BACKUP_DIR: directory,
      CARACAL_BACKUP_EVERY: '30d',
      CARACAL_BACKUP_KEEP: '3'
    }
  })

  const state = async () => {
    const { world } = platform()
    const { json } = await world.request('GET /api/v2/system/backup', { as: world.admin })
    return json as Static<typeof BackupState>
  }
  const idle = () => eventually(async () => assert.equal((await state()).task, null))
  const post = (line: string, body?: unknown) =>
    platform().world.request(line, { as: platform().world.admin, body })

  test(
    'one is made, read, and found damaged; one thing at a time, and never elsewhere',
    slow,
    async () => {
      // The first one is made at the start.
      await eventually(async () => assert.equal((await state()).count, 1))
      await idle()
      const elsewhere = mkdtempSync(join(tmpdir(), 'caracal-elsewhere-'))
      const before = await state()
      // Names have whole seconds.
      await eventually(() => assert(Math.floor(Date.now() / 1000) > (before.made?.started ?? 0)))
      const [one, two] = await Promise.all([
        post('POST /api/v2/system/backup', { directory: elsewhere, keep: 1 }),
        post('POST /api/v2/system/backup/verify')
      ])
      assert.deepEqual([one.status, two.status].sort(), [202, 409], one.text + two.text)
      await idle()
      if (one.status === 409) {
        assert.equal((await post('POST /api/v2/system/backup')).status, 202)
        await idle()
      }
      assert.deepEqual(readdirSync(elsewhere), [])
      rmSync(elsewhere, { recursive: true })
      const made = await state()
      assert.equal(made.count, 2)
      assert.equal(made.failed, null)
      assert.equal(made.directory, directory)
      assert(made.made && made.next && made.made.name === readdirSync(directory).sort().at(-1))
      assert(Math.abs(made.next - made.made.started - 30 * 24 * 3600) <= 1)

      const begun = await post('POST /api/v2/system/backup/verify', { directory: '/etc' })
      assert.equal(begun.status, 202, begun.text)
      await idle()
      const { verified } = await state()
      assert(verified)
      assert.deepEqual([verified.name, verified.faults, verified.error], [made.made.name, 0, null])

      truncateSync(join(directory, made.made.name, 'spool.sqlite'), 100)
      await post('POST /api/v2/system/backup/verify')
      await idle()
      const damaged = (await state()).verified
      assert(damaged && damaged.faults > 0)
      assert.equal(damaged.findings[0]?.file, 'spool.sqlite')

      const { world } = platform()
      const { json } = await world.request('GET /api/v2/trace', { as: world.admin })
      const texts = (json as { data: { description: string }[] }).data.map(
        ({ description }) => description
      )
      assert(texts.includes('began a backup of the platform'), texts.join('\n'))
      assert(texts.includes('began to verify the newest backup of the platform'))
    }
  )

  test('a backup that fails is told', async () => {
    const { world } = platform()
    await idle()
    rmSync(directory, { recursive: true, force: true })
    assert.equal((await post('POST /api/v2/system/backup/verify')).status, 400)
    // A file is in the place of the folder.
    writeFileSync(directory, '')
    assert.equal((await post('POST /api/v2/system/backup')).status, 202)
    await idle()
    const { failed } = await state()
    assert(failed)
    const reader = await world.user({ grants: ['metrics/read'], organizations: [1] })
    const { status } = await world.request('GET /api/v2/system/backup', { as: reader })
    assert.equal(status, 200)
    const { problems } = (await world.request('GET /api/v2/system', { as: reader })).json as Static<
      typeof SystemState
    >
    assert.match(problems.join(), /the last backup failed/)
    rmSync(directory, { force: true })
  })
})
