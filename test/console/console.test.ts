import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { lettersTo } from '../support/outbox.ts'
import { store } from '../support/samples.ts'
import type { Account } from '../support/world.ts'
import {
  grants,
  HOSTILE,
  hides,
  house,
  seriousFindings,
  shows,
  signInByForm,
  withConsole
} from './pages.ts'

describe('the console', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  const enter = (page: Page, account: Account) => signInByForm(page, platform().url, account)

  test('a user signs in, sees the installation, and its values as they arrive', async () => {
    const { user, publish } = await house(platform().world, 'Sjöstaden 14')
    const { page, faults } = await open()
    await enter(page, user)
    await shows(page, 'Sjöstaden 14\\s+Its topic is fresh')
    await page.getByRole('link', { name: /Sjöstaden 14/ }).click()
    await shows(page, /Hall\s+Sjöstaden 14\s+obj\/temp\s+21\.4\s*°C/)
    await eventually(async () => assert.equal(await page.getByRole('status').innerText(), 'live'))
    await publish('obj/temp', { value: -3 })
    await shows(page, /-3\.0\s*°C/)
    await publish('obj/new', { value: 7, msg: 'first of its topic' })
    await shows(page, /obj\/new[\s\S]*7\s+first of its topic/)
    await publish('obj/bad', { value: 'none' })
    await page.reload()
    await shows(page, /-3\.0\s*°C/)
    await hides(page, 'obj/bad')
    assert.deepEqual(faults, [])
  })

  test('a wrong password is told, and the address that was wanted opens after the right one', async () => {
    const { installation, user } = await house(platform().world, 'Wanted')
    const { page } = await open()
    const { url } = platform()
    await signInByForm(page, `${url}/installations/${installation.id}/live`, {
      ...user,
      password: 'wrong one'
    })
    await shows(page, 'E-mail or password is wrong')
    await page.getByRole('textbox', { name: 'Password' }).fill(user.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await shows(page, /21\.4\s*°C/)
    assert.equal(new URL(page.url()).pathname, `/installations/${installation.id}/live`)
  })

  test('an address of another site is not opened after the sign-in', async () => {
    const { user } = await house(platform().world, 'Safe')
    const { page, faults } = await open()
    await signInByForm(page, `${platform().url}/sign-in?to=//other.example`, user)
    await shows(page, 'Safe')
    assert.deepEqual(faults, [])
  })

  test('an account with a second factor is asked for the code', async () => {
    const { world } = platform()
    const mobile = '+46 70 111 11 11'
    const { installation } = await house(world, 'Guarded')
    const organizations = [installation.organization_id]
    const user = await world.user({ grants, organizations, sms_login: true, mobile })
    const { page } = await open()
    await enter(page, user)
    await shows(page, 'We sent a code to your phone')
    const code = await eventually(() => {
      const [letter] = lettersTo(platform(), mobile)
      return letter?.code ?? assert.fail('no code')
    })
    await page.getByLabel('Code of the text message').fill('000000')
    await page.getByRole('button', { name: 'Finish' }).click()
    await shows(page, 'The code is wrong')
    await page.getByLabel('Code of the text message').fill(code)
    await page.getByRole('button', { name: 'Finish' }).click()
    await shows(page, 'Guarded')
  })

  test('two users see only what each of them may', async () => {
    const { world } = platform()
    const [mine, theirs] = [await house(world, 'Of one'), await house(world, 'Of another')]
    const { page } = await open()
    await enter(page, mine.user)
    await shows(page, 'Of one')
    await hides(page, 'Of another')
    await page.goto(`${platform().url}/installations/${theirs.installation.id}/live`)
    await shows(page, 'This address shows nothing')
  })

  test('after a sign-out the next account sees nothing of the one before', async () => {
    const { world } = platform()
    const [first, second] = [
      await house(world, 'Of the first'),
      await house(world, 'Of the second')
    ]
    const { page } = await open()
    await enter(page, first.user)
    await shows(page, 'Of the first')
    await page.getByRole('button', { name: first.user.email }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await shows(page, 'Lost the password')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v2/**', async (route) => {
      if (route.request().method() === 'GET') await held.promise
      await route.continue()
    })
    await enter(page, second.user)
    await shows(page, 'Installations')
    await hides(page, 'Of the first')
    held.resolve()
    await shows(page, 'Of the second')
    await hides(page, 'Of the first')
  })

  test('who may make installations makes the first one, and comes to its first device', async () => {
    const { world } = platform()
    const organizations = [await world.organization()]
    const user = await world.user({ grants: [...grants, 'installation/create'], organizations })
    const { page, faults } = await open({ timezoneId: 'Asia/Tokyo' })
    await enter(page, user)
    await shows(page, 'Make the first one')
    await page.getByRole('button', { name: 'New installation' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(` ${HOSTILE} `)
    assert.equal(await page.getByLabel('Time zone').inputValue(), 'Asia/Tokyo')
    await page.getByLabel('Time zone').fill('Mars/North')
    await page.getByRole('button', { name: 'Make it' }).click()
    await shows(page, 'timezone must be')
    await page.getByLabel('Time zone').fill('Asia/Tokyo')
    assert.deepEqual(await seriousFindings(page), [])
    await page.getByRole('button', { name: 'Make it' }).click()
    await shows(page, 'Name the device')
    assert.match(new URL(page.url()).pathname, /^\/installations\/\d+\/connect$/)
    await shows(page, 'onerror')
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
    const other = await house(world, 'Without the right')
    await page.evaluate('localStorage.clear()')
    await enter(page, other.user)
    await shows(page, 'Without the right')
    assert.equal(await page.getByRole('button', { name: 'New installation' }).count(), 0)
  })

  test('a session that ends shows the sign-in above the page, and what was typed stays', async () => {
    const { world } = platform()
    const { user } = await house(world, 'Kept')
    const { page } = await open()
    await enter(page, user)
    await shows(page, 'Kept')
    await page.getByLabel('Filter by name').fill('ept')
    const token = await page.evaluate('localStorage.getItem("caracal.session")')
    await world.request('DELETE /api/v2/auth', { as: { token: String(token) } })
    await page.reload()
    await shows(page, 'Your session has ended')
    await page.getByLabel('E-mail').fill(user.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(user.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await shows(page, 'Kept')
    assert.equal(await page.getByLabel('Filter by name').inputValue(), 'ept')
  })

  test('names that look like HTML are only text', async () => {
    const { world } = platform()
    const { installation, user, publish } = await house(world, HOSTILE, HOSTILE)
    await publish('obj/<b>x<', { value: 1, msg: HOSTILE })
    const { page, faults } = await open()
    await enter(page, user)
    await shows(page, 'onerror')
    await page.goto(`${platform().url}/installations/${installation.id}/live`)
    await shows(page, 'obj/<b>x<')
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  test('without a broker for browsers, values are read every few seconds, and the page says so', async () => {
    const { user, publish } = await house(platform().world, 'Polled')
    const { page } = await open()
    await page.routeWebSocket(/\/mqtt/, (socket) => void socket.close())
    await enter(page, user)
    await page.getByRole('link', { name: /Polled/ }).click()
    await shows(page, 'every 5 s')
    await publish('obj/temp', { value: 30 })
    await shows(page, /30\.0\s*°C/)
  })

  test('ten thousand topics have few rows in the page, and all are reached', async () => {
    const { installation, user } = await house(platform().world, 'Large')
    const topics = Array.from({ length: 10_000 }, (_, i) => ({ topic: `obj/many/${i}` }))
    await store(platform(), installation, topics)
    const { page } = await open()
    await signInByForm(page, `${platform().url}/installations/${installation.id}/live`, user)
    await shows(page, 'All 10001')
    assert((await page.getByRole('row').count()) < 60)
    // The page may not be as long as its rows yet.
    await eventually(async () => {
      await page.keyboard.press('End')
      assert.match(await page.locator('body').innerText(), /obj\/many\/9999/)
    })
    await page.getByLabel('Filter by name or topic').fill('many/4321')
    await shows(page, 'obj/many/4321')
    assert.equal(new URL(page.url()).searchParams.get('name'), 'many/4321')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every page can be read by everybody, ${colorScheme}`, async () => {
      const { user } = await house(platform().world, 'Readable')
      const { page } = await open({ colorScheme, reducedMotion: 'reduce' })
      await page.goto(platform().url)
      await shows(page, 'Lost the password')
      assert.deepEqual(await seriousFindings(page), [])
      await enter(page, user)
      await shows(page, 'Readable')
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByText('Table').click()
      await shows(page, 'Last value')
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('link', { name: 'Readable' }).click()
      await shows(page, /21\.4\s*°C/)
      assert.deepEqual(await seriousFindings(page), [])
      await page.setViewportSize({ width: 390, height: 800 })
      assert.deepEqual(await seriousFindings(page), [])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      assert.equal(wide, 390, 'nothing is wider than a phone')
    })
  }

  test('the texts are in Swedish for a browser that wants Swedish', async () => {
    const { page } = await open({ locale: 'sv-SE' })
    await page.goto(platform().url)
    await shows(page, 'Glömt lösenordet')
    assert.equal(await page.evaluate('document.documentElement.lang'), 'sv')
  })
})
