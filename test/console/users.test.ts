import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { metaBodyOf, metaDraftOf, metaFieldsIn } from '../../console/src/user/meta.ts'
import { covers, idsBelow, isRoleFor, mayGive, wantedLines } from '../../console/src/user/rows.ts'
import type { Role, User } from '../../console/src/user/types.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { keyFor } from '../support/outbox.ts'
import { HOSTILE, hides, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const tree = [
  { id: 1, name: 'top', parent: 0 },
  { id: 2, name: 'left', parent: 1 },
  { id: 3, name: 'right', parent: 1 },
  { id: 4, name: 'below left', parent: 2 }
]

test('what a grant covers', () => {
  const all: [wide: string, narrow: string, isCovered: boolean][] = [
    ['#', 'user/list', true],
    ['user/#', 'user/list/assigned', true],
    ['user/+', 'user/#', false],
    ['+/list', 'user/list', true],
    ['user', 'user/list', false],
    ['user/list/all', 'user/list', false],
    ['role/list', 'role/+', false]
  ]
  for (const [wide, narrow, isCovered] of all) assert.equal(covers(wide, narrow), isCovered, wide)
})

test('the roles that one may give', () => {
  const role = (permissions: Record<string, boolean>, priority = 1, organization_id = 0): Role => ({
    ...{ id: 1, name: 'r', permissions, priority, organization_id }
  })
  const own = { may: { 'user/#': true, 'log/read/all': true }, role: role({}, 10) }
  assert.equal(mayGive(role({ 'user/list': true }), own), true)
  assert.equal(mayGive(role({ 'user/list': true }, 11), own), false)
  assert.equal(mayGive(role({ 'role/list': true }), own), false)
  assert.equal(mayGive(role({ 'role/list': false }), own), true)
  assert.equal(mayGive(role({ 'log/read/assigned': true }), own), true)
  assert.equal(mayGive(role({ '12/status/#': true }), own), true, 'the platform decides')
  assert.deepEqual([...idsBelow(tree, 2)], [2, 4])
  assert.equal(isRoleFor(role({}, 1, 2), [4], tree), true)
  assert.equal(isRoleFor(role({}, 1, 2), [3, 4], tree), false)
  assert.equal(isRoleFor(role({}), [3], tree), true)
})

test('who is listed', () => {
  const user = (id: number, organisations: number[], role = 1) =>
    ({ id, organisations, role, email: `u${id}@x.se`, mobile: '' }) as unknown as User
  const lines = [user(1, [4]), user(2, [3], 2)].map((user) => ({
    ...{ user, name: `Anna ${user.id}`, role: '', organizations: '' }
  }))
  const ids = (wanted: Partial<Parameters<typeof wantedLines>[1]>) =>
    wantedLines(lines, { text: '', organization: undefined, role: undefined, ...wanted }, tree).map(
      ({ user }) => user.id
    )
  assert.deepEqual(ids({}), [1, 2])
  assert.deepEqual(ids({ text: 'anna  U2@' }), [2])
  assert.deepEqual(ids({ organization: 2 }), [1])
  assert.deepEqual(ids({ organization: 1, role: 2 }), [2])
})

test('metadata as fields of a draft', () => {
  const draft = metaDraftOf({ meta: { b: '1', 'a b': '2' }, protected_meta: { c: '3' } })
  assert.deepEqual(metaFieldsIn(draft), ['meta a b', 'meta b', 'protected c'])
  const changed = { ...draft, 'meta b': undefined, 'protected b': '1' }
  assert.deepEqual(metaBodyOf(changed, true), {
    ...{ meta: { 'a b': '2' }, protected_meta: { c: '3', b: '1' } }
  })
  assert.deepEqual(metaBodyOf(draft, false), { meta: { b: '1', 'a b': '2' } })
})

describe('users', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const manages = [
    ...['user/#', 'role/list', 'organization/list', 'installation/#', 'log/read/all'],
    'status/read/all'
  ]
  const looks = ['user/list', 'organization/list']

  /** A manager, and a user of the same organization. */
  async function company(grants = manages) {
    const { world } = platform()
    const { installation, user: manager } = await world.site(grants)
    const organizations = [installation.organization_id]
    const member = await world.user({
      ...{ organizations, first_name: 'Anna', last_name: 'Berg', grants: ['status/read/all'] },
      priority: 10
    })
    const as = world.admin
    const read = async (id = member.id) =>
      (await world.request(`GET /api/v2/user/${id}`, { as })).json as User
    const all = async () => (await world.request('GET /api/v2/user', { as })).json as User[]
    const roles = async () => (await world.request('GET /api/v2/role', { as })).json as Role[]
    /** The role of the member. */
    const roleName = async () => {
      const { role } = await read()
      return (await roles()).find(({ id }) => id === role)?.name ?? ''
    }
    const url = `${platform().url}/users`
    return {
      world,
      installation,
      manager,
      member,
      read,
      all,
      roleName,
      url,
      urlOf: `${url}?id=${member.id}`
    }
  }

  const panel = (page: Page) => page.getByRole('dialog')

  test('users are found by name and opened, and the address says what is shown', async () => {
    const { manager, member, url } = await company()
    const { page, faults } = await open()
    await signIn(page, url, manager)
    await page.getByRole('link', { name: 'Anna Berg', exact: true }).waitFor()
    await page.getByRole('searchbox').fill(manager.email)
    await shows(page, '1 of 2')
    await hides(page, 'Anna Berg')
    await page.reload()
    await shows(page, '1 of 2')
    await page.getByRole('searchbox').fill('no such user')
    await page.getByRole('button', { name: 'Show everybody', exact: true }).click()
    await page.getByRole('link', { name: 'Anna Berg', exact: true }).focus()
    await page.keyboard.press('Enter')
    await panel(page).getByLabel('E-mail').waitFor()
    assert.equal(await panel(page).getByLabel('E-mail').inputValue(), member.email)
    assert.equal(new URL(page.url()).searchParams.get('id'), String(member.id))
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    assert.deepEqual(faults, [])
  })

  test('a new user gets a mail, and every field may be anything', async () => {
    const { manager, all, url, roleName } = await company()
    const { page, faults } = await open()
    await signIn(page, url, manager)
    await page.getByRole('button', { name: 'New user', exact: true }).click()
    const email = `new-${manager.id}@example.org`
    await panel(page).getByLabel('First name').fill(HOSTILE)
    await panel(page).getByLabel('Last name').fill(HOSTILE)
    await panel(page).getByLabel('E-mail').fill(email)
    await panel(page).getByLabel('Note').fill(HOSTILE)
    await panel(page).getByRole('textbox', { name: 'Key', exact: true }).fill(HOSTILE)
    await page.keyboard.press('Enter')
    await panel(page).getByRole('textbox', { name: HOSTILE, exact: true }).fill(HOSTILE)
    const role = panel(page).getByLabel(/^Role/)
    await role.fill('Administrator')
    const above = page.getByRole('option', { name: /^Administrator – more than you/ })
    assert.equal(await above.getAttribute('data-combobox-disabled'), 'true')
    await role.fill(await roleName())
    await page.getByRole('option', { name: await roleName(), exact: true }).click()
    await panel(page).getByRole('button', { name: 'Create and invite', exact: true }).click()
    await shows(page, `sends a link to ${email}`)
    const made = (await all()).find((one) => one.email === email)
    assert.deepEqual(
      [made?.first_name, made?.note, made?.meta],
      [HOSTILE, HOSTILE, { [HOSTILE]: HOSTILE }]
    )
    assert.match(await keyFor(platform(), email), /.{20}/)
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('what somebody else changed meanwhile is shown, and both are kept', async () => {
    const { world, manager, member, read, urlOf } = await company()
    const { page } = await open()
    await signIn(page, urlOf, manager)
    await panel(page).getByLabel('First name').fill('Eva')
    const change = { last_name: 'Ek', meta: { floor: '2' } }
    await world.request(`PUT /api/v2/user/${member.id}`, { as: world.admin, body: change })
    const save = panel(page).getByRole('button', { name: 'Save', exact: true })
    await save.click()
    await shows(page, /Last name\s+Berg\s+Ek\s+as before/)
    await page.getByRole('button', { name: 'Keep my changes on top', exact: true }).click()
    await save.click()
    await eventually(async () => {
      const { first_name, last_name, meta } = await read()
      assert.deepEqual([first_name, last_name, meta], ['Eva', 'Ek', { floor: '2' }])
    })
    await panel(page).getByText('Saved.', { exact: true }).waitFor()
    await panel(page).getByLabel('First name').fill('Ida')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Leave, and lose the changes', exact: true }).click()
    await panel(page).waitFor({ state: 'detached' })
    assert.equal((await read()).first_name, 'Eva')
  })

  test('installations are assigned by name, and not any more', async () => {
    const { world, manager, member, installation, urlOf } = await company()
    const as = world.admin
    const path = `/api/v2/installation/${installation.id}`
    await world.request(`PUT ${path}`, { as, body: { name: HOSTILE } })
    const assigned = async () =>
      ((await world.request(`GET ${path}`, { as })).json as { users: number[] }).users
    const { page, faults } = await open()
    await signIn(page, urlOf, manager)
    const part = page.getByRole('region', { name: 'Assigned installations' })
    await part.getByText('None that you see.', { exact: true }).waitFor()
    await part.getByLabel('Assign an installation', { exact: true }).click()
    await page.getByRole('option', { name: HOSTILE, exact: true }).click()
    await part.getByRole('button', { name: 'Assign', exact: true }).click()
    await part.getByRole('link', { name: HOSTILE, exact: true }).waitFor()
    assert.deepEqual(await assigned(), [member.id])
    await part.getByRole('button', { name: `Do not assign ${HOSTILE} any more` }).click()
    await part.getByText('None that you see.', { exact: true }).waitFor()
    assert.deepEqual(await assigned(), [])
    assert.deepEqual(faults, [])
  })

  test('sessions are ended, and a key is made that acts as the user', async () => {
    const { world, manager, member, urlOf } = await company()
    const { page } = await open()
    await signIn(page, urlOf, manager)
    const part = page.getByRole('region', { name: 'Sessions and keys' })
    await part.getByRole('button', { name: /^End: / }).click()
    await part.getByText('The user is not signed in anywhere.', { exact: true }).waitFor()
    assert.equal((await world.request('GET /api/v2/user/me', { as: member })).status, 401)
    await part.getByRole('button', { name: 'New key', exact: true }).click()
    await part.getByLabel('Name').fill('Wall display')
    await part.getByLabel('Filter permissions').fill('status/read')
    await part.getByLabel('status/read/all').check()
    await part.getByRole('button', { name: 'Make the key', exact: true }).click()
    const token = await part.getByRole('region', { name: 'Key Wall display' }).innerText()
    const me = await world.request('GET /api/v2/user/me', { as: { token } })
    assert.equal((me.json as User).id, member.id)
    await part.getByRole('button', { name: 'Delete: Wall display', exact: true }).click()
    await part.getByRole('button', { name: 'Delete it', exact: true }).click()
    await part.getByText('The user has no API key.', { exact: true }).waitFor()
    assert.equal((await world.request('GET /api/v2/user/me', { as: { token } })).status, 401)
  })

  test('an account is shut out and let in, gets a link, and is deleted after a question', async () => {
    const { world, manager, member, all, urlOf } = await company()
    const { page } = await open()
    await signIn(page, urlOf, manager)
    const status = async () => (await world.request('GET /api/v2/user/me', { as: member })).status
    const part = page.getByRole('region', { name: 'Access' })
    await part.getByRole('button', { name: 'Disable the account', exact: true }).click()
    await part.getByRole('button', { name: 'Disable', exact: true }).click()
    await part.getByText('The account is disabled.', { exact: true }).waitFor()
    assert.equal(await status(), 401)
    await part.getByRole('button', { name: 'Disable the account' }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Anna Berg disabled/ }).waitFor()
    await part.getByRole('button', { name: 'Let in again', exact: true }).click()
    await part.getByText('The account works.', { exact: true }).waitFor()
    await page.getByRole('row', { name: /Anna Berg disabled/ }).waitFor({ state: 'detached' })
    assert.equal(await status(), 200)
    await part.getByRole('button', { name: 'Send the link for a password', exact: true }).click()
    assert.match(await keyFor(platform(), member.email), /.{20}/)
    await page.getByRole('button', { name: 'Delete the user', exact: true }).click()
    await shows(page, `The account ${member.email} goes`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('link', { name: 'Anna Berg', exact: true }).waitFor({ state: 'detached' })
    assert.equal(
      (await all()).some(({ id }) => id === member.id),
      false
    )
  })

  test('who sees no roles chooses one that somebody has', async () => {
    const { world, manager, installation, member, read, urlOf } = await company([
      ...['user/#', 'organization/list', 'log/read/all', 'status/read/all']
    ])
    const organizations = [installation.organization_id]
    const other = await world.user({
      ...{ organizations, first_name: 'Eva', last_name: 'Ek', grants: ['log/read/all'] },
      priority: 10
    })
    const { role } = await read(other.id)
    const { page } = await open()
    await signIn(page, urlOf, manager)
    await panel(page).getByLabel(/^Role/).fill('Eva')
    await page.getByRole('option', { name: `role ${role} (as Eva Ek)`, exact: true }).click()
    await panel(page).getByRole('button', { name: 'Save', exact: true }).click()
    await panel(page).getByText('Saved.', { exact: true }).waitFor()
    assert.equal((await read(member.id)).role, role)
  })

  test('who may only look changes nothing, and who has more rights is out of reach', async () => {
    const { manager, urlOf } = await company(looks)
    const { page } = await open()
    await signIn(page, urlOf, manager)
    await shows(page, 'you need the permission user/update')
    await shows(page, 'you need the permission user/security/token/list')
    for (const name of ['Save', 'Delete the user', 'New user', 'Disable the account', 'Assign'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    assert.equal(await panel(page).getByLabel('First name').isEditable(), false)
    const other = await company()
    const { page: second } = await open()
    const organizations = [other.installation.organization_id]
    const boss = await other.world.user({ grants: ['#'], organizations, priority: 900 })
    await signIn(second, `${other.url}?id=${boss.id}`, other.manager)
    await panel(second).getByLabel('First name').fill('Small')
    await panel(second).getByRole('button', { name: 'Save', exact: true }).click()
    await shows(second, 'You have the permission, but not for this')
    assert.equal((await other.read(boss.id)).first_name, 'Test')
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the page can be used by everybody, ${colorScheme}`, async () => {
      const { manager, url, urlOf } = await company()
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, url, manager)
      await page.getByRole('link', { name: 'Anna Berg', exact: true }).waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      const width = () => page.evaluate('document.documentElement.scrollWidth')
      assert.equal(await width(), 390)
      await page.goto(urlOf)
      await page.getByRole('region', { name: 'Sessions and keys' }).getByText('API').waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await page.setViewportSize({ width: 1280, height: 1600 })
      await page.goto(url)
      await page.getByRole('link', { name: 'Anna Berg', exact: true }).waitFor()
      await page.getByRole('button', { name: 'New user', exact: true }).click()
      await panel(page).getByLabel('E-mail').waitFor()
      assert.deepEqual(await seriousFindings(page), [])
    })
})
