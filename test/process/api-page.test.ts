import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Browser, type BrowserPage, chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { lettersTo } from '../support/outbox.ts'
import { ADMIN, startTestPlatform, type TestPlatform } from '../support/platform.ts'

suite('the API page in a browser', { skip: chromium.missing }, () => {
  let platform: TestPlatform
  let browser: Browser
  let page: BrowserPage

  before(async () => {
    platform = await startTestPlatform()
    browser = await Browser.start()
    page = await browser.open(`${platform.url}/docs`)
    await eventually(async () => assert.ok((await page.count('.operation')) > 0), 20_000)
  })
  after(async () => {
    await browser?.stop()
    await platform?.stop()
  })

  test('lists every operation of the API description, by chapter', async () => {
    const { paths } = (await (await fetch(`${platform.url}/docs/openapi.json`)).json()) as {
      paths: Record<string, object>
    }
    const wanted = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
    assert.equal(await page.count('.operation'), wanted)
    const chapters = await page.texts('h2')
    assert.ok(chapters.includes('Log') && chapters.includes('Installation'), String(chapters))
    assert.deepEqual(await page.texts('nav a'), chapters)
  })

  test('begins with an introduction that has the address of this platform', async () => {
    assert.deepEqual((await page.texts('h2'))[0], 'Introduction')
    const headings = await page.texts('.introduction h3')
    for (const heading of ['Sign in', 'Times', 'Live values', 'Errors']) {
      assert.ok(headings.includes(heading), heading)
    }
    const [commands = ''] = await page.texts('.introduction pre')
    assert.deepEqual(commands.split('\n'), [
      `curl -X POST -u "$EMAIL:$PASSWORD" ${platform.url}/api/v2/auth`,
      `curl -H "X-API-Key: $TOKEN" ${platform.url}/api/v2/user/me`
    ])
    const text = (await page.texts('.introduction')).join()
    assert.doesNotMatch(text, /`|##|\$URL|\$HOST/)
  })

  test('finds operations by their words', async () => {
    await page.type('#search', 'get v2/status/')
    const found = await page.texts('.operation:not([hidden]) .path')
    assert.deepEqual(found, ['/api/v2/status/{installation_id}'])
    await page.type('#search', '')
  })

  test('shows schemas as types, and an example of the body', async () => {
    await page.click('[id="post-/api/v2/installation"] > summary')
    const [body] = await page.texts('[id="post-/api/v2/installation"] pre')
    assert.match(body ?? '', /^\{\n {2}name: string {3}\/\/ at least 1 characters/)
    assert.match(
      body ?? '',
      /\n {2}users\?: integer\[\] \| null {3}\/\/ at most 10000 entries; default \[\]\n/
    )
    assert.match(body ?? '', /\n {2}meta\?: \{ \[key\]: string \} \| null {3}\/\/ Texts by key/)
    const example = await page.value('[id="post-/api/v2/installation"] textarea')
    assert.deepEqual(JSON.parse(example), {
      name: 'Town hall',
      notes: 'The key is at the reception',
      timezone: 'Europe/Stockholm',
      meta: { building: 'A' }
    })
  })

  test('says when the password is wrong', async () => {
    await page.click('#who')
    await page.type('#email', ADMIN.email)
    await page.type('#password', 'not the password')
    await page.click('#sign-in button')
    await eventually(async () => {
      assert.deepEqual(await page.texts('#account-note'), ['Unauthorized'])
    })
  })

  test('signs in and tries an operation as that user', async () => {
    await page.type('#password', ADMIN.password)
    await page.click('#sign-in button')
    await eventually(async () => assert.deepEqual(await page.texts('#who'), [ADMIN.email]))

    const me = '[id="get-/api/v2/user/me"]'
    await page.click(`${me} > summary`)
    await page.click(`${me} form button`)
    const shown = await eventually(async () => {
      const texts = await page.texts(`${me} [role=status] > *`)
      assert.match(texts[0] ?? '', /^200 OK in \d+ ms/)
      return texts[1] ?? ''
    })
    assert.equal(JSON.parse(shown).email, ADMIN.email)
    const curl = (await page.texts(`${me} form > pre`)).at(-1)
    const expected = `curl -X GET '${platform.url}/api/v2/user/me' \\\n  -H "X-API-Key: $TOKEN"`
    assert.equal(curl, expected)
  })

  test('sends path and query as the user filled them in', async () => {
    const { id, client_id } = await platform.world.installation({ organization_id: 1 })
    await platform.world.publish(platform.world.admin, `${client_id}/obj/a b`, { value: 1.5 })
    const status = '[id="get-/api/v2/status/{installation_id}"]'
    await page.click(`${status} > summary`)
    await page.type(`${status} input`, String(id))
    await page.type(`${status} [id$=topics]`, 'obj/none, obj/a b')
    await page.click(`${status} form button`)
    const shown = await eventually(async () => {
      const [line, body] = await page.texts(`${status} [role=status] > *`)
      assert.match(line ?? '', /^200 OK/)
      return body ?? ''
    })
    const [sample] = JSON.parse(shown)
    assert.deepEqual([sample.topic, sample.value], [`${client_id}/obj/a b`, 1.5])
  })

  test('sends files of a form, and lines of values', async () => {
    const { id } = await platform.world.installation({ organization_id: 1 })
    const load = '[id="post-/api/v3beta/log/{installation_id}/import"]'
    await page.click(`${load} > summary`)
    await page.type(`${load} input`, String(id))
    assert.match(await page.value(`${load} textarea`), /^timestamp,topic,value,msg\n/)
    await page.click(`${load} form button`)
    const shown = await eventually(async () => {
      const [line, body] = await page.texts(`${load} [role=status] > *`)
      assert.match(line ?? '', /^200 OK/)
      return body ?? ''
    })
    assert.equal(JSON.parse(shown).imported, 1)

    const upload = '[id="post-/api/v2/file/installation/{installation_id}"]'
    await page.click(`${upload} > summary`)
    await page.type(`${upload} input`, String(id))
    await page.evaluate(`{
      const chosen = new DataTransfer()
      chosen.items.add(new File(['a plan'], 'plan.txt', { type: 'text/plain' }))
      document.querySelector('${upload} [type=file]').files = chosen.files
    }`)
    await page.click(`${upload} form button`)
    await eventually(async () => {
      const [line, body] = await page.texts(`${upload} [role=status] > *`)
      assert.match(line ?? '', /^200 OK/)
      assert.equal(JSON.parse(body ?? '')[0].name, 'plan.txt')
    })
  })

  test('keeps the session over a reload, in this tab only', async () => {
    await page.reload()
    await eventually(async () => assert.deepEqual(await page.texts('#who'), [ADMIN.email]))
    await eventually(async () => assert.ok((await page.count('.operation')) > 0), 20_000)
    const me = '[id="get-/api/v2/user/me"]'
    await page.click(`${me} > summary`)
    await page.click(`${me} form button`)
    await eventually(async () => {
      assert.match((await page.texts(`${me} [role=status] > *`))[0] ?? '', /^200 OK/)
    })
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, document.cookie, location.href])'
    )
    assert.equal(kept, JSON.stringify([{}, '', `${platform.url}/docs`]))
    const other = await browser.open(`${platform.url}/docs`)
    await eventually(async () => assert.deepEqual(await other.texts('#who'), ['Sign in']))
  })

  test('forgets the session when the user signs out, and when it has ended', async () => {
    const stored = () => page.evaluate<string>("sessionStorage.getItem('caracal-session') ?? ''")
    const { token } = JSON.parse(await stored()) as { token: string }
    await page.click('#sign-out')
    await eventually(async () => {
      const { status } = await platform.world.request('GET /api/v2/user/me', { as: { token } })
      assert.equal(status, 401)
    })
    assert.equal(await stored(), '')
    await page.evaluate(
      `sessionStorage.setItem('caracal-session', '${JSON.stringify({ token, name: 'Anna' })}')`
    )
    await page.reload()
    await eventually(async () => {
      assert.deepEqual(await page.texts('#account-note'), ['The session has ended. Sign in again.'])
    })
    assert.deepEqual([await page.texts('#who'), await stored()], [['Sign in'], ''])
  })

  test('finishes a sign-in with the code of the text message', async () => {
    const mobile = '+46701234567'
    const user = await platform.world.user({ sms_login: true, mobile })
    await page.click('#who')
    await page.type('#email', user.email)
    await page.type('#password', user.password)
    await page.click('#sign-in button')
    const code = await eventually(() => {
      const [letter] = lettersTo(platform, mobile)
      return letter?.code ?? assert.fail('no message')
    })
    await eventually(async () => {
      assert.deepEqual(await page.texts('#account form:not([hidden]) label'), [
        'Code of the text message'
      ])
    })
    await page.type('#code', code === '000000' ? '111111' : '000000')
    await page.click('#second-factor button')
    await eventually(async () => {
      assert.match((await page.texts('#account-note'))[0] ?? '', /^This is not the code/)
    })
    assert.deepEqual(await page.texts('#who'), ['Sign in'])
    await page.type('#code', code)
    await page.click('#second-factor button')
    await eventually(async () => assert.deepEqual(await page.texts('#who'), [user.email]))
  })

  test('works without an error in the console', () => {
    // The browser itself reports refused requests, and that the page has no icon.
    const refused = /\/(favicon\.ico|api\/v2\/auth|api\/v2\/user\/me)$/
    const errors = page.errors.filter(({ url }) => !refused.test(url))
    assert.deepEqual(errors, [])
  })
})
