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

type Model = {
  id: number
  type: string
  meta: Record<string, string>
  protected_meta?: Record<string, string>
}
const READER = ['installation/list/all', 'status/read/all', 'functionx/list/all']

describe('functions and devices', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  /** A house with a second function and a device, for somebody who may do everything there. */
  async function home(name: string) {
    const { world } = platform()
    const { installation, publish } = await house(world, name)
    const as = world.admin
    const path = `/api/v2/functionx/${installation.id}`
    const add = async (body: object, at = path) =>
      (await world.request(`POST ${at}`, { as, body })).json as Model
    const device = await add(
      { type: 'zigbee', meta: { name: 'Thermometer', eui: '00aa' } },
      `/api/v2/devicex/${installation.id}`
    )
    const lamp = await add({
      type: 'switch',
      meta: { name: 'Lamp', room: 'Attic', topic_read: 'obj/lamp', device_id: String(device.id) },
      protected_meta: { secret: 'hidden value' }
    })
    const organizations = [installation.organization_id]
    const user = await world.user({ grants: [...grants, 'devicex/#'], organizations })
    const read = async (id: number) =>
      (await world.request(`GET ${path}/${id}`, { as })).json as Model
    const address = `${platform().url}/installations/${installation.id}/functions`
    return { installation, user, lamp, device, publish, add, read, address, path, organizations }
  }

  const name = (page: Page, of: string) => page.getByRole('link', { name: of, exact: true })
  const field = (page: Page, key: string) => page.getByRole('textbox', { name: key, exact: true })
  const typeOf = (page: Page) => page.getByRole('dialog').getByRole('combobox', { name: /^Type/ })
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()

  test('the list is sorted and filtered by text, type and metadata, and the address holds it', async () => {
    const { user, address } = await home('Listed')
    const { page, faults } = await open()
    await signIn(page, address, user)
    await shows(page, /2 functions[\s\S]*Lamp\s+switch\s+Attic\s+Thermometer[\s\S]*Listed/)
    await page.getByRole('button', { name: 'Name' }).click()
    await shows(page, /Listed\s+temperature[\s\S]*Lamp\s+switch/)
    assert.equal(new URL(page.url()).searchParams.get('sort'), '-name')
    await page.getByRole('combobox', { name: /^Metadata/ }).fill('room=att*')
    await page.keyboard.press('Enter')
    await shows(page, '1 of 2')
    await page.reload()
    await shows(page, /1 of 2[\s\S]*Lamp/)
    await page.getByLabel('Filter by any text').fill('nothing like it')
    await shows(page, 'Nothing matches these filters')
    await page.getByText('Devices', { exact: true }).click()
    await page.getByLabel('Filter by any text').fill('')
    await page.goto(`${address}?view=devices`)
    await shows(page, /Thermometer\s+zigbee\s+1 function\s+00aa/)
    assert.deepEqual(faults, [])
  })

  test('keys are changed, added, removed and protected, and other keys stay', async () => {
    const { user, lamp, read, address } = await home('Edited')
    const { page, faults } = await open()
    await signIn(page, address, user)
    await name(page, 'Lamp').click()
    await shows(page, 'hidden value|secret')
    await field(page, 'name').fill('Ceiling lamp')
    await page.getByRole('button', { name: 'Remove topic_read' }).click()
    await page.getByRole('button', { name: 'Protect room' }).click()
    await page.getByRole('button', { name: 'Add a key' }).click()
    await field(page, 'Key').fill('note')
    await field(page, 'Value').fill('  as written ')
    await typeOf(page).fill('dimmer')
    await shows(page, '5 changes')
    await save(page)
    await shows(page, 'Saved')
    const { type, meta, protected_meta } = await read(lamp.id)
    assert.equal(type, 'dimmer')
    assert.deepEqual(meta, {
      name: 'Ceiling lamp',
      note: '  as written ',
      device_id: lamp.meta['device_id']
    })
    assert.deepEqual(protected_meta, { room: 'Attic', secret: 'hidden value' })
    await shows(page, /Ceiling lamp\s+dimmer/)
    assert.deepEqual(faults, [])
  })

  test('a wrong key is told at its field, and cannot be saved', async () => {
    const { user, lamp, address } = await home('Checked')
    const { page } = await open()
    await signIn(page, `${address}?id=${lamp.id}`, user)
    await page.getByRole('button', { name: 'Add a key' }).click()
    await field(page, 'Key').fill('name')
    await shows(page, 'This key is there already')
    assert(await page.getByRole('button', { name: 'Save' }).isDisabled())
    await field(page, 'Key').fill('..')
    await shows(page, 'cannot be only dots')
    await field(page, 'Key').fill('k'.repeat(256))
    await shows(page, 'at most 255 characters')
  })

  test('what the platform refuses is told at the key, and what it took is saved', async () => {
    const { user, add, read, address } = await home('Refused')
    const long = 'x'.repeat(65_000)
    const full = { a: long, b: long, c: long, d: long }
    const { id } = await add({ type: 'note', meta: { name: 'Full', ...full } })
    const { page } = await open()
    await signIn(page, `${address}?id=${id}`, user)
    await field(page, 'name').fill('Fuller')
    await page.getByRole('button', { name: 'Add a key' }).click()
    await field(page, 'Key').fill('e')
    await field(page, 'Value').fill('y'.repeat(60_000))
    await save(page)
    await shows(page, /262144 characters/)
    await shows(page, '1 change is not saved')
    assert.equal((await read(id)).meta['name'], 'Fuller')
    assert.equal((await field(page, 'Value').inputValue()).length, 60_000)
  })

  test('what somebody else wrote to another key stays; the same key is asked about', async () => {
    const { world } = platform()
    const { user, lamp, read, address, path } = await home('Shared')
    const write = (key: string, value: string) =>
      world.request(`PUT ${path}/${lamp.id}/meta/${key}`, {
        as: world.admin,
        body: { value }
      })
    const { page } = await open()
    await signIn(page, `${address}?id=${lamp.id}`, user)
    await field(page, 'name').fill('Mine')
    await write('room', 'Cellar')
    await save(page)
    await shows(page, 'Saved')
    assert.deepEqual((await read(lamp.id)).meta, { ...lamp.meta, name: 'Mine', room: 'Cellar' })

    await field(page, 'name').fill('Mine again')
    await write('name', 'Theirs')
    await save(page)
    await shows(page, 'Somebody else has changed this meanwhile, to: Theirs')
    assert.equal((await read(lamp.id)).meta['name'], 'Theirs')
    assert.equal(await field(page, 'name').inputValue(), 'Mine again')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await save(page)
    await shows(page, 'Saved')
    assert.equal((await read(lamp.id)).meta['name'], 'Mine again')
    await world.request(`DELETE ${path}/${lamp.id}`, { as: world.admin })
    // The page may hear of it before the answer, and then the form is gone too.
    const told = shows(page, 'does not exist any more')
    const saved = field(page, 'name')
      .fill('Too late')
      .then(() => save(page))
    await Promise.any([told, saved])
    await told
  })

  test('who may only read sees no buttons and no protected keys', async () => {
    const { lamp, address, organizations } = await home('Read')
    const user = await platform().world.user({ grants: READER, organizations })
    const { page } = await open()
    await signIn(page, `${address}?id=${lamp.id}`, user)
    await shows(page, /Metadata\s+name\s+Lamp/)
    await hides(page, 'secret')
    for (const button of ['Add a key', 'Delete the function', 'New function', 'Save']) {
      await hides(page, button)
    }
    assert.equal(await field(page, 'name').count(), 0)
  })

  test('who may see protected keys but not edit them sees them with a lock', async () => {
    const { lamp, address, organizations } = await home('Locked')
    const more = ['functionx/update/all', 'functionx/view/protected_meta/all']
    const user = await platform().world.user({ grants: [...READER, ...more], organizations })
    const { page } = await open()
    await signIn(page, `${address}?id=${lamp.id}`, user)
    await shows(page, /hidden value[\s\S]*Add a key/)
    assert.equal(await page.getByRole('img', { name: 'protected' }).count(), 1)
    assert.equal(await field(page, 'name').count(), 1)
    assert.equal(await field(page, 'secret').count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Protect/ }).count(), 0)
  })

  test('grants that name a type open functions of that type only', async () => {
    const { lamp, add, address, organizations } = await home('By type')
    const { id } = await add({ type: 'zwave', meta: { name: 'Node' } })
    const byType = ['functionx/zwave/edit', 'functionx/zwave/add']
    const user = await platform().world.user({ grants: [...READER, ...byType], organizations })
    const { page } = await open()
    await signIn(page, `${address}?id=${lamp.id}`, user)
    await shows(page, /Metadata\s+name\s+Lamp/)
    await hides(page, 'Add a key')
    await page.goto(`${address}?id=${id}`)
    await shows(page, 'Add a key')
    await hides(page, 'Delete the function')
    await page.goto(`${address}?add=true`)
    await typeOf(page).fill('light')
    await page.getByRole('dialog').getByRole('button', { name: 'New function' }).click()
    await shows(page, 'The permission functionx/light/add is missing')
    assert.equal(await typeOf(page).inputValue(), 'light')
  })

  test('who may not list functions is told which permission is missing', async () => {
    const { address, organizations } = await home('Closed')
    const user = await platform().world.user({ grants: ['installation/list/all'], organizations })
    const { page } = await open()
    await signIn(page, address, user)
    await shows(page, 'The permission functionx/list on the installation Closed .* is missing')
  })

  test('a function is created with its device, shows its value, and is deleted after a question', async () => {
    const { user, publish, device, read, address } = await home('Made')
    await publish('obj/new', { value: 4.26 })
    const { page, faults } = await open()
    await signIn(page, address, user)
    await page.getByRole('button', { name: 'New function' }).click()
    const form = page.getByRole('dialog')
    await typeOf(page).fill('power')
    await page.getByRole('textbox', { name: 'Name' }).fill('New one')
    await page.getByLabel(/topic_read/).fill('obj/new')
    await page.getByLabel(/^Format/).fill('%.1f kW')
    await form.getByRole('combobox', { name: 'Device' }).click()
    await page.getByRole('option', { name: 'Thermometer' }).click()
    await form.getByRole('button', { name: 'New function' }).click()
    await shows(page, /4\.3\s*kW\s*(now|\d+ s)/)
    const id = Number(new URL(page.url()).searchParams.get('id'))
    assert.deepEqual((await read(id)).meta, {
      name: 'New one',
      topic_read: 'obj/new',
      format: '%.1f kW',
      device_id: String(device.id)
    })
    const plot = await form.getByRole('link', { name: 'Plot' }).getAttribute('href')
    assert.equal(new URL(plot ?? '', address).searchParams.get('topics'), '["obj/new"]')
    await form.getByRole('link', { name: 'Thermometer' }).click()
    await shows(page, /Functions\s+Lamp\s+New one/)
    await form.getByRole('link', { name: 'New one' }).click()
    await page.getByRole('button', { name: 'Delete the function' }).click()
    await shows(page, /Delete New one\?[\s\S]*cannot be undone/)
    await page.getByRole('button', { name: 'Keep it' }).click()
    assert.equal((await read(id)).id, id)
    await page.getByRole('button', { name: 'Delete the function' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await eventually(async () => assert.equal((await read(id)).id, undefined))
    await shows(page, '2 functions')
    await hides(page, 'New one')
    assert.deepEqual(faults, [])
  })

  test('what is typed is asked about before it is left, and survives the end of the session', async () => {
    const { world } = platform()
    const { user, lamp, address } = await home('Kept')
    const { page } = await open()
    await signIn(page, `${address}?id=${lamp.id}`, user)
    await field(page, 'name').fill('Typed')
    await page.keyboard.press('Escape')
    await shows(page, 'Leave without saving')
    await page.getByRole('button', { name: 'Stay here' }).click()
    assert.equal(await field(page, 'name').inputValue(), 'Typed')
    const focusIsBack = () =>
      eventually(async () =>
        assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'name')
      )
    await focusIsBack()
    await page.keyboard.press('Escape')
    await shows(page, 'Leave without saving')
    await page.keyboard.press('Escape')
    await focusIsBack()

    const token = await page.evaluate('localStorage.getItem("caracal.session")')
    await world.request('DELETE /api/v2/auth', { as: { token: String(token) } })
    await save(page)
    await shows(page, 'Your session has ended')
    await page.getByLabel('E-mail').fill(user.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(user.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Your session has ended').waitFor({ state: 'detached' })
    await shows(page, '1 change')
    assert.equal(await field(page, 'name').inputValue(), 'Typed')

    await page.keyboard.press('Escape')
    await shows(page, 'Leave without saving')
    await page.getByRole('button', { name: /^Leave, and lose/ }).click()
    await eventually(() => assert.equal(new URL(page.url()).searchParams.get('id'), null))
    await name(page, 'Lamp').click()
    await eventually(async () => assert.equal(await field(page, 'name').inputValue(), 'Lamp'))
  })

  test('who signs out with something typed is asked first', async () => {
    const { user, lamp, address } = await home('Signed out')
    const { page } = await open()
    await signIn(page, `${address}?id=${lamp.id}`, user)
    await field(page, 'name').fill('Typed')
    const signOut = async () => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find' }).fill('sign out')
      await page.keyboard.press('Enter')
      await shows(page, 'Leave without saving')
    }
    await signOut()
    await page.getByRole('button', { name: 'Stay here' }).click()
    await save(page)
    await shows(page, 'Saved')
    await field(page, 'name').fill('Typed again')
    await signOut()
    await page.getByRole('button', { name: /^Leave, and lose/ }).click()
    await shows(page, 'Lost the password')
  })

  test('names that look like HTML are only text', async () => {
    const { user, add, address } = await home(HOSTILE)
    const meta = { name: HOSTILE, room: HOSTILE, topic_read: 'obj/<b>', [HOSTILE]: HOSTILE }
    const { id } = await add({
      type: '<img src=x onerror=1>',
      meta,
      protected_meta: { p: HOSTILE }
    })
    const { page, faults } = await open()
    await signIn(page, `${address}?id=${id}`, user)
    await shows(page, 'onerror')
    await page.getByRole('button', { name: 'Delete the function' }).click()
    await shows(page, /Delete <img/)
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  test('thousands of functions have few rows in the page, and all are reached', async () => {
    const { user, add, address } = await home('Many')
    for (let from = 0; from < 1500; from += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          add({
            type: 'sensor',
            meta: { name: `Sensor ${from + i}`, topic_read: `obj/${from + i}` }
          })
        )
      )
    }
    const { page } = await open()
    await signIn(page, address, user)
    await shows(page, '1502 functions')
    assert((await page.getByRole('row').count()) < 60)
    await page.keyboard.press('End')
    await shows(page, 'Sensor 1499')
    await page.getByLabel('Filter by any text').fill('obj/1234')
    await shows(page, /1 of 1502[\s\S]*Sensor 1234/)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every view can be read by everybody, ${colorScheme}`, async () => {
      const { user, lamp, address } = await home('Readable')
      const { page } = await open({ colorScheme, reducedMotion: 'reduce' })
      await signIn(page, address, user)
      await shows(page, '2 functions')
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 })
        for (const search of ['', '?view=devices', `?id=${lamp.id}`, '?add=true']) {
          await page.goto(address + search)
          await shows(page, 'Readable')
          await shows(page, /2 functions|1 device/)
          // The list of types is open at first. It is left with the keys, not with Tab.
          if (search.includes('add')) await page.keyboard.press('Escape')
          if (search.includes('id=')) await shows(page, 'Add a key')
          assert.deepEqual(await seriousFindings(page), [], `${width} ${search}`)
          const wide = await page.evaluate('document.documentElement.scrollWidth')
          assert.equal(wide, width, `${search} fits`)
        }
      }
    })
  }
})
