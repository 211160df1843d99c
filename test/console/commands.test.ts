import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromium } from '../support/chromium.ts'
import { answerBack } from '../support/commands.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
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
const lamp = { name: 'Lamp', state_off: '0', state_on: '1' }
const phone = { viewport: { width: 390, height: 800 } }

describe('controls of devices that answer', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  /** A house with one more function, whose device does this with a command. */
  async function controlled(
    meta: Meta,
    {
      answer,
      rights = [...grants, 'command/send/all']
    }: {
      answer?: (payload: string) => string | undefined
      rights?: string[]
    } = {}
  ) {
    const { world, mqttPort } = platform()
    const home = await house(world, 'Home')
    const { id, client_id, organization_id } = home.installation
    const topics = { topic_write: 'set/obj/thing', topic_response: 'mqtt5' }
    const body = { type: 'thing', meta: { ...topics, ...meta } }
    await world.request(`POST /api/v2/functionx/${id}`, { as: world.admin, body })
    const user = await world.user({ grants: rights, organizations: [organization_id] })
    const device = await mqttClient({ after: () => {} }, mqttPort, {
      ...{ username: 'token', password: world.admin.token, protocolVersion: 5 }
    })
    device.mqtt.on('message', (topic, payload, { properties = {} }) => {
      const text = answer?.(payload.toString())
      const { topic_response = 'mqtt5' } = meta
      if (text === undefined) return
      if (topic_response === 'mqtt5') {
        answerBack({ topic, payload: payload.toString(), properties }, device, text)
      } else device.mqtt.publish(`${client_id}/${topic_response}`, text, { qos: 1 })
    })
    await device.subscribe(`${client_id}/set/#`)
    const url = `${platform().url}/installations/${id}/live`
    const live = async (
      options = {},
      prepare: (page: Page) => Promise<unknown> = async () => {}
    ) => {
      const opened = await open(options)
      await prepare(opened.page)
      await signIn(opened.page, url, user)
      await shows(opened.page, /21\.4/)
      return opened
    }
    return { ...home, user, device, live, sent: () => device.payloads() }
  }

  for (const [where, options] of [
    ['a desk', {}],
    ['a phone', phone]
  ] as const) {
    test(`on ${where}: sent, then what the device answered`, async () => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const { live, sent, device } = await controlled(lamp)
      device.mqtt.on('message', async (topic, payload, { properties = {} }) => {
        await held
        answerBack({ topic, payload: payload.toString(), properties }, device, payload.toString())
      })
      const { page, faults } = await live(options)
      const control = page.getByRole('switch', { name: 'Lamp' })
      await control.click()
      await shows(page, 'sent, waiting')
      assert.equal(await control.getAttribute('aria-checked'), 'true', 'what was asked')
      await eventually(() => assert.deepEqual(sent(), ['{"value":1}']))
      release()
      await shows(page, 'the device answered: On')
      assert.equal(await control.getAttribute('aria-checked'), 'true', 'what was answered')
      assert.deepEqual(await seriousFindings(page), [])
      await eventually(async () =>
        assert.match(
          await page.locator('[aria-live=polite]').innerText(),
          /Lamp: the device answered/
        )
      )
      if (where === 'a phone') {
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
      }
      assert.deepEqual(faults, [])
    })
  }

  test('no answer is told after ten seconds', async () => {
    const { live, sent } = await controlled(lamp)
    const { page } = await live(phone)
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await eventually(() => shows(page, 'no answer in 10 s'), 15_000)
    assert.deepEqual(sent(), ['{"value":1}'])
  })

  test('a topic of answers is used too, and an answer that is no value is shown as it is', async () => {
    const { live } = await controlled(
      { ...lamp, topic_response: 'plug/state' },
      { answer: () => HOSTILE }
    )
    const { page, faults } = await live()
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'the device answered: <img')
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  test('a command that the platform refuses is told with its reason', async () => {
    const { live, installation, sent } = await controlled(lamp)
    const { world } = platform()
    const topic = `${installation.client_id}/set/#`
    const body = { topic, mode: 'block', enabled: true, reason: 'tests' }
    await world.request('POST /api/v2/blacklist/topic', { as: world.admin, body })
    const { page } = await live()
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'refused: topic is on the blacklist')
    assert.deepEqual(sent(), [])
  })

  test('without a network nothing is sent, and a lost answer is told', async () => {
    const { live, sent } = await controlled(lamp)
    const { page } = await live()
    await page.context().setOffline(true)
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'not sent: no connection')
    await page.context().setOffline(false)
    assert.deepEqual(sent(), [])
    await page.route('**/api/v2/command/*', (route) => route.abort())
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'it may not have arrived')
  })

  test('it needs neither the broker in the browser nor the right to publish', async () => {
    const rights = [...grants.filter((grant) => grant !== 'mqtt/#'), 'command/send/all']
    const { live, installation } = await controlled(lamp, { answer: (text) => text, rights })
    const { world } = platform()
    const other = { name: 'Fan', state_off: '0', state_on: '1', topic_write: 'set/fan' }
    const body = { type: 'thing', meta: other }
    await world.request(`POST /api/v2/functionx/${installation.id}`, { as: world.admin, body })
    const { page } = await live({}, (page) =>
      page.routeWebSocket(/\/mqtt/, (socket) => void socket.close())
    )
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'the device answered: On')
    assert.equal(await page.getByRole('switch').count(), 1)
  })

  test('who may not send commands publishes as before', async () => {
    const { live, sent } = await controlled(
      { ...lamp, topic_read: 'obj/thing' },
      { answer: () => undefined, rights: grants }
    )
    const { page } = await live()
    await eventually(async () =>
      assert.equal(await page.getByRole('status').first().innerText(), 'live')
    )
    await page.getByRole('switch', { name: 'Lamp' }).click()
    await shows(page, 'sent, waiting')
    await hides(page, 'the device answered')
    await eventually(() => assert.deepEqual(sent(), ['{"value":1}']))
  })
})
