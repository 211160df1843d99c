import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  actionOf,
  catalogue,
  coveredBy,
  covers,
  isPattern,
  mayGive
} from '../../console/src/role/patterns.ts'
import { permissionGroups } from '../../console/src/texts/permissions-en.ts'
import { filterCovers } from '../../src/lib/topic.ts'
import { catalogue as known } from '../../src/permission/catalogue.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('every permission of the platform is explained, and has a group', () => {
  assert.deepEqual(catalogue, known)
  for (const name of catalogue) assert(actionOf(name), name)
  for (const name of catalogue) assert((name.split('/')[0] ?? '') in permissionGroups, name)
})

test('what a pattern covers, and who may give it', () => {
  const pairs = [
    ['#', 'log/read/all'],
    ['log/#', 'log/read/all'],
    ['log/+/all', 'log/read/all'],
    ['log/+/all', 'log/read/assigned'],
    ['log/read/all', 'log/#'],
    ['log/#', 'log/#'],
    ['log/+', 'log/#'],
    ['12/log/#', '12/log/read/all']
  ] as const
  for (const [wide, narrow] of pairs)
    assert.equal(covers(wide, narrow), filterCovers(wide, narrow), `${wide} ${narrow}`)
  assert.deepEqual(coveredBy('12/status/#'), ['status/read/all', 'status/read/assigned'])
  assert.deepEqual(coveredBy('nothing/#'), [])
  for (const text of ['', 'a+/b', 'a/#/b', '##']) assert.equal(isPattern(text), false, text)
  for (const text of ['#', 'a', 'a/+/b', '12/a/#']) assert.equal(isPattern(text), true, text)
  const own = { 'log/read/all': true, 'user/list': true, 'status/#': true, 'rule/list/all': false }
  for (const one of ['log/read/assigned', 'user/list/assigned', 'status/read/all', '7/status/#'])
    assert.equal(mayGive(own, one), true, one)
  for (const one of ['log/#', '#', 'rule/list/all', 'rule/list/assigned'])
    assert.equal(mayGive(own, one), false, one)
})

describe('roles', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  type Role = { id: number; name: string; priority: number; permissions: Record<string, boolean> }

  /** Who may everything below an organization, and the top one if wanted. */
  async function manager(grants: string[] = ['#'], isTop = false) {
    const { world } = platform()
    const organization = isTop ? 1 : await world.organization()
    const user = await world.user({ grants, organizations: [organization], priority: 700 })
    const list = async () =>
      (await world.request('GET /api/v2/role', { as: world.admin })).json as Role[]
    const named = async (name: string) => (await list()).find((role) => role.name === name)
    return { world, organization, user, named, url: `${platform().url}/roles` }
  }

  test('a role is made by ticks and a pattern, changed and deleted', async () => {
    const { world, user, named, url } = await manager()
    const { page, faults } = await open()
    await signIn(page, url, user)
    const name = `${HOSTILE} ${world.unique('x')}`
    await page.getByRole('button', { name: 'New role', exact: true }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Name', { exact: false }).first().fill(name)
    await panel.getByLabel('Filter permissions').fill('stored values')
    await panel.getByRole('checkbox', { name: 'log/read/assigned', exact: true }).check()
    const pattern = panel.getByLabel('Pattern or name')
    await pattern.fill('status/#/x')
    await panel.getByText('stands alone at the end').waitFor()
    await pattern.fill('status/#')
    await panel.getByText('Covers status/read/all, status/read/assigned.').waitFor()
    await pattern.press('Enter')
    await panel.getByLabel('Filter permissions').fill('status')
    const covered = panel.getByRole('checkbox', { name: 'status/read/all', exact: true })
    assert.deepEqual([await covered.isChecked(), await covered.isDisabled()], [true, true])
    await panel.getByLabel('Priority').fill('701')
    await panel.getByText('more than your own').waitFor()
    await panel.getByLabel('Priority').fill('70')
    await panel.getByRole('button', { name: 'New role', exact: true }).click()
    const line = page.getByRole('link', { name })
    await line.waitFor()
    const made = await named(name)
    assert.deepEqual(
      [made?.priority, made?.permissions],
      [70, { 'log/read/assigned': true, 'status/#': true }]
    )

    await line.click()
    await panel.getByRole('button', { name: 'Remove status/#', exact: true }).click()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () =>
      assert.deepEqual((await named(name))?.permissions, { 'log/read/assigned': true })
    )
    await line.click()
    await panel.getByRole('button', { name: 'Delete the role', exact: true }).click()
    await panel.getByText(`Delete the role ${name}?`).waitFor()
    await panel.getByRole('button', { name: 'Delete', exact: true }).click()
    await line.waitFor({ state: 'detached' })
    assert.equal(await named(name), undefined)
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('what somebody else changed meanwhile is shown side by side', async () => {
    const { world, organization, user, named, url } = await manager()
    const name = world.unique('shared')
    const body = { name, priority: 10, organization_id: organization, permissions: {} }
    const { json } = await world.request('POST /api/v2/role', { as: user, body })
    const { id } = json as Role
    const { page } = await open()
    await signIn(page, `${url}?id=${id}`, user)
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Priority').fill('20')
    const permissions = { 'rule/list/all': true }
    await world.request(`PUT /api/v2/role/${id}`, { as: user, body: { permissions } })
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await panel.getByText('Somebody else changed this').waitFor()
    await panel.getByRole('button', { name: 'Keep my changes on top' }).click()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () => {
      const now = await named(name)
      assert.deepEqual([now?.priority, now?.permissions], [20, permissions])
    })
  })

  test('nobody changes a role of the platform, or gives more than they have', async () => {
    const { user, url } = await manager(['role/#', 'log/read/all'])
    const { page } = await open()
    await signIn(page, `${url}?id=3`, user)
    const panel = page.getByRole('dialog')
    await panel.getByText('topmost organization').waitFor()
    const buttons = (name: string) => panel.getByRole('button', { name, exact: true }).count()
    assert.deepEqual([await buttons('Save'), await buttons('Delete the role')], [0, 0])
    await page.goto(`${url}?add=true`)
    await panel.getByLabel('Filter permissions').fill('values')
    const tick = (name: string) => panel.getByRole('checkbox', { name, exact: true })
    await tick('log/read/assigned').waitFor()
    assert.equal(await tick('log/read/all').isDisabled(), false)
    assert.equal(await tick('log/read/assigned').isDisabled(), false)
    assert.equal(await tick('status/read/all').isDisabled(), true)
    await panel.getByLabel('Pattern or name').fill('log/#')
    await panel.getByText('You do not have it').waitFor()
  })

  test('who may only look sees no button to change anything', async () => {
    const { world, organization, user, url } = await manager()
    const looker = await world.user({ grants: ['role/list'], organizations: [organization] })
    const body = { name: world.unique('seen'), priority: 1, organization_id: organization }
    const { json } = await world.request('POST /api/v2/role', { as: user, body })
    const { page } = await open()
    await signIn(page, `${url}?id=${(json as Role).id}`, looker)
    const panel = page.getByRole('dialog')
    await panel.getByText('you need the permission role/update').waitFor()
    assert.equal(await panel.getByRole('button', { name: 'Save', exact: true }).count(), 0)
    await panel.getByRole('button', { name: 'Close' }).click()
    assert.equal(await page.getByRole('button', { name: 'New role', exact: true }).count(), 0)
  })

  test('why a user may do something, or not, by the address and by choosing', async () => {
    const { world, organization, user, url } = await manager()
    const place = await world.installation({ organization_id: organization, name: HOSTILE })
    const other = await world.user({
      grants: ['status/+/all', 'log/read/assigned'],
      organizations: [organization],
      first_name: 'Ada',
      last_name: HOSTILE
    })
    const { page, faults } = await open()
    const at = (permission: string) =>
      `${url}?user=${other.id}&permission=${encodeURIComponent(permission)}&installation=${place.id}`
    await signIn(page, at('status/read'), user)
    const answer = page.getByRole('region', { name: 'Why may this user?' })
    await answer.getByText('Yes', { exact: true }).waitFor()
    await answer.getByText(/status\/\+\/all of the role role-.* allows it/).waitFor()
    await answer.getByText(/It holds in organization.* and below/).waitFor()
    const field = page.getByRole('combobox', { name: 'Permission' })
    await field.fill('log/read')
    await answer.getByText(/is not assigned to the user/).waitFor()
    await answer.getByText('No', { exact: true }).waitFor()
    assert.match(page.url(), /permission=log%2Fread/)
    await field.fill('user/list')
    await answer.getByText('not about a single installation').waitFor()
    // The suggestions are over the next field.
    await field.press('Tab')
    await page.getByRole('combobox', { name: 'Installation' }).click()
    await page.getByRole('option', { name: 'none', exact: true }).click()
    await answer.getByText(/No grant of the role role-/).waitFor()
    await page.reload()
    await answer.getByText(/No grant of the role role-/).waitFor()
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('without permission/explain one asks about oneself', async () => {
    const { user, url } = await manager(['role/list', 'user/list'])
    const { page } = await open(phone)
    await signIn(page, `${url}?view=why&permission=user/list`, user)
    await page.getByRole('region').getByText('Yes', { exact: true }).waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'User' }).isDisabled(), true)
    await shows(page, 'you need permission/explain')
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the page can be used by everybody, ${colorScheme}`, async () => {
      const { organization, world, user, url } = await manager(['#'], true)
      const below = await world.organization(organization)
      const { id: place } = await world.installation({ organization_id: below, name: HOSTILE })
      const permissions = { 'functionx/#': true, [`${place}/log/+/all`]: true, 'user/list': true }
      const body = { name: HOSTILE.repeat(3), priority: 5, organization_id: below, permissions }
      const { json } = await world.request('POST /api/v2/role', { as: user, body })
      const { page } = await open({ ...phone, colorScheme })
      const check = async () => {
        assert.deepEqual(await seriousFindings(page), [])
        const width = await page.evaluate('document.documentElement.scrollWidth')
        assert.equal(width, 390, 'the page does not scroll sideways')
      }
      await signIn(page, url, user)
      await page.getByRole('link', { name: 'Manager' }).waitFor()
      await check()
      await page.goto(`${url}?id=${(json as Role).id}`)
      const panel = page.getByRole('dialog')
      await panel.getByText('Functions', { exact: true }).click()
      await panel.getByText('Create and delete functions').waitFor()
      await check()
      await page.goto(`${url}?view=why&permission=log/read/all`)
      await page.getByText('Yes', { exact: true }).waitFor()
      await check()
    })
})
