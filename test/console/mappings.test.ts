import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, house, seriousFindings, shows, signIn, withConsole } from './pages.ts'

describe('mappings', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  /** A house, somebody who may change its mappings, and somebody who may read them. */
  async function home(name: string) {
    const { world } = platform()
    const { installation, user: sender } = await house(world, name)
    const organizations = [installation.organization_id]
    const manager = await world.user({ grants: [...grants, 'mapping/#'], organizations })
    const reader = await world.user({ grants: [...grants, 'mapping/list/all'], organizations })
    const gateway = await world.mqtt(sender)
    const send = (topic: string, payload: string) =>
      gateway.publish(`${installation.client_id}/${topic}`, payload, { qos: 1 })
    const list = async () => {
      const answer = await world.request(`GET /api/v2/mapping/${installation.id}`, { as: manager })
      return answer.json as unknown as Record<string, unknown>[]
    }
    const latest = async (topic: string) => {
      const as = manager
      const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as })
      const rows = json as unknown as { topic: string; value: number }[]
      return rows.find((row) => row.topic === `${installation.client_id}/${topic}`)?.value
    }
    const address = `${platform().url}/installations/${installation.id}/mappings`
    return { installation, manager, reader, send, list, latest, address }
  }

  const field = (page: Page, label: string | RegExp) => page.getByRole('textbox', { name: label })
  const newMapping = (page: Page) => page.getByRole('button', { name: 'New mapping' }).first()

  async function choose(page: Page, label: string, option: string) {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option }).click()
  }

  test('a make needs one choice: its messages become values', async () => {
    const { manager, send, list, latest, address } = await home('Made')
    const { page, faults } = await open()
    await signIn(page, address, manager)
    await shows(page, 'There is no mapping yet')
    await newMapping(page).click()
    await choose(page, 'Make', 'Tasmota')
    await page.getByRole('button', { name: 'New mapping' }).last().click()
    await shows(page, /New mapping\s+Tasmota/)
    const [mapping] = await list()
    assert.equal(mapping?.['make'], 'tasmota')
    await send('dev/tele/plug/SENSOR', JSON.stringify({ ENERGY: { Power: 42 } }))
    await eventually(async () => assert((await latest('obj/dev/tasmota/plug/ENERGY/Power')) === 42))
    assert.deepEqual(faults, [])
  })

  test('a mapping of the organization holds here too, and is kept there', async () => {
    const { installation, manager, reader, send, list, latest, address } = await home('Shared')
    const path = `/api/v2/mapping/organization/${installation.organization_id}`
    const stored = async () => {
      const { json } = await platform().world.request(`GET ${path}`, { as: manager })
      return json as unknown as { id: number; name: string; active: boolean }[]
    }
    const { page, faults } = await open()
    await signIn(page, address, manager)
    await page.getByRole('button', { name: 'New mapping of the organization' }).click()
    await field(page, 'Name').fill(HOSTILE)
    await choose(page, 'Make', 'Tasmota')
    await page.getByRole('button', { name: 'New mapping', exact: true }).last().click()
    const region = page.getByRole('region', { name: 'Mappings of the organization' })
    await region.getByRole('link', { name: HOSTILE }).click()
    assert.deepEqual(await list(), [])
    assert.equal((await stored())[0]?.name, HOSTILE)
    await send('dev/tele/plug/SENSOR', JSON.stringify({ ENERGY: { Power: 7 } }))
    await eventually(async () => assert((await latest('obj/dev/tasmota/plug/ENERGY/Power')) === 7))

    await field(page, 'Name').fill('Plugs')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await region.getByRole('link', { name: 'Plugs', exact: true }).waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    const { page: readers } = await open()
    await signIn(readers, address, reader)
    await readers.getByRole('link', { name: 'Plugs', exact: true }).waitFor()
    assert.equal(await readers.getByRole('button', { name: /New mapping/ }).count(), 0)

    await region.getByRole('link', { name: 'Plugs', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the mapping' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await eventually(async () => assert.deepEqual(await stored(), []))
    assert.deepEqual(faults, [])
  })

  test('the editor shows what a real message gives while one types', async () => {
    const { manager, send, list, latest, address } = await home('Tried')
    await send('dev/shop/meter', JSON.stringify({ power: 12.5, state: 'ON' }))
    const { page, faults } = await open()
    await signIn(page, address, manager)
    await newMapping(page).click()
    await eventually(async () =>
      assert.equal(await field(page, /^Topic of the message/).inputValue(), 'dev/shop/meter')
    )
    await shows(page, 'Fill in what is missing')
    await field(page, /^Messages/).fill('dev/shop/+')
    await field(page, /^Path/).fill('power')
    await field(page, /^Topic *\*?$/).fill('obj/{3}/power')
    await shows(page, /obj\/meter\/power\s+12\.5/)
    await field(page, 'Times').fill('0,1')
    await shows(page, /obj\/meter\/power\s+1\.25/)
    await field(page, /^Path/).fill('state')
    await field(page, 'Words and their numbers').fill('OFF=0')
    await shows(page, /state: /)
    await field(page, 'Words and their numbers').fill('OFF')
    await shows(page, 'Write it as ON=1, OFF=0')
    await field(page, 'Words and their numbers').fill('ON=1, OFF=0')
    await field(page, 'Times').fill('')
    await shows(page, /obj\/meter\/power\s+1\s/)
    await field(page, 'Name').fill(HOSTILE)
    await page.getByRole('button', { name: 'New mapping' }).last().click()
    await eventually(async () => assert.equal((await list()).length, 1))
    await send('dev/shop/meter', JSON.stringify({ power: 1, state: 'OFF' }))
    await eventually(async () => assert.equal(await latest('obj/meter/power'), 0))
    assert.equal(await page.title().then((title) => title.includes('hacked')), false)

    await page.getByRole('link', { name: HOSTILE }).click()
    await shows(page, 'Delete the mapping')
    assert.equal(await field(page, 'Words and their numbers').inputValue(), 'ON=1, OFF=0')
    await page.getByRole('switch', { name: 'In use' }).click()
    await page.keyboard.press('Escape')
    await shows(page, 'Leave without saving')
    await page.getByRole('button', { name: 'Stay here' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => assert.equal((await list())[0]?.['active'], false))
    await shows(page, /OFF/)
    await page.getByRole('link', { name: HOSTILE }).click()
    await page.getByRole('button', { name: 'Delete the mapping' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await shows(page, 'There is no mapping yet')
    assert.deepEqual(await list(), [])
    assert.deepEqual(faults, [])
  })

  test('who may only list them can open and try, but not change; on a phone, in both themes', async () => {
    const { manager, reader, installation, address } = await home('Read')
    await platform().world.request(`POST /api/v2/mapping/${installation.id}`, {
      as: manager,
      body: { name: 'Plugs', make: 'shelly' }
    })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ colorScheme, viewport: { width: 390, height: 844 } })
      await signIn(page, address, reader)
      await shows(page, 'Plugs')
      assert.equal(await page.getByRole('button', { name: 'New mapping' }).count(), 0)
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('link', { name: 'Plugs' }).click()
      await shows(page, 'Try it')
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
      // The panel fades in.
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      )
      assert.equal(wide, 0)
      assert.deepEqual(faults, [])
    }
  })
})
