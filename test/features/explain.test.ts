import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

onRegistryMatrix('what another user may do', (engine) => {
  const { platform } = withPlatform(engine)

  type Explained = { granted: boolean; grant: string | null; through: string | null } & {
    organization_id: number | null
    unreached: { grant: string; through: string }[]
  }

  async function scene() {
    const { world } = platform()
    const organization = await world.organization()
    const below = await world.organization(organization)
    const installation = await world.installation({ organization_id: below })
    const grants = ['permission/explain', 'user/list', 'installation/list/all']
    const caller = await world.user({ grants, organizations: [organization] })
    const user = await world.user({
      grants: [
        'status/read/all',
        'log/+/assigned',
        `${installation.id}/schedule/#`,
        'rule/list/all'
      ],
      organizations: [organization]
    })
    const explain = async (
      permission: string,
      asked: { installation_id?: number; user_id?: number } = {},
      as: { token: string } | undefined = caller
    ) => {
      const given = { permission, user_id: user.id, ...asked }
      const query = new URLSearchParams(
        Object.entries(given).map(([name, value]): [string, string] => [name, String(value)])
      )
      return world.request(`GET /api/v2/permission/explain?${query}`, { as })
    }
    return { world, organization, below, installation, caller, user, explain }
  }

  test('is explained with the organization or the assignment', async () => {
    const { organization, installation, explain } = await scene()
    const at = { installation_id: installation.id }
    const told = async (permission: string, asked = {}) => {
      const { status, json } = await explain(permission, asked)
      assert.equal(status, 200)
      const { granted, grant, through, organization_id, unreached } = json as Explained
      return { granted, grant, through, organization_id, unreached }
    }
    const none = { granted: false, grant: null, through: null, organization_id: null }
    assert.deepEqual(await told('status/read', at), {
      granted: true,
      grant: 'status/read/all',
      through: 'organization',
      organization_id: organization,
      unreached: []
    })
    assert.deepEqual(await told('schedule/list', at), {
      granted: true,
      grant: `${installation.id}/schedule/#`,
      through: 'installation',
      organization_id: null,
      unreached: []
    })
    assert.deepEqual(await told('log/read', at), {
      ...none,
      unreached: [{ grant: 'log/+/assigned', through: 'assignment' }]
    })
    assert.deepEqual(await told('rule/update', at), { ...none, unreached: [] })
    assert.equal((await told('rule/list/all')).grant, 'rule/list/all')
    assert.equal((await told('user/list')).granted, false)
  })

  test('needs a permission, and is for nobody without one', async () => {
    const { world, organization, user, explain } = await scene()
    const other = await world.user({ grants: ['user/list'], organizations: [organization] })
    const refused = await explain('status/read/all', {}, other)
    assert.deepEqual(
      [refused.status, refused.json],
      [
        403,
        {
          message: 'Forbidden',
          permissions: ['permission/explain'],
          object: { kind: 'user', id: user.id }
        }
      ]
    )
    const own = await explain('user/list', { user_id: other.id }, other)
    assert.equal((own.json as Explained).granted, true, 'their own rights are explained')
    const line = `GET /api/v2/permission/explain?permission=x&user_id=${user.id}`
    assert.equal((await world.request(line)).status, 401)
  })

  test('a user or an installation of another tenant and a missing one are the same', async () => {
    const { world, organization, user, explain } = await scene()
    const elsewhere = await world.site(['status/read/all'])
    const blind = await world.user({
      grants: ['permission/explain'],
      organizations: [organization]
    })
    const forbidden = [403, { message: 'Forbidden' }]
    for (const answer of [
      await explain('status/read/all', { user_id: elsewhere.user.id }),
      await explain('status/read/all', { user_id: 999_999 }),
      await explain('status/read', { installation_id: elsewhere.installation.id }),
      await explain('status/read', { installation_id: 999_999 }),
      await explain('status/read/all', { user_id: user.id }, blind)
    ]) {
      assert.deepEqual([answer.status, answer.json], forbidden)
    }
  })

  test('an organization that the caller does not see is not named', async () => {
    const { world, organization, below, installation, explain } = await scene()
    const lowest = await world.organization(below)
    const organizations = [organization, lowest]
    const other = await world.user({ grants: ['status/read/all'], organizations })
    const grants = ['permission/explain', 'user/list', 'installation/list/all']
    const caller = await world.user({ grants, organizations: [below] })
    const asked = { user_id: other.id, installation_id: installation.id }
    const { json } = await explain('status/read', asked, caller)
    const { granted, through, organization_id } = json as Explained
    assert.deepEqual(
      { granted, through, organization_id },
      { granted: true, through: 'organization', organization_id: null }
    )
  })

  test('an account that has ended has no rights to explain', async () => {
    const { world, organization, explain } = await scene()
    const ended = await world.user({ organizations: [organization], expire_at: 1 })
    const { status, json } = await explain('status/read/all', { user_id: ended.id })
    assert.deepEqual([status, json], [400, { message: 'the account of the user has ended' }])
  })
})
