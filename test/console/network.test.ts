import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { freePort } from '../support/port.ts'
import { temporaryDirectory } from '../support/process.ts'
import { hides, house, shows, signIn, withConsole } from './pages.ts'

describe('the console in a bad network', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  const isLive = (page: Page) =>
    eventually(async () => assert.equal(await page.getByRole('status').innerText(), 'live'))

  async function onLive(name: string) {
    const home = await house(platform().world, name)
    const opened = await open()
    const url = `${platform().url}/installations/${home.installation.id}/live`
    await signIn(opened.page, url, home.user)
    await shows(opened.page, /21\.4/)
    await isLive(opened.page)
    return { ...home, ...opened, url }
  }

  test('a server that restarts under an open page: values are back, and nothing typed is lost', async (t) => {
    const settings = {
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_HTTP_PORT: String(await freePort())
    }
    const first = await startTestPlatform({ settings })
    const { installation, user } = await house(first.world, 'Restarted')
    const meta = { name: 'Limit', topic_read: 'obj/limit', topic_write: 'set/limit' }
    await first.world.request(`POST /api/v2/functionx/${installation.id}`, {
      as: first.world.admin,
      body: { type: 'number', meta }
    })
    const { page } = await open()
    await signIn(page, `${first.url}/installations/${installation.id}/live`, user)
    await shows(page, /21\.4/)
    await isLive(page)
    await page.getByRole('textbox', { name: 'Limit' }).fill('17')
    await first.stop()
    await shows(page, /offline since \d/)
    await shows(page, /21\.4/)
    // Long enough for a read of the status to fail, with its tries.
    await page.waitForTimeout(6000)
    await shows(page, /21\.4/)
    await hides(page, 'This did not work')
    const second = await startTestPlatform({ settings })
    t.after(() => second.stop())
    await second.world.publish(user, `${installation.client_id}/obj/temp`, { value: 35 })
    await shows(page, /35\.0\s*°C/)
    await isLive(page)
    assert.equal(await page.getByRole('textbox', { name: 'Limit' }).inputValue(), '17')
    await second.world.publish(user, `${installation.client_id}/obj/temp`, { value: 36 })
    await shows(page, /36\.0\s*°C/)
  })

  test('a lost network is told at once, and values that came meanwhile are there after it', async () => {
    const { page, publish } = await onLive('Lost')
    await page.context().setOffline(true)
    await shows(page, /offline since \d/)
    await publish('obj/temp', { value: 50 })
    await page.waitForTimeout(500)
    await hides(page, '50.0')
    await page.context().setOffline(false)
    await shows(page, /50\.0\s*°C/)
    await isLive(page)
  })

  test('a page without live values says that it is offline too', async () => {
    const { user } = await house(platform().world, 'List')
    const { page } = await open()
    await signIn(page, platform().url, user)
    await shows(page, 'List')
    await page.context().setOffline(true)
    await shows(page, 'offline since')
    await shows(page, 'List')
    await page.context().setOffline(false)
    await eventually(() => hides(page, 'offline since'))
  })

  test('a tab that is opened without a network opens when the network is back', async () => {
    const { page } = await onLive('Patient')
    await page.context().setOffline(true)
    await page.getByRole('tab', { name: 'Connect a device' }).click()
    await page.waitForTimeout(1500)
    await shows(page, 'offline since')
    await shows(page, /21\.4/)
    await page.context().setOffline(false)
    await shows(page, 'Name the device')
  })

  test('slow answers show the shape of what comes, and nothing is asked twice', async () => {
    const { installation, user } = await house(platform().world, 'Slow')
    const { page } = await open()
    const asked: string[] = []
    await page.routeWebSocket(/\/mqtt/, () => {})
    await page.route('**/api/**', async (route) => {
      const request = route.request()
      asked.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await route.continue().catch(() => {})
    })
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await eventually(async () =>
      assert((await page.locator('.mantine-Skeleton-root').count()) > 0, 'a skeleton')
    )
    await shows(page, /21\.4/)
    const twice = asked.filter((one, i) => asked.indexOf(one) !== i)
    // The installation's freshness and status are read again as time goes.
    assert.deepEqual(
      twice.filter((one) => !/\/status/.test(one)),
      []
    )
    assert.equal(asked.filter((one) => one.endsWith(`/status/${installation.id} `)).length, 1)
  })

  for (const status of [500, 503]) {
    test(`a ${status} that is answered once is asked again`, async () => {
      const { installation, user } = await house(platform().world, `Once ${status}`)
      const { page } = await open()
      const left = new Set(['installationinfo', 'functionx', 'status', 'permission'])
      await page.route('**/api/v2/**', (route) => {
        const name = route.request().url().split('/api/v2/')[1]?.split(/[/?]/)[0] ?? ''
        if (!left.delete(name)) return route.continue()
        return route.fulfill({ status, json: { message: 'not now' } })
      })
      await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
      await shows(page, /Hall\s+Once \d+\s+obj\/temp\s+21\.4\s*°C/)
      assert.equal(left.size, 0)
      await hides(page, 'not now')
    })
  }

  test('an error that stays is told, with a way to try again', async () => {
    const { user } = await house(platform().world, 'Stays')
    const { page } = await open()
    let fails = true
    await page.route('**/api/v2/installationinfo*', (route) =>
      fails ? route.fulfill({ status: 400, json: { message: 'no luck' } }) : route.continue()
    )
    await signIn(page, platform().url, user)
    await shows(page, 'no luck')
    fails = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await shows(page, 'Stays')
  })

  test('after a new version was installed, an open page says so instead of going blank', async () => {
    const { page } = await onLive('Old')
    await page.route(/\/assets\/ConnectPage-.*\.js$/, (route) =>
      route.fulfill({ status: 404, json: { message: 'Not found' } })
    )
    await page.getByRole('tab', { name: 'Connect a device' }).click()
    await shows(page, 'A new version of the console is there')
    await page.unroute(/\/assets\/ConnectPage-.*\.js$/)
    await page.getByRole('button', { name: 'Reload' }).click()
    await shows(page, 'Name the device')
  })

  test('a token that the broker refuses is not tried for ever, and the session ends', async () => {
    const { world } = platform()
    const { page } = await onLive('Refused')
    let sockets = 0
    page.on('websocket', () => sockets++)
    const token = await page.evaluate('localStorage.getItem("caracal.session")')
    await world.request('DELETE /api/v2/auth', { as: { token: String(token) } })
    await shows(page, 'Your session has ended')
    await page.waitForTimeout(5000)
    assert(sockets <= 2, `${sockets} connections`)
    await shows(page, /21\.4/)
  })
})
