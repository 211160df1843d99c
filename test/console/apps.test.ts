import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  faultOf,
  filled,
  isFitting,
  isWanted,
  sectionsOf,
  Unread
} from '../../console/src/app/fields.ts'
import { newerThan, titleOf } from '../../console/src/app/versions.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

test('the fields of an app.json, in the order of its guide', () => {
  const input = {
    a: { type: 'number', name: 'A', min: 1, default: 5 },
    b: { type: 'toggle', true_value: 255, false_value: 0, required: true },
    c: { type: 'multi_function_selector', filter: { type: ['x', 'y*'] }, value: true },
    d: { type: 'color_of_the_future' },
    e: 7
  }
  const guide = [{ title: 'First', input_fields: ['c', 'missing', 5] }, 'nothing']
  const [first, rest] = sectionsOf({ input, guide })
  assert.deepEqual(
    first?.fields.map(({ key }) => key),
    ['c']
  )
  assert.deepEqual(
    rest?.fields.map(({ key, kind, name }) => [key, kind, name]),
    [
      ['a', 'number', 'A'],
      ['b', 'toggle', 'b'],
      ['d', 'json', 'd']
    ]
  )
  const [selector] = first?.fields ?? []
  assert(selector?.kind === 'selector' && selector.isMany && selector.hasTexts)
  assert.equal(isWanted({ type: 'yes', meta: {} }, selector.filter), true)
  assert.equal(isWanted({ type: 'no', meta: {} }, selector.filter), false)
  for (const odd of [null, 5, [], {}, { input: [] }, { guide: {} }]) {
    assert.deepEqual(sectionsOf(odd), [])
  }
})

test('what does not fit is found, and a required toggle is off', () => {
  const [section] = sectionsOf({
    input: {
      limit: { type: 'number', min: 0, max: 10, required: true },
      on: { type: 'toggle', required: true },
      steps: { type: 'repeat', input_fields: { note: { type: 'text', required: true } } }
    }
  })
  const fields = section?.fields ?? []
  const [limit] = fields
  assert(limit)
  assert.deepEqual(faultOf(limit, undefined), { kind: 'required' })
  assert.deepEqual(faultOf(limit, -1), { kind: 'min', limit: 0 })
  assert.deepEqual(faultOf(limit, 11), { kind: 'max', limit: 10 })
  assert.deepEqual(faultOf(limit, new Unread('1x')), { kind: 'number' })
  assert.equal(faultOf(limit, 0), undefined)
  assert.equal(isFitting(fields, { limit: 1 }), true)
  assert.equal(isFitting(fields, { limit: 1, steps: [{}] }), false)
  assert.equal(isFitting(fields, { limit: 1, steps: [{ note: 'a' }] }), true)
  assert.deepEqual(filled(fields, { limit: 1 }), { limit: 1, on: false })
})

test('a newer version has a name and came later', () => {
  const of = (name: string, hash: string) => ({ name, hash, timestamp: 0 })
  const versions = [of('', 'h4'), of('1.1', 'h3'), of('', 'h2'), of('1.0', 'h1')]
  const newer = (called: string) => newerThan(versions, called)?.name
  assert.deepEqual(['1.0', 'h1', 'h2', '1.1', 'h4', 'gone'].map(newer), [
    '1.1',
    '1.1',
    '1.1',
    undefined,
    undefined,
    '1.1'
  ])
  assert.equal(newerThan([of('', 'h4')], 'gone'), undefined)
  assert.equal(titleOf(versions, 'h1'), '1.0')
  assert.equal(titleOf(versions, 'e'.repeat(64)), 'e'.repeat(10))
})

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const appJson = {
  input: {
    sensor: {
      name: 'Sensor',
      type: 'single_function_selector',
      required: true,
      filter: { type: ['temperature'] }
    },
    limit: { name: 'Limit', type: 'number', min: -40, max: 60, default: 20 },
    note: { name: 'Note', type: 'text', description: 'For people' },
    siren: { name: 'Siren', type: 'toggle', true_value: 255, false_value: 0 },
    color: { name: 'Color', type: 'color_of_the_future' },
    steps: {
      name: 'Steps',
      type: 'repeat',
      input_fields: { text: { name: 'Text', type: 'text', required: true } }
    }
  },
  guide: [{ title: 'What to watch', description: 'Choose it.', input_fields: ['sensor', 'limit'] }]
}

describe('edge apps', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  /** A house with two functions, and an app with one version. */
  async function home() {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, 'edge/#'])
    const ask = async (line: string, body?: unknown) => {
      const answer = await world.request(line, { as: user, body })
      assert.equal(answer.status, 200, answer.text)
      return answer.json
    }
    const make = (type: string, name: string) =>
      ask(`POST /api/v2/functionx/${installation.id}`, { type, meta: { name } })
    const sensor = (await make('temperature', HOSTILE)) as { id: number }
    await make('switch', 'Lamp')
    const name = world.unique('Too warm')
    const app = (await ask('POST /api/v2/edge/app', {
      name,
      publisher: { id: installation.organization_id },
      short_description: HOSTILE
    })) as { id: number }
    const publish = async (version: string, json: unknown) => {
      const form = new FormData()
      form.append('app_json', new Blob([JSON.stringify(json)]), 'app.json')
      form.append('app_lua', new Blob([`-- ${version}`]), 'app.lua')
      const answer = await fetch(`${world.url}/api/v2/edge/app/${app.id}/version`, {
        method: 'POST',
        headers: { 'x-api-key': user.token },
        body: form
      })
      const { hash } = (await answer.json()) as { hash: string }
      await ask(`POST /api/v2/edge/app/${app.id}/publish`, { name: version, hash })
    }
    await publish('1.0', appJson)
    const at = `/api/v2/edge/app/configured/${installation.id}`
    const list = async () => (await ask(`GET ${at}`)) as Record<string, unknown>[]
    const install = (config: object, title = 'Hall') =>
      ask(`POST ${at}`, { app_id: app.id, version: '1.0', name: title, config })
    const url = `${platform().url}/installations/${installation.id}/apps`
    return { world, ask, at, installation, user, sensor, app, name, publish, list, install, url }
  }

  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

  test('an app is installed with a form of its app.json, changed and removed', async () => {
    const { user, sensor, app, name, list, url } = await home()
    const { page, faults } = await open()
    await signIn(page, url, user)
    await shows(page, 'No app is installed here')
    await page.getByRole('button', { name: 'Install an app', exact: true }).click()
    await page.getByRole('textbox', { name: 'Find an app' }).fill(name)
    await page.getByRole('link', { name, exact: true }).click()
    await shows(page, /What to watch\s+Choose it/)
    const install = page.getByRole('button', { name: 'Install', exact: true })
    assert.equal(await install.isDisabled(), true)
    await page.getByRole('combobox', { name: 'Sensor' }).click()
    assert.deepEqual(await page.getByRole('option').allInnerTexts(), [HOSTILE])
    await page.getByRole('option', { name: HOSTILE }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE)
    const limit = page.getByRole('textbox', { name: 'Limit' })
    assert.equal(await limit.inputValue(), '20')
    await limit.fill('99')
    await shows(page, 'At most 60')
    await limit.fill('warm')
    await shows(page, 'This is not a number')
    assert.equal(await install.isDisabled(), true)
    await limit.fill('24,5')
    await page.getByRole('switch', { name: 'Siren' }).click()
    await page.getByRole('textbox', { name: 'Color' }).fill('{"r": ')
    await shows(page, 'This is not JSON')
    await page.getByRole('textbox', { name: 'Color' }).fill('{"r": 1}')
    await page.getByRole('button', { name: 'Add to Steps' }).click()
    assert.equal(await install.isDisabled(), true)
    await page.getByRole('textbox', { name: 'Text' }).fill(HOSTILE)
    await install.click()
    await page.getByRole('link', { name: HOSTILE }).waitFor()
    const [made] = await list()
    assert.deepEqual(
      [made?.['app_id'], made?.['version'], made?.['name']],
      [app.id, '1.0', HOSTILE]
    )
    const config = {
      ...{ limit: 24.5, sensor: sensor.id, siren: 255, color: { r: 1 } },
      steps: [{ text: HOSTILE }]
    }
    assert.deepEqual(made?.['config'], config)

    await page.getByRole('link', { name: HOSTILE }).click()
    await page.getByRole('switch', { name: 'Siren' }).click()
    await page.getByRole('button', { name: 'Remove number 1' }).click()
    await save(page).click()
    await eventually(async () =>
      assert.deepEqual((await list())[0]?.['config'], { ...config, siren: 0, steps: [] })
    )
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: HOSTILE }).click()
    await page.getByRole('button', { name: 'Remove the app' }).click()
    await page.getByText(`Remove ${HOSTILE} and its configuration?`).waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await shows(page, 'No app is installed here')
    assert.deepEqual(await list(), [])
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual(faults, [])
  })

  test('a newer version is offered, its form is shown, and other values are kept', async () => {
    const { user, sensor, publish, list, install, url } = await home()
    await install({ sensor: sensor.id, limit: 20, extra: [1] })
    await publish('1.1', { input: { level: { name: 'Level', type: 'number' } } })
    const { page, faults } = await open()
    await signIn(page, url, user)
    await shows(page, '1.1 is out')
    await page.getByRole('link', { name: 'Hall' }).click()
    await page.getByRole('button', { name: 'Update to 1.1', exact: true }).click()
    await page.getByRole('textbox', { name: 'Level' }).fill('5')
    await page.getByRole('textbox', { name: 'limit' }).fill('')
    await save(page).click()
    await eventually(async () => {
      const [one] = await list()
      assert.equal(one?.['version'], '1.1')
      assert.deepEqual(one?.['config'], { sensor: sensor.id, extra: [1], level: 5 })
    })
    await page.getByText('version 1.1').waitFor()
    assert.deepEqual(faults, [])
  })

  test('what somebody else set meanwhile is shown, and both are kept', async () => {
    const { user, ask, at, app, sensor, list, install, url } = await home()
    const { id } = (await install({ sensor: sensor.id, limit: 20 })) as { id: number }
    const { page } = await open()
    await signIn(page, `${url}?id=${id}`, user)
    await page.getByRole('textbox', { name: 'Note' }).fill('mine')
    const config = { sensor: sensor.id, limit: 30 }
    await ask(`PUT ${at}/${id}`, { app_id: app.id, version: '1.0', name: 'Hall', config })
    await save(page).click()
    await shows(page, /Limit\s+20\s+30\s+as before/)
    assert.deepEqual((await list())[0]?.['config'], config, 'nothing is overwritten')
    await page.getByRole('button', { name: 'Keep my changes on top' }).click()
    await save(page).click()
    await eventually(async () =>
      assert.deepEqual((await list())[0]?.['config'], { ...config, note: 'mine' })
    )
  })

  test('who may only look changes nothing; on a phone, in both themes', async () => {
    const { world, installation, sensor, install, url } = await home()
    const organizations = [installation.organization_id]
    const reader = await world.user({
      grants: [...grants, 'edge/app/configured/list/all', 'edge/app/list'],
      organizations
    })
    await install({ sensor: sensor.id, steps: [{ text: 'a' }] }, HOSTILE)
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, url, reader)
      await page.getByRole('link', { name: HOSTILE }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Install an app' }).count(), 0)
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('link', { name: HOSTILE }).click()
      await shows(page, 'What to watch')
      assert.equal(await save(page).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Remove the app' }).count(), 0)
      assert.equal(await page.getByRole('textbox', { name: 'Limit' }).isEditable(), false)
      // The panel fades in.
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      )
      assert.equal(wide, 0)
      assert.deepEqual(faults, [])
    }
  })

  test('who may not read the catalogue sees the values as JSON', async () => {
    const { world, installation, sensor, install, url } = await home()
    const organizations = [installation.organization_id]
    const reader = await world.user({
      grants: [...grants, 'edge/app/configured/#'],
      organizations
    })
    await install({ sensor: sensor.id })
    const { page } = await open()
    await signIn(page, url, reader)
    await shows(page, 'To install one you need the permission edge/app/list')
    await page.getByRole('link', { name: 'Hall' }).click()
    await shows(page, 'Its values are shown as JSON')
    const value = page.getByRole('textbox', { name: 'sensor' })
    assert.equal(await value.inputValue(), String(sensor.id))
  })
})
