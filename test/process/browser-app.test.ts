import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { Browser, type BrowserPage, chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, startTestPlatform, type TestPlatform } from '../support/platform.ts'

/** What an app does: sign in, read with the token, read an error, change something. */
const app = (api: string, installation: number) => `(async () => {
  const call = async (path, options) => {
    const answer = await fetch('${api}' + path, options)
    return { status: answer.status, id: answer.headers.get('x-request-id'), json: await answer.json() }
  }
  try {
    const basic = 'Basic ' + btoa('${ADMIN.email}:${ADMIN.password}')
    const { json: { token } } = await call('/v2/auth', { method: 'POST', headers: { authorization: basic } })
    const headers = { 'x-api-key': token, 'content-type': 'application/json' }
    const status = await call('/v2/status/${installation}', { headers })
    const body = JSON.stringify({ type: 'lamp', installation_id: ${installation}, meta: {} })
    const made = await call('/v2/functionx/${installation}', { method: 'POST', headers, body })
    const wrong = await call('/v2/user/me', { headers: { 'x-api-key': 'wrong' } })
    return {
      values: status.json.map(({ value }) => value),
      statuses: [status.status, made.status, wrong.status],
      seesId: status.id !== null
    }
  } catch (error) {
    return { failed: error.name }
  }
})()`

suite('an app in a browser, on another origin', { skip: chromium.missing }, () => {
  const site: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>App</title>')
  })
  let platform: TestPlatform
  let browser: Browser
  let port: number
  let installation: number

  before(async () => {
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    port = (site.address() as AddressInfo).port
    const settings = { CARACAL_CORS_ORIGINS: `http://127.0.0.1:${port}` }
    platform = await startTestPlatform({ settings })
    const { world } = platform
    const { id, client_id } = await world.installation({ organization_id: 1 })
    await world.publish(world.admin, `${client_id}/obj/hall`, { value: 21.5 })
    installation = id
    browser = await Browser.start()
  })
  after(async () => {
    await browser?.stop()
    await platform?.stop()
    site.close()
  })

  const openSite = async (host: string): Promise<BrowserPage> => {
    const origin = `http://${host}:${port}`
    const page = await browser.open(`${origin}/`)
    await eventually(async () => assert.equal(await page.evaluate('location.origin'), origin))
    return page
  }

  for (const api of ['/api', '/lynx/api']) {
    test(`works at ${api} if the origin is listed`, async () => {
      const page = await openSite('127.0.0.1')
      assert.deepEqual(await page.evaluate(app(platform.url + api, installation)), {
        values: [21.5],
        statuses: [200, 200, 401],
        seesId: true
      })
    })
  }

  test('is refused by the browser if the origin is not listed', async () => {
    // The same site by another name is another origin.
    const page = await openSite('localhost')
    assert.deepEqual(await page.evaluate(app(`${platform.url}/api`, installation)), {
      failed: 'TypeError'
    })
  })
})
