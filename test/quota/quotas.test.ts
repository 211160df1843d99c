import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { removeInstallations, removeOrganizations } from '../../src/holding.ts'
import { gatewayPrincipal } from '../../src/identity/gateway.ts'
import { defaultLimits, type Payer, payerName } from '../../src/lib/quota.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Directory } from '../../src/permission/directory.ts'
import { Accounts } from '../../src/quota/accounts.ts'
import { quotaHolding } from '../../src/quota/holding.ts'
import { writeQuotas } from '../../src/quota/overrides.ts'
import { MAX_PAYERS, Quotas } from '../../src/quota/quotas.ts'
import { recordChange } from '../../src/registry/changes.ts'
import { insertInstallation, updateInstallation } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization, updateOrganization } from '../../src/registry/organizations.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { onEveryRegistry } from '../support/registries.ts'

onEveryRegistry('quotas', ({ url }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  let registry: Registry
  let directory: Directory
  let quotas: Quotas
  let [top, tenant, branch, other, house] = [0, 0, 0, 0, 0]
  const defaults = defaultLimits({ installation: '', organization: '' }, { topics: 5 })

  const inRegistry = async <T>(work: (registry: Registry) => Promise<T>): Promise<T> => {
    const result = await registry.transaction().execute(work)
    await directory?.catchUp()
    return result
  }
  const organization = (parent_id: number | null) =>
    inRegistry((registry) => insertOrganization(registry, { name: 'x', parent_id }, 0))
  const payersOfHouse = () => {
    const ref = directory.installation(house)
    assert(ref)
    return names(quotas.payersOfInstallation(ref))
  }
  const nextOrganization = () => organization(tenant)
  const names = (payers: readonly Payer[]) => payers.map(payerName)

  before(async () => {
    registry = await openRegistry({ url: await url(), dataDir })
    top = await organization(null)
    tenant = await organization(top)
    branch = await organization(tenant)
    other = await organization(top)
    house = await inRegistry((registry) =>
      insertInstallation(registry, { name: 'x', organization_id: branch }, 0)
    )
    directory = await Directory.open(registry)
    quotas = await Quotas.open({ registry, directory, defaults })
  })
  after(async () => {
    await registry.destroy()
    rmSync(dataDir, { recursive: true })
  })

  test('an installation and all organizations above it are charged, except the top', () => {
    const path = [`installation ${house}`, `organization ${branch}`, `organization ${tenant}`]
    assert.deepEqual(payersOfHouse(), path)
    const ref = directory.installation(house)
    assert(ref)
    assert.deepEqual(names(quotas.payersOf(gatewayPrincipal(ref, undefined))), path)
    assert.deepEqual(quotas.organizationsOf(top), [])
  })

  test('in a very deep tree only the uppermost organizations are charged', async () => {
    const chain = [tenant]
    const more = async (levels: number, from = chain.at(-1) ?? 0) => {
      for (let i = 0, parent = from; i < levels; i++) {
        parent = await organization(parent)
        chain.push(parent)
      }
    }
    await more(20)
    const [upper = 0, lower] = [chain.at(-1), chain.length]
    await more(20, tenant)
    // An older version had no limit of depth.
    const moved = chain[lower] ?? 0
    await registry
      .updateTable('organizations')
      .set({ parent_id: upper })
      .where('id', '=', moved)
      .execute()
    await inRegistry((registry) => recordChange(registry, 'quota', moved, 0))
    const deepest = chain.at(-1) ?? 0
    const uppermost = chain.slice(0, MAX_PAYERS).reverse()
    assert.deepEqual(
      quotas.organizationsOf(deepest).map(({ id }) => id),
      uppermost
    )
    assert.deepEqual(
      quotas.organizationsOf(chain[1] ?? 0).map(({ id }) => id),
      [chain[1], tenant]
    )
  })

  test('a user of two organizations is charged to both, and once to those above', () => {
    const user = {
      ...gatewayPrincipal({ id: 0, client_id: 0, organization_id: 0 }, undefined),
      kind: 'user'
    }
    const member = { ...user, kind: 'user' as const, organizationIds: [branch, tenant, other] }
    assert.deepEqual(names(quotas.payersOf(member)), [
      `organization ${branch}`,
      `organization ${tenant}`,
      `organization ${other}`
    ])
    assert.deepEqual(quotas.payersOf({ ...member, reachesTop: true }), [])
  })

  test('an owner has the default, or its own quota until that is removed', async () => {
    const limits = () => [
      quotas.limit('organization', tenant, 'topics'),
      quotas.limit('organization', branch, 'topics'),
      quotas.limit('installation', house, 'topics'),
      quotas.limit('installation', house, 'files')
    ]
    const before = [defaults.organization.topics, defaults.organization.topics, 5, 1000]
    assert.deepEqual(limits(), before)
    const write = (payer: Payer, overrides: object) =>
      inRegistry((registry) => writeQuotas(registry, payer, overrides, 0))
    await write({ kind: 'organization', id: tenant }, { topics: 70 })
    await write({ kind: 'installation', id: house }, { topics: 50, files: 0 })
    assert.deepEqual(limits(), [70, defaults.organization.topics, 50, 0])
    assert.deepEqual(quotas.overridesOf({ kind: 'installation', id: house }), {
      ...{ topics: 50, files: 0 }
    })
    await write({ kind: 'organization', id: tenant }, {})
    await write({ kind: 'installation', id: house }, { topics: 50 })
    assert.deepEqual(limits(), [...before.slice(0, 2), 50, 1000])
  })

  test('the top organization has no quota', () => {
    assert.equal(quotas.limit('organization', top, 'topics'), Number.POSITIVE_INFINITY)
    assert.equal(quotas.limitsOf({ kind: 'organization', id: top }), undefined)
  })

  test('the charged organizations follow when organizations and installations move', async () => {
    await inRegistry((registry) => updateOrganization(registry, branch, { parent_id: other }, 0))
    assert.deepEqual(payersOfHouse().slice(1), [`organization ${branch}`, `organization ${other}`])
    await inRegistry((registry) =>
      updateInstallation(registry, house, { organization_id: tenant }, 0)
    )
    assert.deepEqual(payersOfHouse().slice(1), [`organization ${tenant}`])
  })

  test('an organization that becomes known late is charged from then on', async () => {
    const latest = { freshness: async () => [], pendingTopics: () => 0 }
    const settled = async () => {}
    const accounts = new Accounts({ quotas, directory, latest, settled, clock: () => unixMs(0) })
    const late = (await nextOrganization()) + 1
    const ref = { id: house, client_id: 1000 + house, organization_id: late }
    assert.equal(accounts.placeOf(ref).payers.length, 1)
    assert.equal(await organization(tenant), late)
    assert.deepEqual(names(accounts.known(house)?.payers ?? []), [
      ...[`installation ${house}`, `organization ${late}`, `organization ${tenant}`]
    ])
  })

  test('the numbers that the broker counts are read from the broker', () => {
    const payer = { kind: 'organization', id: tenant } as const
    assert.equal(quotas.counted('connections', payer), 0)
    quotas.countBy('connections', ({ id }) => (id === tenant ? 3 : 0))
    assert.equal(quotas.counted('connections', payer), 3)
    assert.equal(quotas.counted('filters', payer), 0)
  })

  test('quotas are deleted with their owners', async () => {
    await inRegistry((registry) =>
      writeQuotas(registry, { kind: 'organization', id: other }, { files: 3 }, 0)
    )
    await inRegistry((registry) =>
      removeInstallations([quotaHolding], registry, [house], unixMs(0))
    )
    await inRegistry((registry) =>
      removeOrganizations([quotaHolding], registry, [other, branch], { heir: null, now: unixMs(0) })
    )
    assert.deepEqual(await registry.selectFrom('quotas').selectAll().execute(), [])
    assert.deepEqual(quotas.overridesOf({ kind: 'organization', id: other }), {})
  })
})
