import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import type { World } from '../support/world.ts'
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

const isLive = (page: Page) =>
  eventually(async () => assert.match(await page.getByRole('status').first().innerText(), /live/))

/** Connects as the gateway of the installation. Returns how to leave. */
async function connectGateway(world: World, id: number) {
  const line = `POST /api/v2/gateway/credentials/${id}`
  const { json } = await world.request(line, { as: world.admin })
  const { mqtt_username: username, mqtt_password: password } = json as Record<string, string>
  const gateway = await world.mqtt({ token: '' }, { username, password })
  return () => gateway.mqtt.endAsync()
}

describe('what others change', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function watched(name: string, view: string) {
    const { world, url } = platform()
    const { installation, ...rest } = await house(world, name)
    await world.setGrants(rest.user.id, [...grants, 'devicex/#'])
    const { page, faults } = await open()
    await signIn(page, `${url}/installations/${installation.id}/${view}`, rest.user)
    await isLive(page)
    const as = world.admin
    const of = (kind: string) => `/api/v2/${kind}/${installation.id}`
    const add = async (kind: string, body: object) =>
      (await world.request(`POST ${of(kind)}`, { as, body })).json as { id: number }
    return { ...rest, installation, page, faults, world, as, of, add }
  }

  test('a function or device that somebody makes, renames or deletes appears without a reload', async () => {
    const { page, faults, world, as, of, add } = await watched('Shared', 'functions')
    await shows(page, 'Shared\\s')
    const { id } = await add('functionx', { type: 'lamp', meta: { name: 'Porch' } })
    await shows(page, 'Porch')
    const body = { value: HOSTILE, protected: false }
    await world.request(`PUT ${of('functionx')}/${id}/meta/name`, { as, body })
    await shows(page, 'onerror')
    await hides(page, 'Porch')
    await world.request(`DELETE ${of('functionx')}/${id}`, { as })
    await eventually(() => hides(page, 'onerror'))
    await page.getByText('Devices', { exact: true }).click()
    await add('devicex', { type: 'thing', meta: { name: 'New box' } })
    await shows(page, 'New box')
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  test('what is typed stays while somebody else changes the same function', async () => {
    const { page, world, as, of } = await watched('Typed', 'functions')
    await page.getByRole('link', { name: 'Typed', exact: true }).click()
    await page.getByRole('textbox', { name: 'room', exact: true }).fill('Attic')
    const { json } = await world.request(`GET ${of('functionx')}`, { as })
    const [{ id } = { id: 0 }] = json as { id: number }[]
    const body = { value: 'Renamed', protected: false }
    await world.request(`PUT ${of('functionx')}/${id}/meta/name`, { as, body })
    await eventually(async () =>
      assert.equal(
        await page.getByRole('textbox', { name: 'name', exact: true }).inputValue(),
        'Renamed'
      )
    )
    assert.equal(
      await page.getByRole('textbox', { name: 'room', exact: true }).inputValue(),
      'Attic'
    )
  })

  test('the new name of the installation, and of a row on Live', async () => {
    const { page, world, as, of, installation } = await watched('Before', 'live')
    await world.request(`PUT ${of('installation')}`, { as, body: { name: 'After' } })
    await eventually(async () =>
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'After')
    )
    const { json } = await world.request(`GET ${of('functionx')}`, { as })
    const [{ id } = { id: 0 }] = json as { id: number }[]
    const body = { value: 'Cellar', protected: false }
    await world.request(`PUT /api/v2/functionx/${installation.id}/${id}/meta/room`, { as, body })
    await shows(page, /Cellar\s+Before\s+obj\/temp/)
  })

  test('two hundred changes at once are read a few times', async () => {
    const { page, add } = await watched('Flood', 'functions')
    let asked = 0
    page.on('request', (request) => {
      if (/functionx\/\d+$/.test(request.url())) asked++
    })
    const made = Array.from({ length: 200 }, (_, i) =>
      add('functionx', { type: 'x', meta: { name: `n${i}` } })
    )
    await Promise.all(made)
    await shows(page, '201 functions')
    assert.ok(asked <= 8, `${asked} reads`)
  })

  test('who may not listen sees a change after a while, by HTTP', async () => {
    const { world, url } = platform()
    const { installation } = await house(world, 'Deaf')
    const grants = ['installation/list/all', 'status/read/all', 'functionx/list/all']
    const user = await world.user({ grants, organizations: [installation.organization_id] })
    const { page, faults } = await open()
    await page.clock.install()
    await signIn(page, `${url}/installations/${installation.id}/functions`, user)
    await shows(page, 'Deaf\\s')
    const body = { type: 'lamp', meta: { name: 'Late lamp' } }
    await world.request(`POST /api/v2/functionx/${installation.id}`, { as: world.admin, body })
    await page.clock.runFor(31_000)
    await shows(page, 'Late lamp')
    assert.deepEqual(faults, [])
  })
})

describe('whether the gateway is connected', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  test('the header of an installation and the list say it, and since when', async () => {
    const { world, url } = platform()
    const { installation, user } = await house(world, 'Site')
    const { page, faults } = await open()
    await signIn(page, `${url}/installations/${installation.id}/live`, user)
    await shows(page, '1 of 1 topics fresh')
    await hides(page, 'Gateway')
    const leave = await connectGateway(world, installation.id)
    await eventually(() => shows(page, 'Gateway connected\\s'), 15_000)
    assert.deepEqual(await seriousFindings(page), [])
    await leave()
    await page.reload()
    await shows(page, 'Gateway just disconnected')
    assert.match((await page.getByTitle(/^since /).getAttribute('title')) ?? '', /\d:\d\d/)
    assert.deepEqual(await seriousFindings(page), [])
    await page.goto(`${url}/installations?show=attention`)
    await shows(page, '1 gateway gone')
    await shows(page, /Site\s+Gateway just disconnected/)
    await page.getByText('Table', { exact: true }).click()
    await shows(page, 'Gateway just disconnected · Its topic is fresh')
    assert.deepEqual(await seriousFindings(page), [])
    assert.deepEqual(faults, [])
  })

  test('how long ago, in both languages', async () => {
    const { world, url } = platform()
    const { installation, user } = await house(world, 'Long')
    await (await connectGateway(world, installation.id))()
    const { page } = await open({ locale: 'sv' })
    await page.goto(url)
    await page.getByLabel('E-post').fill(user.email)
    await page.getByRole('textbox', { name: 'Lösenord' }).fill(user.password)
    await page.clock.install({ time: Date.now() + 2 * 24 * 3600_000 })
    await page.getByRole('button', { name: 'Logga in' }).click()
    await shows(page, 'Gateway borta i 2 dygn')
  })
})
