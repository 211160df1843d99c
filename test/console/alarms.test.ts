import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertAlarms, type NewAlarm } from '../../src/features/alarm/alarms.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import {
  grants,
  HOSTILE,
  hides,
  house,
  seriousFindings,
  shows,
  signIn,
  withConsole
} from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const lists = [...grants, 'alarm/list/all']
const acknowledges = [...lists, 'alarm/acknowledge/all']

describe('alarms', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const MINUTE = 60_000

  /** A house, and somebody of its organization with these grants. */
  async function home(name: string, given: string[]) {
    const { world } = platform()
    const { installation, publish } = await house(world, name)
    const organizations = [installation.organization_id]
    const user = await world.user({ grants: given, organizations })
    const address = `${platform().url}/installations/${installation.id}`
    return { installation, publish, user, address }
  }

  const raise = (
    { id, client_id }: { id: number; client_id: number },
    alarms: readonly Partial<NewAlarm>[]
  ) =>
    insertAlarms(
      platform().deps.registry,
      alarms.map((fields, i) => ({
        ...{ installation_id: id, rule_id: 7, topic: `${client_id}/obj/temp`, value: 30.25 },
        ...{ severity: 'warning', raised_at: Date.now() - (i + 1) * MINUTE, isTold: true },
        ...{ message: `Number ${i + 1}`, ...fields }
      }))
    )

  const bell = (page: Page, name: RegExp | string) =>
    page.getByRole('banner').getByRole('link', { name })
  const rings = (page: Page, name: RegExp | string) =>
    eventually(async () => assert.equal(await bell(page, name).count(), 1))
  const lines = (page: Page) => page.locator('.alarm-line')
  const width = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  test('a value raises an alarm on every page; the keyboard acknowledges it; it clears', async () => {
    const { world } = platform()
    const { installation, publish, user, address } = await home('Freezer house', acknowledges)
    await world.request(`POST /api/v2/rule/${installation.id}`, {
      as: world.admin,
      body: {
        ...{ name: 'Warm', severity: 'critical', on: { topics: ['obj/temp'] } },
        ...{ when: { above: 25 }, message: 'Too warm: {{.payload.value}}' }
      }
    })
    const { page, faults } = await open()
    await signIn(page, `${address}/live`, user)
    await rings(page, 'Alarms: none that is not acknowledged')
    await page.getByText('live', { exact: true }).waitFor()
    await publish('obj/temp', { value: 30.25 })
    await rings(page, '1 alarm not acknowledged, the worst: critical')
    await bell(page, /1 alarm/).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/alarms')
    await shows(page, 'Too warm: 30.25')
    await shows(page, 'Freezer house')
    assert.deepEqual(await seriousFindings(page), [])

    await page.goto(`${address}/alarms`)
    await shows(page, /Freezer house · Hall[\s\S]*30\.3\s*°C/)
    await page.getByRole('button', { name: 'Acknowledge: Too warm: 30.25' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Note' }).waitFor()
    await page.keyboard.press('Escape')
    await eventually(async () => assert.equal(await page.locator('.alarm-go:focus').count(), 1))
    await page.keyboard.press('Enter')
    await page.keyboard.type('On my way')
    await page.keyboard.press('Enter')
    await shows(page, /Acknowledged by you[\s\S]*On my way/)
    await rings(page, 'Alarms: none that is not acknowledged')
    await eventually(async () => assert.equal(await page.locator('.alarm-line:focus').count(), 1))
    await publish('obj/temp', { value: 20 })
    await page.getByText('All', { exact: true }).click()
    await shows(page, /Cleared .*, after/)
    assert.match(page.url(), /state=all/)
    await page.getByRole('link', { name: /^Plot: / }).click()
    await page.waitForURL('**/plot?*')
    assert.match(decodeURIComponent(page.url()), /topics=\["obj\/temp"\]/)
    assert.deepEqual(faults, [])
  })

  test('who was told of an alarm is listed, or that nobody was', async () => {
    const { world } = platform()
    const { installation, publish, user, address } = await home('Told house', lists)
    await world.request('PUT /api/v2/user/me/alarm', {
      as: user,
      body: { severities: ['critical'], channels: ['mail'] }
    })
    await world.request(`POST /api/v2/rule/${installation.id}`, {
      as: world.admin,
      body: {
        ...{ name: 'Warm', severity: 'critical', on: { topics: ['obj/temp'] } },
        ...{ when: { above: 25 }, message: 'Told' }
      }
    })
    await eventually(async () => {
      await publish('obj/temp', { value: 30.25 })
      const path = `GET /api/v2/alarm/${installation.id}`
      const { json } = await world.request(path, { as: user })
      const [alarm] = json as { id: number }[]
      const { json: told } = await world.request(`${path}/${alarm?.id}/delivery`, { as: user })
      assert.equal((told as { result: string }[])[0]?.result, 'sent')
    }, 30_000)
    await raise(installation, [{ message: 'Quiet' }])
    const { page, faults } = await open(phone)
    await signIn(page, `${address}/alarms`, user)
    await page.getByRole('button', { name: 'Who was told: Told' }).click()
    await page.getByRole('cell', { name: 'mail' }).first().waitFor()
    assert.deepEqual(
      (await page.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).slice(1),
      ['mail', user.email, 'sent']
    )
    assert.deepEqual(await seriousFindings(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Who was told: Quiet' }).click()
    await shows(page, 'Nobody was told of this alarm yet')
    assert.deepEqual(faults, [])
  })

  test('who may only list sees the bell and no button, whatever the texts hold, on a phone', async () => {
    const { world } = platform()
    const { installation, user, address } = await home(HOSTILE, lists)
    const long = `Ä${'verylongword'.repeat(30)}`
    const [first] = await raise(installation, [
      { message: HOSTILE, severity: 'critical' },
      { message: long, severity: 'info', topic: `${installation.client_id}/obj/${HOSTILE}` },
      { rule_id: 0, value: null, topic: String(installation.client_id), severity: 'critical' }
    ])
    await world.request(`PUT /api/v2/alarm/${installation.id}/${first?.id}/acknowledge`, {
      as: world.admin,
      body: { note: HOSTILE }
    })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, `${address}/alarms?state=all`, user)
      await shows(page, 'verylongword')
      await rings(page, '2 alarms not acknowledged, the worst: critical')
      await shows(page, 'Acknowledged by user')
      await shows(page, 'The gateway is not connected')
      assert.equal(await lines(page).count(), 3)
      assert.equal(await page.getByRole('button', { name: /Acknowledge|note/ }).count(), 0)
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await width(page), 0)
      await bell(page, /2 alarms/).click()
      await page.waitForURL('**/alarms')
      await eventually(async () => assert.equal(await lines(page).count(), 2))
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await width(page), 0)
      assert.equal((await page.title()).includes('hacked'), false)
      assert.deepEqual(faults, [])
    }
  })

  test('two taps acknowledge on a phone, in Swedish; a refusal is told', async () => {
    const { installation, user, address } = await home('Stugan', acknowledges)
    await raise(installation, [{ message: 'Kallt' }, { message: 'Vått' }])
    const { page, faults } = await open({ ...phone, locale: 'sv' })
    await page.goto(address)
    await page.getByLabel('E-post').fill(user.email)
    await page.getByRole('textbox', { name: 'Lösenord' }).fill(user.password)
    await page.getByRole('button', { name: 'Logga in' }).click()
    await bell(page, '2 larm ej kvitterade, det värsta: varning').tap()
    await page.getByRole('button', { name: 'Kvittera: Kallt' }).tap()
    const go = page.getByRole('button', { name: 'Kvittera', exact: true })
    assert.equal((await go.boundingBox())?.height, 44)
    assert.deepEqual(await seriousFindings(page), [])
    await go.tap()
    await shows(page, 'Kvitterat av dig')
    await rings(page, '1 larm ej kvitterade, det värsta: varning')
    assert.equal(await lines(page).count(), 2)

    await page.getByRole('button', { name: 'Kvittera: Vått' }).tap()
    await platform().world.setGrants(user.id, lists)
    await go.tap()
    await shows(page, 'alarm/acknowledge')
    assert.equal(await width(page), 0)
    assert.deepEqual(faults, [])
  })

  test('several are chosen and acknowledged with one note; a refused one stays chosen', async () => {
    const { world } = platform()
    const { installation, user } = await home('Many', acknowledges)
    const second = await world.installation({ organization_id: installation.organization_id })
    const names = [HOSTILE, 'B', 'C', 'D', 'E', 'F']
    const rows = await raise(
      installation,
      names.map((message) => ({ message, topic: `${installation.client_id}/obj/${message}` }))
    )
    await raise(second, [{ message: 'Elsewhere' }])
    const { page, faults } = await open()
    await signIn(page, `${platform().url}/alarms`, user)
    await page.getByRole('button', { name: 'Acknowledge several' }).click()
    const bar = page.getByRole('form', { name: 'Acknowledge several' })
    assert.equal(await bar.getByRole('button', { name: 'Acknowledge' }).isDisabled(), true)
    assert.equal(await page.getByRole('button', { name: /^Acknowledge: / }).count(), 0)
    await page.getByRole('checkbox', { name: 'Choose: B' }).press('Space')
    // A click anywhere on the line.
    await lines(page)
      .filter({ hasText: 'Elsewhere' })
      .click({ position: { x: 300, y: 20 } })
    await shows(page, '2 chosen')
    assert.deepEqual(await seriousFindings(page), [])
    await bar.getByRole('textbox').fill(HOSTILE)
    await bar.getByRole('button', { name: 'Acknowledge 2' }).click()
    await rings(page, /^5 alarms/)
    assert.equal(await page.locator('.alarm-note').count(), 2)
    assert.equal(await lines(page).count(), 7)
    assert.equal(await bar.count(), 0)

    await page.getByRole('button', { name: 'Acknowledge several' }).click()
    await bar.getByRole('button', { name: 'Choose all 5 shown' }).click()
    // One is gone meanwhile.
    const gone = rows.find(({ message }) => message === 'D')
    const { registry } = platform().deps
    await registry
      .deleteFrom('alarms')
      .where('id', '=', gone?.id ?? 0)
      .execute()
    await bar.getByRole('button', { name: 'Acknowledge 5' }).click()
    await shows(page, '1 alarm not acknowledged: Not found')
    await rings(page, 'Alarms: none that is not acknowledged')
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual(faults, [])
  })

  test('several are acknowledged with one hand, in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { installation, user, address } = await home('Handy', acknowledges)
      await raise(
        installation,
        Array.from({ length: 12 }, (_, i) => ({ topic: `${installation.client_id}/obj/${i}` }))
      )
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, `${address}/alarms`, user)
      await page.getByRole('button', { name: 'Acknowledge several' }).tap()
      await lines(page).first().tap()
      await lines(page).nth(1).tap()
      const go = page.getByRole('button', { name: 'Acknowledge 2' })
      assert.equal((await go.boundingBox())?.height, 44)
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await width(page), 0)
      await go.tap()
      await rings(page, /^10 alarms/)
      assert.deepEqual(faults, [])
    }
  })

  test('without alarm/list there is no bell, and the pages say what is missing', async () => {
    const { installation, user, address } = await home('Closed', grants)
    await raise(installation, [{}])
    const { page, faults } = await open()
    await signIn(page, `${platform().url}/alarms`, user)
    await shows(page, 'The permission alarm/list is missing')
    assert.equal(await page.getByRole('link', { name: /alarm/i }).count(), 0)
    await page.goto(`${address}/alarms`)
    await shows(page, 'The permission alarm/list on the installation Closed .* is missing')
    await page.goto(`${platform().url}/installations`)
    await shows(page, 'Closed')
    await hides(page, 'alarm')
    assert.deepEqual(faults, [])
  })

  test('the installations page says where alarms are; others are not seen', async () => {
    const { world } = platform()
    const { installation, user } = await home('Noisy', lists)
    const quiet = await world.installation({
      name: 'Quiet',
      organization_id: installation.organization_id
    })
    const other = await home('Foreign', lists)
    await raise(installation, [{ severity: 'critical' }, {}])
    await raise(other.installation, [{ message: 'Not for you' }])
    const { page, faults } = await open()
    await signIn(page, `${platform().url}/installations`, user)
    await shows(page, '1 with alarms')
    const card = page.getByRole('link', { name: /Noisy/ })
    await eventually(async () => assert.match(await card.innerText(), /2 alarms/))
    assert.equal(await page.getByRole('link', { name: /Quiet.*alarm/ }).count(), 0)
    assert.deepEqual(await seriousFindings(page), [])
    await page.goto(`${platform().url}/installations/${quiet.id}/alarms`)
    await shows(page, 'No alarm waits for you')
    await rings(page, /2 alarms/)
    await page.goto(`${platform().url}/alarms?state=all`)
    await eventually(async () => assert.equal(await lines(page).count(), 2))
    await hides(page, 'Not for you')
    assert.deepEqual(faults, [])
  })

  test('many alarms come page by page, and the bell knows the worst of all', async () => {
    const { installation, user, address } = await home('Storm', lists)
    await raise(
      installation,
      Array.from({ length: 130 }, (_, i) => ({
        topic: `${installation.client_id}/obj/${i}`,
        severity: i === 129 ? ('critical' as const) : ('info' as const)
      }))
    )
    const { page, faults } = await open()
    await signIn(page, `${address}/alarms`, user)
    await rings(page, '99+ alarms not acknowledged, the worst: critical')
    await eventually(async () => assert.equal(await lines(page).count(), 30))
    await page.getByRole('button', { name: 'Show more' }).click()
    await eventually(async () => assert.equal(await lines(page).count(), 60))
    await page.getByText('critical', { exact: true }).first().click()
    await eventually(async () => assert.equal(await lines(page).count(), 1))
    await shows(page, 'Number 130')
    await page.reload()
    await eventually(async () => assert.equal(await lines(page).count(), 1))
    assert.deepEqual(faults, [])
  })

  test('the plot of a topic shows its alarms as bands, and says them in words', async () => {
    const { installation, user, address } = await home('Banded', lists)
    const now = Date.now()
    const other = `${installation.client_id}/obj/other`
    await raise(installation, [
      { message: HOSTILE, severity: 'critical', raised_at: now - 30 * MINUTE },
      { message: 'Over', raised_at: now - 90 * MINUTE, cleared_at: now - 60 * MINUTE },
      { message: 'Long ago', raised_at: now - 3000 * MINUTE, cleared_at: now - 2900 * MINUTE },
      { message: 'Elsewhere', topic: other }
    ])
    const { page, faults } = await open()
    await page.addInitScript(`
      globalThis.filled = new Map()
      const { fillRect } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillRect = function (left, top, width, height) {
        filled.set(this.fillStyle, Math.round(width))
        fillRect.call(this, left, top, width, height)
      }`)
    await signIn(page, `${address}/plot?topics=%5B%22obj%2Ftemp%22%5D&last=21600`, user)
    const words = page.getByRole('region', { name: 'Alarms in this range' })
    await eventually(async () => assert.match(await words.innerText(), /warning\s+Over/))
    assert.match(await words.innerText(), /onerror[\s\S]*since/)
    await hides(page, 'Long ago')
    await hides(page, 'Elsewhere')
    const widthOf = (color: string) => page.evaluate(`filled.get('${color}')`) as Promise<number>
    const [critical, warning] = [await widthOf('#b3261e'), await widthOf('#8f5e14')]
    // Both lasted half an hour of six.
    assert(Math.abs(critical - warning) <= 4 && warning > 40, `${critical} ${warning}`)
    assert.deepEqual(await seriousFindings(page), [])
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual(faults, [])
  })
})
