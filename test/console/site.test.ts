import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { bytesText } from '../../console/src/bytes.ts'
import { isShorter, readDays, shareOf } from '../../console/src/site/amounts.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN } from '../support/platform.ts'
import { HOSTILE, house, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('days as they are typed', () => {
  const all: [typed: string, days: number | null | undefined][] = [
    ['', null],
    [' ', null],
    ['90', 90],
    ['36 500', 36_500],
    ['36501', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['ninety', undefined]
  ]
  for (const [typed, days] of all) assert.equal(readDays(typed), days, typed)
  assert.equal(isShorter(90, null), true)
  assert.equal(isShorter(90, 91), true)
  assert.equal(isShorter(90, 90), false)
  assert.equal(isShorter(null, 90), false)
})

test('sizes and shares in words', () => {
  const all: [bytes: number, text: string][] = [
    [0, '0 B'],
    [1023, '1,023 B'],
    [1536, '1.5 KiB'],
    [1024 ** 3, '1 GiB'],
    [256 * 1024 ** 3, '256 GiB'],
    [1024 ** 6, '1,024 PiB']
  ]
  for (const [bytes, text] of all) assert.equal(bytesText(bytes, 'en'), text)
  assert.deepEqual(shareOf(1, 4), { share: 0.25 })
  assert.deepEqual(shareOf(8, 10), { share: 0.8, state: 'nearly' })
  assert.deepEqual(shareOf(12, 10), { share: 1, state: 'usedUp' })
  assert.deepEqual(shareOf(0, 0), { share: 1, state: 'usedUp' })
})

describe('the settings of an installation', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const reads = ['installation/list/all', 'functionx/list/all', 'status/read/all']
  const writes = [
    ...['installation/#', 'functionx/#', 'devicex/#', 'status/#', 'log/#', 'rule/#', 'mqtt/#'],
    ...['user/list', 'organization/list', 'schedule/#', 'mapping/#', 'file/#', 'notification/#'],
    'edge/app/configured/list/all'
  ]

  async function site(name: string, given: string[]) {
    const { world } = platform()
    const { installation, publish } = await house(world, name)
    const { organization_id, id } = installation
    const user = await world.user({ grants: given, organizations: [organization_id] })
    const path = `/api/v2/installation/${id}`
    const as = world.admin
    const stored = async () => {
      const { json } = await world.request(`GET ${path}`, { as })
      return json as { name: string; notes: string; timezone: string; users: number[] } & {
        organization_id: number
        meta: Record<string, string>
        protected_meta?: Record<string, string>
      }
    }
    const change = (body: object) => world.request(`PUT ${path}`, { as, body })
    const url = `${platform().url}/installations/${id}/site`
    return { world, installation, organization_id, user, stored, change, publish, path, url }
  }
  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const press = (page: Page, name: string, button: string) =>
    part(page, name).getByRole('button', { name: button, exact: true }).click()

  test('name, notes, zone and organization are changed, whatever is written', async () => {
    const { world, organization_id, user, stored, url } = await site('Mill', writes)
    const below = await world.organization(organization_id)
    const { page, faults } = await open()
    await signIn(page, url, user)
    const general = part(page, 'General')
    await general.getByRole('textbox', { name: 'Name', exact: true }).fill(HOSTILE)
    await general.getByRole('textbox', { name: 'Notes', exact: true }).fill(`${HOSTILE}\nline two`)
    const zone = general.getByRole('combobox', { name: 'Time zone' })
    await zone.fill('Mars/Olympus')
    await press(page, 'General', 'Save')
    await shows(page, 'timezone must be an IANA time zone')
    await zone.fill('Europe/Stockholm')
    await general.getByRole('combobox', { name: 'Organization' }).click()
    await page.getByRole('option').filter({ hasNotText: /✓/ }).nth(1).click()
    await press(page, 'General', 'Save')
    await shows(page, 'Saved\\.')
    const { name, notes, timezone, organization_id: moved } = await stored()
    assert.deepEqual([name, notes, timezone], [HOSTILE, `${HOSTILE}\nline two`, 'Europe/Stockholm'])
    assert.equal(moved, below)
    await page.getByRole('heading', { name: HOSTILE }).waitFor()
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('what somebody else changed meanwhile stands beside the own change', async () => {
    const { user, stored, change, url } = await site('Barn', writes)
    const { page } = await open()
    await signIn(page, url, user)
    await part(page, 'General').getByLabel('Notes').fill('mine')
    await change({ timezone: 'Asia/Tokyo' })
    await press(page, 'General', 'Save')
    await shows(page, /Time zone\s+\S.*\s+Asia\/Tokyo\s+as before/)
    assert.equal((await stored()).notes, '')
    await page.getByRole('button', { name: 'Keep my changes on top', exact: true }).click()
    await press(page, 'General', 'Save')
    await eventually(async () => {
      const { notes, timezone } = await stored()
      assert.deepEqual([notes, timezone], ['mine', 'Asia/Tokyo'])
    })
  })

  test('people are added and removed by name', async () => {
    const { world, organization_id, user, stored, url } = await site('Inn', writes)
    const organizations = [organization_id]
    const more = { organizations, first_name: HOSTILE, last_name: 'Berg' }
    const guest = await world.user({ grants: ['status/read/assigned'], ...more })
    const chief = await world.user({
      grants: ['role/#', 'user/#'],
      organizations,
      first_name: 'Big',
      last_name: 'Chief'
    })
    const { page, faults } = await open()
    await signIn(page, url, user)
    const people = part(page, 'People')
    await people.getByText('It is assigned to nobody yet.').waitFor()
    const add = async (text: string) => {
      await people.getByRole('combobox', { name: 'Add somebody' }).fill(text)
      await page.getByRole('option', { name: new RegExp(text) }).click()
      await press(page, 'People', 'Add')
    }
    await add(guest.email)
    await people.getByText(guest.email).waitFor()
    assert.deepEqual((await stored()).users, [guest.id])
    await add(chief.email)
    await shows(page, 'You cannot add somebody who may do more than you')
    await press(page, 'People', `Remove ${HOSTILE} Berg`)
    await press(page, 'People', 'Remove')
    await people.getByText('It is assigned to nobody yet.').waitFor()
    assert.deepEqual((await stored()).users, [])
    assert.deepEqual(faults, [])
  })

  test('metadata is changed key by key', async () => {
    const { user, stored, change, url } = await site('Lock', writes)
    await change({ meta: { owner: 'Anna', old: 'x' } })
    const { page, faults } = await open()
    await signIn(page, url, user)
    const metadata = part(page, 'Metadata').first()
    await metadata.getByRole('textbox', { name: 'owner' }).fill(HOSTILE)
    await press(page, 'Metadata', 'Remove old')
    await press(page, 'Metadata', 'Add a key')
    await metadata.getByRole('textbox', { name: 'Key' }).fill('price/kWh')
    await metadata.getByRole('textbox', { name: 'Value' }).fill('1.5')
    await change({ meta: { owner: 'Anna', old: 'x', other: 'theirs' } })
    await metadata.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () => assert.match(await metadata.innerText(), /^Saved$/m))
    const { meta } = await stored()
    assert.deepEqual(meta, { owner: HOSTILE, 'price/kWh': '1.5', other: 'theirs' })
    assert.deepEqual(faults, [])
  })

  test('fewer days ask first; other quotas stay; others may not set them', async () => {
    const { world, user, path, url } = await site('Dam', writes)
    const as = world.admin
    const quota = async () =>
      ((await world.request(`GET ${path}/quota`, { as })).json as { overrides: object }).overrides
    await world.request(`PUT ${path}/quota`, { as, body: { topics: 2 } })
    const { page, faults } = await open()
    await signIn(page, url, ADMIN)
    const days = part(page, 'How long values stay')
    await days.getByText('Values stay for ever.').waitFor()
    await days.getByRole('textbox').fill('0')
    await shows(page, 'A whole number of days')
    await days.getByRole('textbox').fill('90')
    await press(page, 'How long values stay', 'Save')
    await shows(page, 'Values that are older than 90 days will be deleted')
    assert.deepEqual(await quota(), { topics: 2 })
    await page.getByRole('button', { name: 'Set it, and delete older values', exact: true }).click()
    await days.getByText('Values stay for 90 days').waitFor()
    assert.deepEqual(await quota(), { topics: 2, history_days: 90 })
    await shows(page, /Topics\s+1 of 2/)
    assert.deepEqual(faults, [])

    const other = await open()
    await signIn(other.page, url, user)
    await shows(other.page, 'Only somebody who belongs to the topmost organization')
    assert.equal(await part(other.page, 'How long values stay').getByRole('textbox').count(), 0)
  })

  test('the whole installation is a file for those who may, and the way to its values', async () => {
    const { user, url } = await site('Pump', [...writes, 'site/export/all'])
    const { page, faults } = await open()
    await signIn(page, url, user)
    await part(page, 'Export').getByText('The file does not have: people').waitFor()
    const file = page.waitForEvent('download')
    await part(page, 'Export').getByRole('button', { name: 'Download' }).click()
    assert.equal((await file).suggestedFilename(), 'Pump.site')
    const [head] = readFileSync(await (await file).path(), 'latin1').split('\n')
    assert.equal(head, 'caracal-site 1')
    assert.deepEqual(faults, [])
    await part(page, 'Export').getByRole('link', { name: 'Values as a file' }).click()
    await page.waitForURL('**/values')
  })

  test('without the permission the page says which one the export needs', async () => {
    const { user, url } = await site('Pump', writes)
    const { page } = await open()
    await signIn(page, url, user)
    await part(page, 'Export').getByText('site/export').waitFor()
    assert.equal(await part(page, 'Export').getByRole('button', { name: 'Download' }).count(), 0)
  })

  test('is deleted only after its name is typed, and the question says what goes', async () => {
    const { world, installation, user, path, url } = await site(HOSTILE, writes)
    const { page, faults } = await open(phone)
    await signIn(page, url, user)
    await page.getByRole('button', { name: 'Delete the installation', exact: true }).click()
    const question = page.getByRole('dialog')
    await question.getByText('1 function', { exact: true }).waitFor()
    await question.getByText(/all values: \d+ B on 1 topic$/).waitFor()
    const go = question.getByRole('button', { name: 'Delete it for ever', exact: true })
    assert.equal(await go.isDisabled(), true)
    await question.getByRole('textbox').fill(HOSTILE)
    await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
    await go.click()
    await page.getByRole('heading', { name: 'Installations', exact: true }).waitFor()
    const { status } = await world.request(`GET ${path}`, { as: world.admin })
    assert.equal(status, 403)
    assert(!page.url().includes(`/installations/${installation.id}`))
    assert.deepEqual(faults, [])
  })

  test('who may only look finds no button that changes', async () => {
    const { user, url, change } = await site('Tower', reads)
    await change({ meta: { owner: 'Anna' }, notes: 'Key under the mat' })
    const { page } = await open()
    await signIn(page, url, user)
    await shows(page, 'You may look, but not change anything')
    await shows(page, 'installation/delete')
    assert.equal(await page.getByRole('link', { name: 'Values as a file' }).count(), 0)
    for (const name of ['Save', 'Add', 'Add a key', 'Delete the installation', 'Remove owner']) {
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    }
    assert.equal(await page.getByLabel('Notes').getAttribute('readonly'), '')
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the settings can be used by everybody, ${colorScheme}`, async () => {
      const { world, organization_id, change, url, user } = await site('Lake house', writes)
      const guest = await world.user({ organizations: [organization_id], first_name: 'Åsa' })
      await change({ meta: { owner: 'Anna', street: 'Long '.repeat(20) }, users: [guest.id] })
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, url, user)
      await page.getByText('Åsa User').waitFor()
      await shows(page, 'of 20,000')
      await shows(page, 'Only somebody who belongs')
      assert.deepEqual(await seriousFindings(page), [])
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert(width <= 390, `${width} px wide`)
    })
})
