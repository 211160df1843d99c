import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Identity } from '../../src/identity/identity.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Directory } from '../../src/permission/directory.ts'
import { may, type Principal } from '../../src/permission/principal.ts'
import type { PlatformBus } from '../../src/platform/bus.ts'
import { openRegistry } from '../../src/registry/open.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const origin = { address: '192.0.2.1', agent: 'test' }
const REFUSED = 128
const hears = ['mqtt/subscribe/all', 'mqtt/subscribe/assigned']

type Caller = { name: string; password: string }
type Place = { id: number; client_id: number; organization_id: number }
/** A user who may receive messages of an installation, and a request that ends this right. */
type Given = { caller: Caller; installation: Place; request: string; body?: object }
type Node = { directory: Directory; identity: Identity }

const member = async (world: World, organizations: number[], assigned: number[] = []) => {
  const grants = assigned.length > 0 ? ['mqtt/subscribe/assigned'] : hears
  const { email: name, ...user } = await world.user({ grants, organizations, assigned })
  return { name, ...user }
}

/** The ways to lose a right. `ends`: whether the sign-in ends too. */
const ways: { what: string; ends: boolean; given: (world: World) => Promise<Given> }[] = [
  {
    what: 'a role loses its grants',
    ends: false,
    given: async (world) => {
      const installation = await world.installation()
      const permissions = { permissions: { 'mqtt/subscribe/all': true } }
      const made = await world.request('POST /api/v2/role', {
        as: world.admin,
        body: { name: world.unique('role'), priority: 1, ...permissions }
      })
      const { id: role_id } = made.json as { id: number }
      const organizations = [installation.organization_id]
      const { email: name, password } = await world.user({ organizations, role_id })
      const body = { name: world.unique('role'), priority: 1, permissions: {} }
      const request = `PUT /api/v2/role/${role_id}`
      return { caller: { name, password }, installation, request, body }
    }
  },
  {
    what: 'an installation is taken from its users',
    ends: false,
    given: async (world) => {
      const installation = await world.installation()
      const caller = await member(world, [await world.organization()], [installation.id])
      const request = `PUT /api/v2/installation/${installation.id}`
      return { caller, installation, request, body: { users: [] } }
    }
  },
  {
    what: 'a user is taken from its installations',
    ends: false,
    given: async (world) => {
      const installation = await world.installation()
      const caller = await member(world, [await world.organization()], [installation.id])
      const request = `PUT /api/v2/user/${caller.id}`
      return { caller, installation, request, body: { assigned_installations: [] } }
    }
  },
  {
    what: 'a user leaves an organization',
    ends: false,
    given: async (world) => {
      const installation = await world.installation()
      const caller = await member(world, [installation.organization_id])
      const organisations = [await world.organization()]
      const request = `PUT /api/v2/user/${caller.id}`
      return { caller, installation, request, body: { organisations } }
    }
  },
  {
    what: 'an organization is moved away',
    ends: false,
    given: async (world) => {
      const top = await world.organization()
      const organization_id = await world.organization(top)
      const installation = await world.installation({ organization_id })
      const caller = await member(world, [top])
      const body = { parent: await world.organization() }
      return { caller, installation, request: `PUT /api/v2/organization/${organization_id}`, body }
    }
  },
  {
    what: 'an organization above is moved away',
    ends: false,
    given: async (world) => {
      const top = await world.organization()
      const middle = await world.organization(top)
      const organization_id = await world.organization(middle)
      const installation = await world.installation({ organization_id })
      const caller = await member(world, [top])
      const body = { parent: await world.organization() }
      return { caller, installation, request: `PUT /api/v2/organization/${middle}`, body }
    }
  },
  {
    what: 'an organization is deleted',
    ends: false,
    given: async (world) => {
      const organization_id = await world.organization()
      const installation = await world.installation({ organization_id })
      const caller = await member(world, [organization_id, await world.organization()])
      const request = `DELETE /api/v2/organization/${organization_id}?force=true`
      return { caller, installation, request }
    }
  },
  {
    what: 'an organization asks for a second factor',
    ends: true,
    given: async (world) => {
      const installation = await world.installation()
      const { organization_id } = installation
      const caller = await member(world, [organization_id])
      const body = { force_sms_login: true }
      return { caller, installation, request: `PUT /api/v2/organization/${organization_id}`, body }
    }
  },
  {
    what: 'an organization above asks for a second factor',
    ends: true,
    given: async (world) => {
      const top = await world.organization()
      const organization_id = await world.organization(await world.organization(top))
      const installation = await world.installation({ organization_id })
      const caller = await member(world, [organization_id])
      const body = { force_sms_login: true }
      return { caller, installation, request: `PUT /api/v2/organization/${top}`, body }
    }
  },
  {
    what: 'an organization is moved to where a second factor is asked for',
    ends: true,
    given: async (world) => {
      const parent = await world.organization()
      const as = world.admin
      const strict = { as, body: { force_sms_login: true } }
      await world.request(`PUT /api/v2/organization/${parent}`, strict)
      const top = await world.organization()
      const organization_id = await world.organization(top)
      const installation = await world.installation({ organization_id })
      const caller = await member(world, [organization_id])
      return { caller, installation, request: `PUT /api/v2/organization/${top}`, body: { parent } }
    }
  },
  {
    what: 'everybody of an organization needs a new password',
    ends: true,
    given: async (world) => {
      const installation = await world.installation()
      const { organization_id } = installation
      const caller = await member(world, [organization_id])
      const request = `POST /api/v2/organization/${organization_id}/force_password_reset`
      return { caller, installation, request }
    }
  },
  {
    what: 'a user has another name',
    ends: false,
    given: async (world) => {
      const installation = await world.installation()
      const caller = await member(world, [installation.organization_id])
      const body = { email: `${world.unique('renamed')}@example.org` }
      return { caller, installation, request: `PUT /api/v2/user/${caller.id}`, body }
    }
  },
  {
    what: 'a user is deleted',
    ends: true,
    given: async (world) => {
      const installation = await world.installation()
      const caller = await member(world, [installation.organization_id])
      return { caller, installation, request: `DELETE /api/v2/user/${caller.id}` }
    }
  },
  {
    what: 'a gateway gets another password',
    ends: true,
    given: async (world) => {
      const { installation, caller } = await gateway(world)
      const request = `POST /api/v2/gateway/credentials/${installation.id}`
      return { caller, installation, request }
    }
  },
  {
    what: 'an installation is deleted',
    ends: true,
    given: async (world) => {
      const { installation, caller } = await gateway(world)
      return { caller, installation, request: `DELETE /api/v2/installation/${installation.id}` }
    }
  }
]

async function gateway(world: World) {
  const installation = await world.installation()
  const path = `POST /api/v2/gateway/credentials/${installation.id}`
  const { json } = await world.request(path, { as: world.admin })
  const { mqtt_password: password } = json as { mqtt_password: string }
  return { installation, caller: { name: String(installation.client_id), password } }
}

onRegistryMatrix('what is cached about callers', (engine) => {
  let url = ''
  const registryUrl = async () => {
    url = await engine.url()
    return url
  }
  const { platform } = withPlatform({ ...engine, url: registryUrl })
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  let elsewhere: Registry | undefined
  let second: Node
  before(async () => {
    // Another node of the same platform, with its own connection if the engine allows it.
    elsewhere = url === '' ? undefined : await openRegistry({ url, dataDir })
    const registry = elsewhere ?? platform().deps.registry
    const directory = await Directory.open(registry)
    const identity = new Identity(registry, directory, systemClock)
    directory.onIdentityChange((change) => identity.forget(change))
    second = { directory, identity }
  })
  after(async () => {
    await elsewhere?.destroy()
    rmSync(dataDir, { recursive: true })
  })

  const principalOf = async ({ identity }: Node, { name, password }: Caller) => {
    const found = await identity.byNameAndPassword(name, password, origin)
    return 'principal' in found ? found : undefined
  }
  const mayHear = (principal: Principal | undefined, installation: Place): boolean =>
    principal !== undefined && may(principal, 'mqtt/subscribe', installation)

  for (const { what, ends, given } of ways) {
    test(`${what}: it applies at once on each node, and the cache of others stays`, async () => {
      const { world, deps } = platform()
      const nodes = [deps, second]
      const other = await member(world, [await world.organization()])
      const { caller, installation, request, body } = await given(world)
      await second.directory.catchUp()
      type Found = Awaited<ReturnType<typeof principalOf>>
      const known: Found[] = []
      const others: Found[] = []
      for (const node of nodes) {
        const found = await principalOf(node, caller)
        assert(mayHear(found?.principal, installation), 'it may before')
        known.push(found)
        others.push(await principalOf(node, other))
      }
      const { client_id } = installation
      const topic = `${client_id}/obj/x`
      const client = await world.mqtt(
        { token: '' },
        { username: caller.name, password: caller.password }
      )
      assert.deepEqual(await client.subscribe(topic), [1])

      const answer = await world.request(request, { as: world.admin, body })
      assert.equal(answer.status, 200, answer.text)
      await second.directory.catchUp()
      for (const [at, node] of nodes.entries()) {
        const now = await principalOf(node, caller)
        assert(!mayHear(now?.principal, installation), 'it may no longer')
        const credential = known[at]?.credential
        assert(credential)
        const renewed = await node.identity.renew(credential)
        if (what !== 'a user has another name') {
          assert(!mayHear(renewed, installation), 'nor by a connection that is open')
        }
        assert.equal(renewed === undefined, ends)
        const same = await principalOf(node, other)
        assert.equal(same?.principal, others[at]?.principal, 'others are remembered')
      }
      await (deps.bus as PlatformBus).recheck()
      if (ends) await eventually(() => assert.equal(client.mqtt.connected, false))
      else if (what !== 'a user has another name') {
        assert.deepEqual(await client.subscribe(topic), [REFUSED])
      }
    })
  }

  test('a new right applies at once on each node', async () => {
    const { world, deps } = platform()
    const nodes = [deps, second]
    const [one, other] = [await world.organization(), await world.organization()]
    const caller = await member(world, [one])
    const assignee = await world.user({ grants: ['mqtt/subscribe/assigned'], organizations: [one] })
    const moved = await world.installation({ organization_id: await world.organization(other) })
    const callers = [caller, { name: assignee.email, password: assignee.password }]
    const all = async () => {
      await second.directory.catchUp()
      const answers: boolean[] = []
      for (const node of nodes) {
        for (const who of callers) {
          answers.push(mayHear((await principalOf(node, who))?.principal, moved))
        }
      }
      return answers
    }
    assert.deepEqual(await all(), [false, false, false, false])
    const as = world.admin
    const move = { as, body: { parent: one } }
    const to = `PUT /api/v2/organization/${moved.organization_id}`
    assert.equal((await world.request(to, move)).status, 200)
    assert.deepEqual(await all(), [true, false, true, false])
    const assign = { as, body: { users: [assignee.id] } }
    const path = `PUT /api/v2/installation/${moved.id}`
    assert.equal((await world.request(path, assign)).status, 200)
    assert.deepEqual(await all(), [true, true, true, true])
    // A new organization is made below one that the user reaches.
    const made = await world.request('POST /api/v2/organization', {
      as,
      body: { name: world.unique('organization'), parent: one }
    })
    const { id } = made.json as { id: number }
    await second.directory.catchUp()
    for (const node of nodes) {
      assert((await principalOf(node, caller))?.principal.organizationsBelow.has(id))
    }
  })

  test('a change that does not affect rights clears no cache', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site([
      'organization/update',
      'installation/update/all'
    ])
    const caller = { name: user.email, password: user.password }
    const before = await principalOf(deps, caller)
    for (const [path, body] of [
      [`PUT /api/v2/organization/${installation.organization_id}`, { notes: 'x' }],
      [`PUT /api/v2/installation/${installation.id}`, { notes: 'x', users: [] }]
    ] as const) {
      const answer = await world.request(path, { as: user, body })
      assert.equal(answer.status, 200, answer.text)
    }
    assert.equal((await principalOf(deps, caller))?.principal, before?.principal)
  })

  test('a password is hashed once, whatever changes around its account', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(['mqtt/subscribe/all'])
    const caller = { name: user.email, password: user.password }
    const before = await principalOf(deps, caller)
    // The account is locked, so a user whose password must be checked again does not get in.
    for (let i = 0; i < 10; i++) await deps.identity.throttle.take(user.email, origin.address)
    assert(deps.identity.throttle.wait(user.email, origin.address) > 0)
    await world.request('POST /api/v2/organization', {
      as: world.admin,
      body: { name: world.unique('organization'), parent: installation.organization_id }
    })
    const now = await principalOf(deps, caller)
    assert(now, 'it was not checked again')
    assert.notEqual(now.principal, before?.principal, 'its rights were read again')
  })

  test('a change while a caller is read from the registry is not missed', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(hears)
    const reading = deps.identity.byNameAndPassword(user.email, user.password, origin)
    await world.setGrants(user.id, [])
    await reading
    const caller = { name: user.email, password: user.password }
    assert(!mayHear((await principalOf(deps, caller))?.principal, installation))
  })
})
