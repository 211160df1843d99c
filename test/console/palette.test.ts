import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
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

const phone = { viewport: { width: 390, height: 800 } }

describe('the search palette and the phone', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  const find = (page: Page) => page.getByRole('combobox', { name: 'Find' })
  const selected = (page: Page) => page.getByRole('option', { selected: true })

  /** Opens the palette with the keys, and writes into it. */
  async function ask(page: Page, text: string) {
    await page.keyboard.press('Control+k')
    await find(page).fill(text)
  }

  test('Ctrl-K finds installations, and Enter opens one', async () => {
    const { installation, user } = await house(platform().world, 'Sjöstaden 14')
    const { page, faults } = await open()
    await signIn(page, platform().url, user)
    await shows(page, 'Sjöstaden 14')
    await ask(page, 'sjost 14')
    await eventually(async () => assert.match(await selected(page).innerText(), /^Sjöstaden 14/))
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/installations/${installation.id}/live`)
    assert.equal(await find(page).count(), 0)
    assert.deepEqual(faults, [])
  })

  test('functions, topics and pages of the installation are found, and lead to their place', async () => {
    const { installation, user, publish } = await house(platform().world, 'Here')
    await publish('obj/unnamed/level', { value: 1 })
    const { page, faults } = await open()
    const address = `${platform().url}/installations/${installation.id}`
    await signIn(page, `${address}/live`, user)
    await shows(page, 'obj/unnamed/level')
    await ask(page, 'unlevel')
    await hides(page, 'Nothing matches')
    await find(page).fill('unnamed lev')
    await page.getByRole('option', { name: 'obj/unnamed/level' }).click()
    await shows(page, /All 2[\s\S]*level/)
    assert.equal(new URL(page.url()).searchParams.get('name'), 'obj/unnamed/level')
    await ask(page, 'temperature')
    const functions = page.getByRole('group', { name: 'Functions' })
    await functions.getByRole('option', { name: /^Here/ }).click()
    await shows(page, /Metadata\s+name/)
    assert.equal(new URL(page.url()).pathname, `/installations/${installation.id}/functions`)
    await page.keyboard.press('Escape')
    await ask(page, 'plot')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${address}/plot*`)
    assert.deepEqual(faults, [])
  })

  test('what the page does not know is searched on the platform, as far as the caller may', async () => {
    const { world } = platform()
    const { installation, user } = await house(world, 'Open one')
    const other = await house(world, 'Foreign one')
    const meta = { name: 'Pump of all pumps', serial: 'XK-998877' }
    const add = (id: number) =>
      world.request(`POST /api/v2/functionx/${id}`, {
        as: world.admin,
        body: { type: 'pump', meta }
      })
    await add(installation.id)
    await add(other.installation.id)
    const { page } = await open()
    await signIn(page, platform().url, user)
    await shows(page, 'Open one')
    await ask(page, 'xk-9988')
    const options = page.getByRole('option')
    await eventually(async () => {
      // A new object is in the index a moment later.
      await find(page).fill('')
      await find(page).fill('xk-9988')
      await page.waitForTimeout(400)
      assert.equal(await options.count(), 1)
    })
    await shows(page, /Pump of all pumps\s+Open one · serial: XK-998877/)
    await page.keyboard.press('Enter')
    await shows(page, 'XK-998877|serial')
    assert.equal(new URL(page.url()).pathname, `/installations/${installation.id}/functions`)
    await page.keyboard.press('Escape')
    await ask(page, 'Foreign one')
    await shows(page, 'Nothing matches Foreign one')
  })

  test('the arrows go round, Esc closes, and what was used last stands first', async () => {
    const { installation, user } = await house(platform().world, 'Arrows')
    const { page } = await open()
    const address = `${platform().url}/installations/${installation.id}/live`
    await signIn(page, address, user)
    await shows(page, /21\.4/)
    await page.keyboard.press('Control+k')
    await shows(page, /This installation\s+Board/)
    await page.keyboard.press('ArrowUp')
    assert.match(await selected(page).innerText(), /^Connect a device/)
    const active = await find(page).getAttribute('aria-activedescendant')
    assert.equal(await selected(page).getAttribute('id'), active)
    await page.keyboard.press('ArrowDown')
    assert.match(await selected(page).innerText(), /^Board/)
    await page.keyboard.press('Escape')
    await eventually(async () => assert.equal(await find(page).count(), 0))
    const filter = page.getByLabel('Filter by name or topic')
    await filter.focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    const label = 'document.activeElement.ariaLabel'
    await eventually(async () =>
      assert.equal(await page.evaluate(label), 'Filter by name or topic', 'the focus comes back')
    )
    await ask(page, 'dark')
    await page.keyboard.press('Enter')
    const scheme = 'document.documentElement.dataset.mantineColorScheme'
    await eventually(async () => assert.equal(await page.evaluate(scheme), 'dark'))
    await page.reload()
    await shows(page, /21\.4/)
    await page.keyboard.press('/')
    await shows(page, /Last used\s+Colours: Dark/)
    assert.match(await selected(page).innerText(), /^Colours: Dark/)
  })

  test('a slash in a field is a slash', async () => {
    const { installation, user } = await house(platform().world, 'Slash')
    const { page } = await open()
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await page.getByLabel('Filter by name or topic').click()
    await page.keyboard.type('obj/')
    assert.equal(await page.getByLabel('Filter by name or topic').inputValue(), 'obj/')
    assert.equal(await find(page).count(), 0)
  })

  test('typing on does not ask for every letter, and the language and the end are in reach', async () => {
    const { user } = await house(platform().world, 'Quiet')
    const { page } = await open()
    await signIn(page, platform().url, user)
    await shows(page, 'Quiet')
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/search')) asked.push(searchParams.get('q') ?? '')
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('nothing at all', { delay: 20 })
    await shows(page, 'Nothing matches nothing at all')
    assert.equal(asked.at(-1), 'nothing at all')
    assert(asked.length < 'nothing at all'.length / 2, asked.join())
    await find(page).fill('svenska')
    await page.keyboard.press('Enter')
    await shows(page, 'Installationer')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Sök' }).fill('logga ut')
    await page.keyboard.press('Enter')
    await shows(page, 'Glömt lösenordet')
    assert.equal(await page.evaluate('localStorage.getItem("caracal.session")'), null)
  })

  test('the platform cannot be searched: the page says so and shows what it knows', async () => {
    const { user } = await house(platform().world, 'Known anyway')
    const { page } = await open()
    await signIn(page, platform().url, user)
    await shows(page, 'Known anyway')
    await page.route('**/api/v3beta/search*', (route) =>
      route.fulfill({ status: 403, json: { message: 'Forbidden' } })
    )
    await ask(page, 'known')
    await shows(page, 'could not be searched')
    assert.match(await selected(page).innerText(), /^Known anyway/)
  })

  test('names that look like HTML are only text', async () => {
    const { installation, user } = await house(platform().world, HOSTILE, HOSTILE)
    const { page, faults } = await open()
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await shows(page, 'onerror')
    await ask(page, HOSTILE)
    await shows(page, 'Functions|Installations')
    assert((await page.getByRole('option').count()) > 0)
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  test('on a phone the views are at the bottom, and the account is in the header', async () => {
    const { installation, user } = await house(platform().world, 'Pocket')
    const { page, faults } = await open({ ...phone, hasTouch: true })
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await shows(page, /21\.4/)
    assert.equal(await page.getByRole('tab').count(), 0)
    const tabs = page.getByRole('navigation', { name: 'Views of the installation' })
    const box = await tabs.boundingBox()
    assert.equal(Math.round((box?.y ?? 0) + (box?.height ?? 0)), 800)
    assert.equal(
      await tabs.getByRole('link', { name: 'Live' }).getAttribute('aria-current'),
      'page'
    )
    await tabs.getByRole('link', { name: 'Functions' }).tap()
    await shows(page, '1 function')
    await tabs.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name: 'Connect a device' }).tap()
    await page.waitForURL('**/connect')
    await page.getByRole('button', { name: 'Account' }).tap()
    await page.getByRole('menuitem', { name: 'Dark' }).tap()
    const scheme = 'document.documentElement.dataset.mantineColorScheme'
    await eventually(async () => assert.equal(await page.evaluate(scheme), 'dark'))
    await page.getByRole('button', { name: 'Account' }).tap()
    await page.getByRole('menuitem', { name: 'Sign out' }).tap()
    await shows(page, 'Lost the password')
    assert.deepEqual(faults, [])
  })

  test('the last row of a page is above the tabs of a phone', async () => {
    const { installation, user, publish } = await house(platform().world, 'Long')
    for (let i = 0; i < 20; i++) await publish(`obj/row/${i}`, { value: i })
    const { page } = await open(phone)
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await shows(page, 'All 21')
    await page.keyboard.press('End')
    await shows(page, 'obj/row/9')
    const last = await page.getByRole('row').last().boundingBox()
    const tabs = await page.getByRole('navigation', { name: /^Views/ }).boundingBox()
    assert((last?.y ?? 0) + (last?.height ?? 0) <= (tabs?.y ?? 0))
  })

  test('the header says the time zone of the installation once', async () => {
    const { world } = platform()
    const { installation, user } = await house(world, 'Zoned')
    await world.request(`PUT /api/v2/installation/${installation.id}`, {
      as: world.admin,
      body: { timezone: 'Asia/Tokyo' }
    })
    const { page } = await open()
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await shows(page, 'client id \\d+\\s+Asia/Tokyo')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the palette can be read by everybody, ${colorScheme}`, async () => {
      const { world } = platform()
      const { installation } = await house(world, 'Readable')
      const user = await world.user({ grants, organizations: [installation.organization_id] })
      const { page } = await open({ colorScheme, reducedMotion: 'reduce' })
      await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
      await shows(page, /21\.4/)
      await ask(page, 'e')
      await shows(page, 'Functions')
      assert.deepEqual(await seriousFindings(page), [])
      await page.setViewportSize(phone.viewport)
      assert.deepEqual(await seriousFindings(page), [])
      await page.keyboard.press('Escape')
      for (const name of ['More', 'Account']) {
        await page.getByRole('button', { name }).click()
        await shows(page, name === 'More' ? 'All installations' : 'Sign out')
        assert.deepEqual(await seriousFindings(page), [], name)
        await page.keyboard.press('Escape')
        await eventually(async () => assert.equal(await page.getByRole('menu').count(), 0))
      }
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
    })
  }
})
