import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { digestFault, isRight } from '../../console/src/tell/faults.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { newBrowser } from '../support/push-service.ts'
import type { Account } from '../support/world.ts'
import { grants, HOSTILE, house, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const none = {
  ...{ severities: [], channels: [], quiet: null, digest: '', escalate: null, webhook: '' }
}

test('what the platform would refuse is not sent', () => {
  const quiet = { from: '22:00', to: '07:00' }
  const f = (digest: string, isFault: boolean) =>
    assert.equal(digestFault({ quiet, digest }), isFault, digest)
  f('22:00', true)
  f('06:59', true)
  f('07:00', false)
  f('', false)
  assert.equal(digestFault({ quiet: { from: '12:00', to: '13:00' }, digest: '12:30' }), true)
  assert.equal(isRight({ ...none, quiet }), true)
  assert.equal(isRight({ ...none, quiet: { from: '', to: '07:00' } }), false)
  assert.equal(isRight({ ...none, quiet: { from: '07:00', to: '07:00' } }), false)
  assert.equal(isRight({ ...none, channels: ['webhook'] }), false)
  assert.equal(isRight({ ...none, escalate: { after: '15 min', user_id: 3 } }), true)
  assert.equal(isRight({ ...none, escalate: { after: '15m', user_id: 0 } }), false)
})

describe('how one is told of alarms', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const stored = async (as: Account) => {
    const { json } = await platform().world.request('GET /api/v2/user/me/alarm', { as })
    return json as Record<string, unknown>
  }
  const is = (user: Account, part: Record<string, unknown>) =>
    eventually(async () => assert.deepEqual(await stored(user), { ...none, ...part }))
  const box = (page: Page, name: RegExp) => page.getByRole('checkbox', { name })
  const width = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  test('is reached from the account, chosen and saved; what is not saved is not lost', async () => {
    const { world, url } = platform()
    const organizations = [await world.organization()]
    const boss = await world.user({ organizations, first_name: 'Berit', last_name: HOSTILE })
    const user = await world.user({ grants: [...grants, 'user/list'], organizations })
    const { page, faults } = await open({ viewport: { width: 1280, height: 1000 } })
    await signIn(page, `${url}/installations`, user)
    await page.getByRole('button', { name: user.email }).click()
    await page.getByRole('menuitem', { name: 'Alarms to me' }).click()
    await shows(page, 'You are not told of any alarm')
    await page.getByText('critical', { exact: true }).click()
    await page.getByText('warning', { exact: true }).click()
    await box(page, /^Mail/).check()
    await shows(page, 'You are told of critical and warning alarms by mail')
    assert.equal(await box(page, /^SMS/).isDisabled(), true)
    await box(page, /^Webhook/).check()
    assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
    await page.getByLabel('Address of the webhook').fill('http://127.0.0.1/x')
    await page.getByRole('switch', { name: /^Quiet hours/ }).click()
    await page.getByLabel('To', { exact: true }).fill('06:30')
    await page.getByRole('switch', { name: /Tell what was held/ }).click()
    await page.getByLabel('At', { exact: true }).fill('06:00')
    await shows(page, 'This time lies in the quiet hours')
    await page.getByLabel('At', { exact: true }).fill('09:00')
    await page.getByRole('switch', { name: 'Tell somebody else' }).click()
    await page.getByRole('combobox', { name: 'Who' }).click()
    await page.getByRole('option', { name: /Berit/ }).click()
    await page.getByLabel('After').fill('20 min')
    await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
    await page.getByRole('button', { name: 'Save' }).click()
    await shows(page, 'webhook must not lead to an address')
    await page.getByLabel('Address of the webhook').fill('https://93.184.216.34/hook')
    await page.getByRole('link', { name: 'Installations', exact: true }).last().click()
    await shows(page, 'Leave without saving')
    await page.getByRole('button', { name: 'Stay here' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await shows(page, 'Saved')
    const wanted = {
      ...{ severities: ['critical', 'warning'], channels: ['mail', 'webhook'] },
      ...{ quiet: { from: '22:00', to: '06:30' }, digest: '09:00' },
      ...{ escalate: { after: '20m', user_id: boss.id }, webhook: 'https://93.184.216.34/hook' }
    }
    await is(user, wanted)
    await page.reload()
    await shows(page, 'You are told of critical and warning alarms by mail and webhook')
    await page.getByRole('switch', { name: /^Quiet hours/ }).click()
    await page.getByRole('switch', { name: 'Everything in one message' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await is(user, { ...wanted, quiet: null, digest: '' })
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual(faults, [])
  })

  test('on a phone, in Swedish, in both themes', async () => {
    const { world, url } = platform()
    const user = await world.user({ grants })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme, locale: 'sv' })
      await page.goto(`${url}/settings`)
      await page.getByLabel('E-post').fill(user.email)
      await page.getByRole('textbox', { name: 'Lösenord' }).fill(user.password)
      await page.getByRole('button', { name: 'Logga in' }).click()
      await box(page, /^Push/).check()
      await shows(page, 'Ingen webbläsare får larm än')
      await page.getByRole('switch', { name: /Tysta timmar/ }).click()
      await page.getByRole('switch', { name: 'Larma någon annan' }).click()
      await shows(page, 'Du ser ingen annan användare')
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      assert.equal(await width(page), 0)
      assert.deepEqual(faults, [])
    }
  })

  test('this browser is added and removed; its worker shows what is pushed', async () => {
    const { world, url } = platform()
    const user = await world.user({ grants })
    const { page, faults } = await open({ permissions: ['notifications'] })
    // No push service can be reached from here. All else is the real thing.
    const endpoint = `https://93.184.216.34/${world.unique('browser')}`
    const { keys } = newBrowser()
    const subscription = JSON.stringify({ endpoint, keys })
    await page.addInitScript(`
      PushManager.prototype.subscribe = async function (options) {
        globalThis.asked = options
        return { toJSON: () => (${subscription}) }
      }`)
    await signIn(page, `${url}/settings`, user)
    await box(page, /^Push/).check()
    await page.getByRole('button', { name: 'Tell me in this browser' }).click()
    await shows(page, 'This browser added')
    const at = 'GET /api/v2/user/me/alarm/push'
    const { json } = await world.request(at, { as: user })
    const { public_key, subscriptions } = json as { public_key: string; subscriptions: unknown[] }
    assert.equal(subscriptions.length, 1)
    assert.equal(await page.evaluate('asked.applicationServerKey'), public_key)

    const devtools = await page.context().newCDPSession(page)
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(({ scopeURL }) => scopeURL === `${url}/assets/`)
        if (own) resolve(own.registrationId)
      })
    })
    await devtools.send('ServiceWorker.enable')
    // What is pushed to a worker that is not active yet is lost.
    await eventually(async () => {
      const state = await page.evaluate(`navigator.serviceWorker
        .getRegistration('/assets/push.js')
        .then((worker) => worker.active?.state)`)
      assert.equal(state, 'activated')
    })
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin: url,
      registrationId: await registered,
      data: JSON.stringify({ title: 'warning: Cellar', body: HOSTILE, url, total: 1 })
    })
    await eventually(async () => {
      const shown = await page.evaluate(`navigator.serviceWorker
        .getRegistration('/assets/push.js')
        .then((worker) => worker.getNotifications())
        .then((list) => list.map(({ title, body }) => [title, body]))`)
      assert.deepEqual(shown, [['warning: Cellar', HOSTILE]])
    })

    await page.getByRole('button', { name: /^Remove: This browser/ }).click()
    await shows(page, 'No browser is told yet')
    const after = await world.request(at, { as: user })
    assert.deepEqual((after.json as { subscriptions: unknown[] }).subscriptions, [])
    assert.deepEqual(faults, [])
  })

  test('a rule that reaches nobody says so; one click adds mail and its severity', async () => {
    const { world, url } = platform()
    const { installation } = await house(world, 'Unheard')
    const organizations = [installation.organization_id]
    const writes = [...grants, 'rule/#', 'alarm/list/all']
    const user = await world.user({ grants: writes, organizations })
    const blind = await world.user({ grants: [...grants, 'rule/#'], organizations })
    await world.request('PUT /api/v2/user/me/alarm', {
      as: user,
      body: { severities: ['critical'], channels: ['push'], digest: '08:00' }
    })
    const add = (severity: string, active: boolean) =>
      world.request(`POST /api/v2/rule/${installation.id}`, {
        as: world.admin,
        body: {
          name: severity,
          severity,
          active,
          on: { topics: ['obj/temp'] },
          when: { above: 99 }
        }
      })
    await add('warning', true)
    await add('info', false)
    const address = `${url}/installations/${installation.id}/rules`
    const other = await open()
    await signIn(other.page, address, blind)
    await shows(other.page, 'Nobody is told of warning alarms here')
    await shows(other.page, 'the permission alarm/list is missing')
    assert.equal(await other.page.getByRole('button', { name: 'Tell me by mail' }).count(), 0)

    const { page, faults } = await open()
    await signIn(page, address, user)
    await shows(page, /Nobody is told of warning alarms here[\s\S]*reaches nobody/)
    assert.equal(await page.getByText('reaches nobody').count(), 1)
    assert.deepEqual(await seriousFindings(page), [])
    await page.getByRole('button', { name: 'Tell me by mail' }).click()
    await shows(page, 'You are told by mail now')
    assert.equal(await page.getByText('reaches nobody').count(), 0)
    const mail = { channels: ['push', 'mail'], digest: '08:00' }
    await is(user, { ...mail, severities: ['critical', 'warning'] })

    await page.getByRole('link', { name: 'warning' }).click()
    const editor = page.getByRole('dialog')
    await eventually(async () => assert.match(await editor.innerText(), /1 person is told/))
    await editor.getByText('info', { exact: true }).click()
    await eventually(async () =>
      assert.match(await editor.innerText(), /no one asked for info alarms here/)
    )
    await editor.getByRole('button', { name: 'Tell me by mail' }).click()
    await eventually(async () => assert.match(await editor.innerText(), /1 person is told/))
    await is(user, { ...mail, severities: ['critical', 'warning', 'info'] })
    assert.deepEqual(faults, [])
  })
})
