import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { foundApps } from '../../console/src/app/found.ts'
import { appBody, emptyApp, isWebAddress, tagsIn } from '../../console/src/catalogue/draft.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

test('an app as it is typed', () => {
  assert.deepEqual(tagsIn(' a, b ,,a '), ['a', 'b'])
  assert.equal(appBody(emptyApp('1')), undefined)
  assert.equal(appBody({ ...emptyApp(''), name: 'a' }), undefined)
  const body = appBody({ ...emptyApp('7'), name: ' a ', tags: 'x' })
  assert.deepEqual([body?.name, body?.publisher, body?.tags], ['a', { id: 7 }, ['x']])
  for (const odd of ['javascript:alert(1)', 'data:text/html,x', '//x', 'x', '']) {
    assert.equal(isWebAddress(odd), false, odd)
  }
  assert.equal(isWebAddress('https://example.org/a'), true)
})

test('apps are found by all words', () => {
  const app = (name: string, tags: string[]) => ({
    ...{ id: 1, name, tags, category: 'Energy', short_description: '', description: '' },
    ...{ publisher: { id: 1, name: 'Home' }, official: false, public: true },
    ...{ source_url: '', created: 0, updated: 0 }
  })
  const all = [app('Solar', ['sun']), app('Door', [])]
  const names = (text: string) => foundApps(all, text).map(({ name }) => name)
  assert.deepEqual(names(''), ['Door', 'Solar'])
  assert.deepEqual(names('SUN home'), ['Solar'])
  assert.deepEqual(names('sun door'), [])
})

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const json = JSON.stringify({ input: { level: { type: 'number' } } })
const file = (name: string, text: string) => ({
  ...{ name, mimeType: 'text/plain' },
  buffer: Buffer.from(text)
})

describe('the catalogue of edge apps', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function shop() {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, 'edge/#', 'organization/list'])
    const ask = async (line: string, body?: unknown, as: { token: string } = user) => {
      const answer = await world.request(line, { as, body })
      assert.equal(answer.status, 200, answer.text)
      return answer.json as Record<string, unknown>
    }
    const name = world.unique('Solar')
    const make = (fields: object = {}) =>
      ask('POST /api/v2/edge/app', {
        ...{ name, publisher: { id: installation.organization_id } },
        ...{ description: HOSTILE, short_description: HOSTILE, category: HOSTILE },
        ...{ tags: [HOSTILE], source_url: 'javascript:alert(1)', ...fields }
      })
    const publish = async (id: unknown) => {
      const form = new FormData()
      form.append('app_json', new Blob([json]), 'app.json')
      form.append('app_lua', new Blob(['-- 1']), 'app.lua')
      const at = `/api/v2/edge/app/${id}`
      const headers = { 'x-api-key': user.token }
      await fetch(`${world.url}${at}/version`, { method: 'POST', headers, body: form })
      const [version] = await versions(id)
      await ask(`POST ${at}/publish`, { name: '1.0', hash: version?.hash })
    }
    type Version = { name: string; hash: string }
    const versions = async (id: unknown) =>
      (await ask(`GET /api/v2/edge/app/${id}/version?untagged=true`)) as unknown as Version[]
    const own = async () =>
      (await ask(
        `GET /api/v2/edge/app/organization/${installation.organization_id}`
      )) as unknown as Record<string, unknown>[]
    return {
      world,
      user,
      ask,
      make,
      publish,
      versions,
      own,
      url: `${platform().url}/catalogue`,
      name
    }
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })

  async function choose(page: Page, name: string, content: { name: string; buffer: Buffer }) {
    const asked = page.waitForEvent('filechooser')
    await button(page, name).click()
    await (await asked).setFiles({ mimeType: 'text/plain', ...content })
  }

  test('an app is created, uploaded, published, downloaded, changed and deleted', async () => {
    const { user, own, versions, url } = await shop()
    const { page, faults } = await open()
    await signIn(page, url, user)
    await button(page, 'New app').first().click()
    await field(page, /^Name/).fill(HOSTILE)
    await field(page, 'Tags').fill('sun, energy')
    await field(page, 'Description').fill(`# ${HOSTILE}`)
    await button(page, 'New app').last().click()
    await shows(page, 'There is no version yet')
    const [app] = await own()
    assert.deepEqual(
      [app?.['name'], app?.['tags'], app?.['public']],
      [HOSTILE, ['sun', 'energy'], false]
    )
    assert.match(page.url(), new RegExp(`id=${app?.['id']}`))

    assert.equal(await button(page, 'Upload').isDisabled(), true)
    await choose(page, 'Choose app.json', file('app.json', '{'))
    await choose(page, 'Choose app.lua', file('app.lua', '-- first'))
    await button(page, 'Upload').click()
    await shows(page, 'app_json is not valid JSON')
    await choose(page, 'Choose app.json', file('other.json', json))
    await shows(page, 'other.json')
    await button(page, 'Upload').click()
    await shows(page, 'Publish it when it is good')
    const [first] = await versions(app?.['id'])
    assert.equal(first?.name, '')
    await choose(page, 'Choose app.lua', file('app.lua', '-- first'))
    await button(page, 'Upload').click()
    await shows(page, 'Nothing changed')

    const short = first?.hash.slice(0, 10)
    await field(page, `Name for ${short}`).fill('1.0')
    await button(page, 'Publish').click()
    await eventually(async () => assert.equal((await versions(app?.['id']))[0]?.name, '1.0'))
    const waiting = page.waitForEvent('download')
    await button(page, 'Download app.lua of 1.0').click()
    const saved = await waiting
    assert.equal(saved.suggestedFilename(), 'app.lua')
    assert.equal(await readFile(await saved.path(), 'utf8'), '-- first')

    await page.getByRole('switch', { name: 'Public' }).click()
    assert.equal(await page.getByRole('switch', { name: 'Official' }).count(), 0)
    await button(page, 'Save').click()
    await eventually(async () => assert.equal((await own())[0]?.['public'], true))
    await button(page, 'Delete the app').click()
    await page.getByText(`Delete ${HOSTILE} with all its versions?`).waitFor()
    await button(page, 'Delete').click()
    await eventually(async () => assert.deepEqual(await own(), []))
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual(faults, [])
  })

  test('what somebody else changed meanwhile is shown; the top may make an app official', async () => {
    const { world, user, ask, make, own, url } = await shop()
    const { id } = await make()
    const { page } = await open()
    await signIn(page, `${url}?id=${id}`, user)
    await field(page, 'Category').fill('mine')
    await ask(`PUT /api/v2/edge/app/${id}`, { description: 'theirs' })
    await button(page, 'Save').click()
    await shows(page, /Description\s+\S.*\s+theirs\s+as before/)
    await button(page, 'Keep my changes on top').click()
    await button(page, 'Save').click()
    await eventually(async () => {
      const [{ category, description } = {}] = await own()
      assert.deepEqual([category, description], ['mine', 'theirs'])
    })
    const top = await world.user({ grants: ['#'], organizations: [1] })
    const other = await open()
    await signIn(other.page, `${url}?id=${id}`, top)
    await other.page.getByRole('switch', { name: 'Official' }).click()
    await button(other.page, 'Save').click()
    await eventually(async () => assert.equal((await own())[0]?.['official'], true))
  })

  test('who is not of the publisher sees what is published, on a phone, in both themes', async () => {
    const { world, make, publish, url, name } = await shop()
    const { id } = await make({ public: true })
    await publish(id)
    const { user: stranger } = await world.site([...grants, 'edge/app/list'])
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, url, stranger)
      await field(page, 'Find an app').fill(`${name} nothing`)
      await shows(page, 'No app matches')
      await field(page, 'Find an app').fill(name)
      await page.getByRole('link', { name, exact: true }).waitFor()
      assert.match(page.url(), /find=/)
      assert.equal(await button(page, 'New app').count(), 0)
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('link', { name, exact: true }).click()
      await button(page, 'Download app.json of 1.0').waitFor()
      for (const absent of ['Save', 'Upload', 'Publish', 'Delete the app']) {
        assert.equal(await button(page, absent).count(), 0, absent)
      }
      assert.equal(await page.locator('a[href^=javascript]').count(), 0)
      // The panel fades in.
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      )
      assert.equal(wide, 0)
      assert.deepEqual(faults, [])
    }
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`a publisher's panel can be used by everybody, ${colorScheme}`, async () => {
      const { user, make, publish, url } = await shop()
      const { id } = await make()
      await publish(id)
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, `${url}?id=${id}`, user)
      await button(page, 'Download app.json of 1.0').waitFor()
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
    })
})
