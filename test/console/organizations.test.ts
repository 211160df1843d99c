import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { amountText, readQuota } from '../../console/src/organization/quotas.ts'
import {
  branchesOf,
  countsOf,
  found,
  insideOf,
  pathOf,
  rootOf,
  sizeOf
} from '../../console/src/organization/tree.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const all = [
  { id: 5, name: 'Low', parent: 3 },
  { id: 3, name: 'B 10', parent: 2 },
  { id: 4, name: 'B 9', parent: 2 },
  { id: 2, name: 'Top', parent: 0 }
]

test('organizations as a tree', () => {
  const [top] = branchesOf(all, 'en')
  assert.deepEqual(
    top?.children.map(({ name, children }) => [name, children.length]),
    [
      ['B 9', 0],
      ['B 10', 1]
    ]
  )
  const [only] = found(branchesOf(all, 'en'), ' low')
  assert.deepEqual([only?.name, only?.children[0]?.children[0]?.name], ['Top', 'Low'])
  assert.deepEqual(found(branchesOf(all, 'en'), 'nothing'), [])
  const byId = new Map(all.map((one) => [one.id, one]))
  assert.equal(pathOf(byId, 5), 'Top / B 10 / Low')
  assert.equal(rootOf(byId, 5), 2)
  assert.equal(top && sizeOf(top), 3)
  assert.deepEqual([...countsOf(byId, [[5], [5, 4], [9]])].sort(), [
    [2, 2],
    [3, 2],
    [4, 1],
    [5, 2]
  ])
  const inside = insideOf(
    new Set([3, 5]),
    [{ name: 'site', organization_id: 5 }],
    [{ organisations: [5] }, { organisations: [3, 4] }, { organisations: [2] }]
  )
  assert.deepEqual(
    [inside.organizations, inside.installations.length, inside.members, inside.onlyThere],
    [1, 1, 2, 1]
  )
})

test('quotas as they are typed and shown', () => {
  const typed: [name: Parameters<typeof readQuota>[0], text: string, value: unknown][] = [
    ['topics', ' 20 ', 20],
    ['topics', '', null],
    ['topics', '1.5', undefined],
    ['topics', '-1', undefined],
    ['topics', '1e3', undefined],
    ['file_bytes', '0,5', 524_288],
    ['history_days', '0', undefined],
    ['history_days', '36501', undefined],
    ['history_days', '30', 30]
  ]
  for (const [name, text, value] of typed) assert.equal(readQuota(name, text), value, text)
  assert.equal(amountText('history_bytes', 1.5 * 1024 ** 3, 'en'), '1.5 GiB')
  assert.equal(amountText('file_bytes', 0, 'en'), '0 B')
  assert.equal(amountText('topics', 20_000, 'en'), '20,000')
})

describe('organizations', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const manages = ['organization/#', 'user/#', 'installation/#', 'status/read/all']

  /** A manager of an organization with two others below it. */
  async function company(grants = manages) {
    const { world } = platform()
    const as = world.admin
    const top = await world.organization()
    const [left, right] = [await world.organization(top), await world.organization(top)]
    const manager = await world.user({ grants, organizations: [top] })
    const name = async (id: number) => ((await read(id)) as { name: string }).name
    const read = async (id: number) =>
      (await world.request(`GET /api/v2/organization/${id}`, { as })).json as Record<
        string,
        unknown
      >
    const isThere = async (id: number) =>
      (await world.request(`GET /api/v2/organization/${id}`, { as })).status === 200
    const url = `${platform().url}/organizations`
    return { world, as, top, left, right, manager, name, read, isThere, url }
  }

  const panel = (page: Page) => page.getByRole('dialog')
  const save = (page: Page) => panel(page).getByRole('button', { name: 'Save', exact: true })

  test('the tree is opened and closed by keyboard, filtered, and leads to the users', async () => {
    const { world, left, right, manager, name, url } = await company()
    const low = await world.organization(left)
    await world.installation({ organization_id: low })
    const { page, faults } = await open()
    await signIn(page, url, manager)
    const link = async (id: number) => page.getByRole('link', { name: await name(id), exact: true })
    await (await link(right)).waitFor()
    assert.equal(await (await link(low)).count(), 0)
    const arrow = page.getByRole('button', { name: `Below ${await name(left)}`, exact: true })
    await arrow.focus()
    await page.keyboard.press('Enter')
    await (await link(low)).waitFor()
    assert.equal(await arrow.getAttribute('aria-expanded'), 'true')
    await page.keyboard.press('Enter')
    await (await link(low)).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill(await name(low))
    await (await link(low)).waitFor()
    assert.equal(await (await link(right)).count(), 0)
    await (await link(low)).focus()
    await page.keyboard.press('Enter')
    await panel(page).getByText('1 installation', { exact: true }).waitFor()
    await panel(page).getByRole('link', { name: '0 users', exact: true }).click()
    await shows(page, 'Nobody matches these filters')
    assert.equal(new URL(page.url()).searchParams.get('organization'), String(low))
    assert.deepEqual(faults, [])
  })

  test('one is made below another, with anything in its fields', async () => {
    const { left, manager, read, url } = await company()
    const { page, faults } = await open()
    await signIn(page, `${url}?id=${left}`, manager)
    await panel(page).getByRole('button', { name: 'New one below', exact: true }).click()
    await panel(page).getByLabel('Name').fill(HOSTILE)
    await panel(page).getByLabel('City').fill(HOSTILE)
    await panel(page).getByLabel('Notes').fill(HOSTILE)
    await panel(page).getByRole('textbox', { name: 'Key', exact: true }).fill(HOSTILE)
    await panel(page).getByRole('button', { name: 'Add a key', exact: true }).click()
    await panel(page).getByRole('textbox', { name: HOSTILE, exact: true }).fill(HOSTILE)
    await panel(page).getByRole('button', { name: 'Create', exact: true }).click()
    await panel(page).getByText('Usage and quotas', { exact: true }).waitFor()
    const { children } = (await read(left)) as { children: { id: number }[] }
    const made = await read(children[0]?.id ?? 0)
    assert.deepEqual(
      [made['name'], made['notes'], made['meta'], made['parent']],
      [HOSTILE, HOSTILE, { [HOSTILE]: HOSTILE }, left]
    )
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('one is renamed and moved, and a refusal is explained', async () => {
    const { world, as, top, left, right, manager, name, read, url } = await company()
    const { page } = await open()
    await signIn(page, `${url}?id=${left}`, manager)
    await panel(page).getByLabel('Name').fill('Moved')
    await panel(page).getByLabel('Below', { exact: true }).click()
    const path = `${await name(top)} / ${await name(right)}`
    await page.getByRole('option', { name: path, exact: true }).click()
    await save(page).click()
    await panel(page).getByText('Saved.', { exact: true }).waitFor()
    const moved = await read(left)
    assert.deepEqual([moved['name'], moved['parent']], ['Moved', right])
    // A user there has a role of the organization above, which would be lost.
    const body = {
      name: world.unique('role'),
      priority: 1,
      permissions: {},
      organization_id: right
    }
    const role = (await world.request('POST /api/v2/role', { as, body })).json as { id: number }
    const member = await world.user({ organizations: [left] })
    await world.request(`PUT /api/v2/user/${member.id}`, { as, body: { role: role.id } })
    await panel(page).getByLabel('Below', { exact: true }).click()
    await page.getByRole('option', { name: await name(top), exact: true }).click()
    await save(page).click()
    await shows(page, 'It was not moved: users or registration rules')
    assert.equal((await read(left))['parent'], right)
  })

  test('what somebody else changed meanwhile is shown, and both are kept', async () => {
    const { world, as, left, manager, read, url } = await company()
    const { page } = await open()
    await signIn(page, `${url}?id=${left}`, manager)
    await panel(page).getByLabel('Phone').fill('123')
    const body = { email: 'a@b.se', meta: { floor: '2' } }
    await world.request(`PUT /api/v2/organization/${left}`, { as, body })
    await save(page).click()
    await shows(page, /E-mail\s+empty\s+a@b.se\s+as before/)
    await page.getByRole('button', { name: 'Keep my changes on top', exact: true }).click()
    await save(page).click()
    await eventually(async () => {
      const { phone, email, meta } = await read(left)
      assert.deepEqual([phone, email, meta], ['123', 'a@b.se', { floor: '2' }])
    })
  })

  test('who reaches the platform sets quotas, and others see them', async () => {
    const { world, as, left, manager, url } = await company()
    const boss = await world.user({ grants: ['#'], organizations: [1], priority: 1000 })
    const own = async () =>
      (
        (await world.request(`GET /api/v2/organization/${left}/quota`, { as })).json as {
          overrides: object
        }
      ).overrides
    const { page, faults } = await open()
    await signIn(page, `${url}?id=${left}`, boss)
    await panel(page).getByRole('button', { name: 'Change the quotas', exact: true }).click()
    const form = panel(page).getByRole('form', { name: 'Change the quotas' })
    await form.getByLabel('Topics').fill('x')
    assert.equal(await form.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true)
    await form.getByLabel('Topics').fill('500')
    await form.getByLabel('Stored values, in MiB').fill('0.5')
    await form.getByLabel('Days that values stay').fill('30')
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await panel(page)
      .getByRole('row', { name: /Stored values.*512 KiB/ })
      .waitFor()
    assert.deepEqual(await own(), { topics: 500, history_bytes: 524_288, history_days: 30 })
    const { page: second } = await open()
    await signIn(second, `${url}?id=${left}`, manager)
    await panel(second)
      .getByRole('row', { name: /Values stay.*30 days/ })
      .waitFor()
    await shows(second, 'Somebody who belongs to the topmost organization of the platform')
    await second.goto(`${url}?id=1`)
    await shows(second, 'This organization does not exist any more, or you may not see it')
    await page.goto(`${url}?id=1`)
    await shows(page, 'The topmost organization of the platform has no quotas')
    assert.deepEqual(faults, [])
  })

  test('an empty one is deleted after a question, a full one only with its name', async () => {
    const { world, left, right, manager, name, isThere, url } = await company()
    const site = await world.installation({ organization_id: right })
    const { page } = await open()
    await signIn(page, `${url}?id=${left}`, manager)
    const ask = page.getByRole('button', { name: 'Delete the organization', exact: true })
    const go = page.getByRole('button', { name: 'Delete', exact: true })
    await ask.click()
    await go.click()
    await eventually(async () => assert.equal(await panel(page).count(), 0))
    assert.equal(await isThere(left), false)
    await page.getByRole('link', { name: await name(right), exact: true }).click()
    await ask.click()
    await shows(page, `1 installation: ${site.name}`)
    assert.equal(await go.isDisabled(), true)
    await page.getByLabel('Delete all that is in it too').check()
    await page.getByLabel(/^Type .* to confirm$/).fill(await name(right))
    await go.click()
    await eventually(async () => assert.equal(await panel(page).count(), 0))
    assert.equal(await isThere(right), false)
  })

  test('what is not seen and blocks is told by the platform', async () => {
    const { world, as, left, manager, isThere, url } = await company()
    const body = { name: world.unique('role'), priority: 1, permissions: {}, organization_id: left }
    await world.request('POST /api/v2/role', { as, body })
    const { page } = await open()
    await signIn(page, `${url}?id=${left}`, manager)
    await page.getByRole('button', { name: 'Delete the organization', exact: true }).click()
    await shows(page, 'As far as you see, nothing is in it')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await shows(page, 'the organization has roles')
    await page.getByLabel('Delete all that is in it too').waitFor()
    assert.equal(await isThere(left), true)
  })

  test('everybody must set a new password, after a question', async () => {
    const { world, left, manager, url } = await company()
    const member = await world.user({ organizations: [left] })
    const { page } = await open()
    await signIn(page, `${url}?id=${left}`, manager)
    const part = page.getByRole('region', { name: 'Passwords' })
    await part.getByRole('button', { name: 'Ask everybody for a new password' }).click()
    await part.getByRole('button', { name: 'End them', exact: true }).click()
    await part.getByText('1 user must set a new password.', { exact: true }).waitFor()
    assert.equal((await world.request('GET /api/v2/user/me', { as: member })).status, 401)
  })

  test('who may only look changes nothing', async () => {
    const { left, manager, url } = await company(['organization/list'])
    const { page } = await open()
    await signIn(page, `${url}?id=${left}`, manager)
    await shows(page, 'you need the permission organization/update')
    for (const button of ['Save', 'Delete the organization', 'New organization', 'New one below'])
      assert.equal(await page.getByRole('button', { name: button, exact: true }).count(), 0, button)
    assert.equal(await panel(page).getByLabel('Name').isEditable(), false)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the page can be used by everybody, ${colorScheme}`, async () => {
      const { world, left, right, url } = await company()
      await world.installation({ organization_id: await world.organization(left) })
      await world.installation({ organization_id: right })
      const boss = await world.user({ grants: ['#'], organizations: [1], priority: 1000 })
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, url, boss)
      await page.getByRole('navigation', { name: 'Organizations' }).waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      const width = () => page.evaluate('document.documentElement.scrollWidth')
      assert.equal(await width(), 390)
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.goto(`${url}?id=${left}`)
      await panel(page).getByRole('button', { name: 'Change the quotas', exact: true }).click()
      await page.setViewportSize({ width: 1280, height: 2200 })
      assert.deepEqual(await seriousFindings(page), [])
      await page.setViewportSize({ width: 390, height: 844 })
      await panel(page).getByLabel('Topics').scrollIntoViewIfNeeded()
      await page.getByRole('button', { name: 'Delete the organization', exact: true }).click()
      await page.getByLabel('Delete all that is in it too').check()
      assert.deepEqual(await seriousFindings(page), [])
    })
})
