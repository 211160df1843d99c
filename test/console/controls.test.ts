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

type Meta = Record<string, string>
type Answer = (value: number, msg?: string) => void

const lamp = { name: 'Lamp', state_off: '0', state_on: '1' }

describe('controls on Live', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const isLive = (page: Page) =>
    eventually(async () => assert.equal(await page.getByRole('status').first().innerText(), 'live'))

  /** A house with one more function; `answer` is what its device does with a command. */
  async function controlled(
    meta: Meta,
    answer: (command: { value: number; msg?: string }, answer: Answer) => void = () => {},
    type = 'thing'
  ) {
    const { world } = platform()
    const home = await house(world, 'Home')
    const { id, client_id } = home.installation
    const topics = { topic_read: 'obj/thing', topic_write: 'set/obj/thing' }
    const body = { type, meta: { ...topics, ...meta } }
    await world.request(`POST /api/v2/functionx/${id}`, { as: world.admin, body })
    const device = await world.mqtt(world.admin)
    await device.subscribe(`${client_id}/set/#`)
    device.mqtt.on('message', (_topic, payload) =>
      answer(JSON.parse(payload.toString()), (value, msg) =>
        device.mqtt.publish(`${client_id}/obj/thing`, JSON.stringify({ value, msg }), { qos: 1 })
      )
    )
    const url = `${platform().url}/installations/${id}/live`
    const live = async (user = home.user, options = {}) => {
      const opened = await open(options)
      await signIn(opened.page, url, user)
      await shows(opened.page, /21\.4/)
      await isLive(opened.page)
      return opened
    }
    return { ...home, device, live, sent: () => device.payloads() }
  }

  const news = (page: Page) => page.locator('[aria-live=polite]').innerText()

  test('a switch shows what was asked, then what the device says', async () => {
    let held: (() => void) | undefined
    const { live, sent } = await controlled(lamp, ({ value }, answer) => {
      held = () => answer(value)
    })
    const { page, faults } = await live()
    await shows(page, /Lamp\s+obj\/thing[\s\S]*no value yet/)
    const control = page.getByRole('switch', { name: 'Lamp' })
    await control.click()
    await shows(page, 'sent, waiting')
    assert.equal(await control.getAttribute('aria-checked'), 'true', 'what was asked')
    assert.deepEqual(sent(), ['{"value":1}'])
    await eventually(() => assert(held))
    held?.()
    await shows(page, /confirmed\s+On/)
    await eventually(async () => assert.match(await news(page), /Lamp: confirmed/))
    await control.press('Space')
    await eventually(() => assert.deepEqual(sent(), ['{"value":1}', '{"value":0}']))
    assert.deepEqual(faults, [])
  })

  test('an answer that differs is told, and no answer too', async () => {
    let answers = true
    const meta = { name: 'Setpoint', min: '15', max: '25', step: '0.5', format: '%.1f °C' }
    const { live, sent } = await controlled(meta, (_, answer) => answers && answer(20.04))
    const { page } = await live()
    const slider = page.getByRole('slider', { name: 'Setpoint' })
    await slider.focus()
    await page.keyboard.press('End')
    await shows(page, 'the device answered 20\\.0 °C')
    assert.deepEqual(sent(), ['{"value":25}'], 'one command for one movement')
    await slider.fill('20')
    await shows(page, 'confirmed')
    answers = false
    await slider.fill('16.5')
    await shows(page, 'sent, waiting')
    await eventually(() => shows(page, 'no answer since'), 15_000)
    assert.match(await news(page), /Setpoint: no answer since/)
  })

  test('more than two states are a choice, a number without bounds is typed', async () => {
    const states = { state_off: '0', state_eco: '1', state_boost: '2', text_boost: HOSTILE }
    const { live, sent, installation } = await controlled(
      { ...states, name: HOSTILE },
      ({ value }, answer) => answer(value)
    )
    const { world } = platform()
    for (const [i, meta] of [
      { name: 'Limit', topic_write: 'set/limit', topic_read: 'obj/limit', max: '100' },
      { name: 'Sign', topic_write: 'set/sign', format: '%s' }
    ].entries()) {
      const body = { type: `t${i}`, meta }
      await world.request(`POST /api/v2/functionx/${installation.id}`, { as: world.admin, body })
    }
    const { page, faults } = await live()
    await page.getByRole('combobox', { name: HOSTILE }).selectOption('2')
    await shows(page, 'confirmed')
    const limit = page.getByRole('textbox', { name: 'Limit' })
    await limit.fill('101')
    await limit.press('Enter')
    await shows(page, 'A number')
    await limit.fill('99,5')
    await limit.press('Enter')
    await page.getByRole('textbox', { name: 'Sign' }).fill('Välkommen "hem"')
    await page.getByRole('textbox', { name: 'Sign' }).press('Enter')
    await shows(page, 'it has no topic for answers')
    await eventually(() =>
      assert.deepEqual(sent(), [
        '{"value":2}',
        '{"value":99.5}',
        '{"value":0,"msg":"Välkommen \\"hem\\""}'
      ])
    )
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  test('the page asks first where the metadata has a question', async () => {
    const { live, sent } = await controlled({ ...lamp, confirm: HOSTILE }, ({ value }, answer) =>
      answer(value)
    )
    const { page } = await live()
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'onerror')
    await page.getByRole('dialog').getByText('Cancel').click()
    assert.deepEqual(sent(), [])
    await page.getByRole('switch', { name: 'Lamp' }).click()
    assert.deepEqual(await seriousFindings(page), [])
    await page.keyboard.press('Enter')
    await shows(page, 'confirmed')
    assert.deepEqual(sent(), ['{"value":1}'])
    assert.notEqual(await page.title(), 'hacked')
  })

  test('who may not publish sees no control', async () => {
    const { live, installation } = await controlled(lamp)
    const reads = grants.filter((grant) => grant !== 'mqtt/#')
    const user = await platform().world.user({
      grants: [...reads, 'mqtt/subscribe/all'],
      organizations: [installation.organization_id]
    })
    const { page } = await live(user)
    assert.equal(await page.getByRole('switch').count(), 0)
    await hides(page, 'Control')
  })

  test('without a connection nothing is sent, not even later', async () => {
    const { live, sent } = await controlled(lamp)
    const { page } = await live()
    await page.context().setOffline(true)
    await shows(page, 'offline since')
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'not sent: no connection')
    await page.context().setOffline(false)
    await isLive(page)
    assert.deepEqual(sent(), [])
  })

  test('a command that the broker did not acknowledge is told, and not sent again', async () => {
    const { installation, user, sent } = await controlled(lamp)
    const { page } = await open()
    let isCut = true
    await page.routeWebSocket(/\/mqtt/, (socket) => {
      const server = socket.connectToServer()
      socket.onMessage((message) => {
        const isPublish = typeof message !== 'string' && ((message[0] ?? 0) & 0xf0) === 0x30
        if (!isPublish || !isCut) return server.send(message)
        return Promise.all([socket.close(), server.close()])
      })
    })
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await isLive(page)
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'it may not have arrived')
    isCut = false
    await isLive(page)
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'sent, waiting')
    await eventually(() => assert.deepEqual(sent(), ['{"value":1}']))
  })

  test('without a broker for browsers the page says that switching needs it', async () => {
    const { installation, user } = await controlled(lamp)
    const { page } = await open()
    await page.routeWebSocket(/\/mqtt/, (socket) => void socket.close())
    await signIn(page, `${platform().url}/installations/${installation.id}/live`, user)
    await shows(page, 'Switching needs the broker')
    assert.equal(await page.getByRole('switch').count(), 0)
  })

  test('a command that the platform refuses is told with its reason', async () => {
    const { live, installation } = await controlled(lamp)
    const { world } = platform()
    const topic = `${installation.client_id}/set/#`
    const body = { topic, mode: 'block', enabled: true, reason: 'tests' }
    await world.request('POST /api/v2/blacklist/topic', { as: world.admin, body })
    const user = await world.user({
      grants: [...grants, 'ledger/list/all'],
      organizations: [installation.organization_id]
    })
    const { page } = await live(user)
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await eventually(() => shows(page, 'refused: blacklisted'), 20_000)
  })

  test('ten thousand controls have few rows in the page, and the last one works', async () => {
    const { live, installation, sent } = await controlled(lamp)
    const { registry, clock } = platform().deps
    const now = clock()
    const functions = Array.from({ length: 10_000 }, (_, i) => ({
      ...{
        kind: 'function' as const,
        installation_id: installation.id,
        created: now,
        updated: now
      },
      ...{ type: 'switch', type_folded: 'switch', protected_meta: '{}' },
      meta: JSON.stringify({
        ...{ ...lamp, name: `Lamp ${i}`, topic_read: `obj/${i}`, topic_write: `set/${i}` }
      })
    }))
    // One by one they would take minutes.
    for (let from = 0; from < functions.length; from += 500) {
      await registry
        .insertInto('modelx')
        .values(functions.slice(from, from + 500))
        .execute()
    }
    const { page } = await live()
    await shows(page, 'All 10002')
    assert((await page.getByRole('switch').count()) < 60)
    await page.keyboard.press('End')
    await page.getByRole('switch', { name: 'Lamp 9999' }).click()
    await shows(page, 'sent, waiting')
    await eventually(() => assert.deepEqual(sent(), ['{"value":1}']))
    await page.keyboard.press('Home')
    await shows(page, 'obj/temp')
    await page.keyboard.press('End')
    await shows(page, 'sent, waiting|no answer since')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`controls can be used by everybody, ${colorScheme}`, async () => {
      const { live } = await controlled({ name: 'Dim', min: '0', max: '100' })
      const { page } = await live(undefined, { colorScheme, reducedMotion: 'reduce' })
      assert.equal(await page.getByRole('slider', { name: 'Dim' }).count(), 1)
      assert.deepEqual(await seriousFindings(page), [])
      await page.setViewportSize({ width: 390, height: 800 })
      await page.getByRole('slider', { name: 'Dim' }).fill('40')
      await shows(page, 'sent, waiting')
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
    })
  }
})
