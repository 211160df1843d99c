import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { brokerOf } from '../../console/src/connect/examples.ts'
import { bridgeText } from '../../console/src/gateway/bridge.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { freePort } from '../support/port.ts'
import { grants, HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const wide = { viewport: { width: 1280, height: 900 } }

test('the configuration of a bridge', () => {
  const textOf = (url: string) => {
    const broker = brokerOf(url)
    assert(broker, url)
    return bridgeText({ broker, clientId: 1001, password: 'secret' })
  }
  const plain = textOf('mqtt://example.org:1883')?.split('\n') ?? []
  assert(plain.includes('address example.org:1883'))
  assert(plain.includes('remote_clientid edge-1001'))
  assert(plain.includes('remote_username 1001'))
  assert(plain.includes('remote_password secret'))
  assert(plain.includes('topic obj/# both 1 "" 1001/'))
  assert(!plain.some((line) => line.startsWith('bridge_capath')))
  assert.match(textOf('mqtts://example.org') ?? '', /address example.org:8883\nbridge_capath /)
  assert.equal(textOf('wss://example.org/mqtt'), undefined)
  assert.equal(textOf('ws://example.org/mqtt'), undefined)
})

describe('gateway', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const writes = [...grants, 'installation/update/all', 'gateway/reset/password/all', 'schedule/#']

  async function site(given: string[], name = 'Cellar') {
    const { world } = platform()
    const installation = await world.installation({ name, timezone: 'Europe/Stockholm' })
    const { id } = installation
    const user = await world.user({
      grants: given,
      organizations: [installation.organization_id],
      assigned: [id]
    })
    const state = async () => {
      const { json } = await world.request('GET /api/v2/status', { as: world.admin })
      const all = json as { installation_id: number; gateway?: { connected: boolean } }[]
      return all.find(({ installation_id }) => installation_id === id)?.gateway?.connected
    }
    const verify = (password: string, capabilities: string[]) =>
      world.request(`POST /api/v2/gateway/verify/${id}`, {
        headers: { authorization: `Basic ${btoa(`${installation.client_id}:${password}`)}` },
        body: { capabilities }
      })
    const address = `${platform().url}/installations/${id}/gateway`
    return { world, installation, user, state, verify, address }
  }

  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click()
  const answer = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

  /** A Mosquitto at the site, with the bridge as it is shown. */
  async function startBridge(t: TestContext, text: string) {
    const dir = mkdtempSync(join(tmpdir(), 'caracal-bridge-'))
    const port = await freePort()
    const local = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', '']
    writeFileSync(join(dir, 'mosquitto.conf'), `${local.join('\n')}${text}\n`)
    const process = spawn('mosquitto', ['-c', join(dir, 'mosquitto.conf')], { stdio: 'ignore' })
    t.after(() => {
      process.kill()
      rmSync(dir, { recursive: true })
    })
    return eventually(() => mqttClient(t, port))
  }

  test('a credential is made and shown once; Mosquitto connects with the bridge as shown', async (t) => {
    if (spawnSync('mosquitto', ['-h']).error) {
      assert.notEqual(process.env['CI'], 'true', 'CI must have mosquitto')
      t.skip('mosquitto is not installed')
      return
    }
    const { world, installation, user, state, address } = await site(writes)
    const { page, faults } = await open(wide)
    await signIn(page, address.replace(/gateway$/, 'live'), user)
    await press(page, 'Manage')
    await page.getByRole('menuitem', { name: 'Gateway', exact: true }).click()
    await part(page, 'Connection').getByText('No gateway of this installation is known').waitFor()
    const shown = part(page, 'Configuration of the bridge')
    assert.match(await shown.innerText(), /remote_password PASSWORD\n/)
    await press(page, 'Make a credential')
    await page.getByText('Make a new credential for the gateway of “Cellar”?').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await state(), undefined)
    await press(page, 'Make a credential')
    await answer(page, 'Make it')
    await page.getByText('The password is shown now, and never again').waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate('history.back()')
    const dialog = page.getByRole('dialog')
    const bridge = dialog.getByRole('region', { name: 'Configuration of the bridge' })
    const text = await bridge.innerText()
    const [, password = ''] = /remote_password (\S+)/.exec(text) ?? []
    assert(password.length > 30)
    assert.deepEqual(await seriousFindings(page), [])
    await dialog.getByRole('tab', { name: 'Edge client' }).click()
    const edge = JSON.parse(
      await dialog.getByRole('region', { name: 'Edge client' }).innerText()
    ) as Record<string, unknown>
    assert.deepEqual(
      [edge['mqtt_password'], edge['client_id'], edge['timezone']],
      [password, installation.client_id, 'Europe/Stockholm']
    )
    await dialog.getByRole('tab', { name: 'Anything else' }).click()
    const plain = dialog.getByRole('region', { name: 'Password', exact: true })
    assert.equal(await plain.innerText(), password)
    await answer(page, 'I have it')
    assert(!(await page.content()).includes(password))

    const local = await startBridge(t, text)
    await part(page, 'Connection').getByText('Gateway connected', { exact: false }).waitFor()
    assert.equal(await state(), true)
    const heard = await world.mqtt(user)
    await heard.subscribe(`${installation.client_id}/obj/#`)
    await eventually(async () => {
      await local.publish('obj/temperature', '{"value":21.5}', { qos: 1 })
      const topics = heard.messages.map(({ topic }) => topic)
      assert(topics.includes(`${installation.client_id}/obj/temperature`))
    })

    await press(page, 'Make a credential')
    await shows(page, 'the gateway is disconnected until it has the new one')
    await page.keyboard.press('Escape')
    await press(page, 'Reset the gateway')
    await page.getByText('Reset the gateway of “Cellar”?').waitFor()
    await answer(page, 'Reset it')
    await shows(page, 'The credential is deleted')
    await eventually(async () => assert.equal(await state(), undefined))
    await part(page, 'Connection').getByText('No gateway of this installation is known').waitFor()
    assert.deepEqual(faults, [])
  })

  test('a credential for a device below a prefix has a mount, and no bridge is shown', async () => {
    const { world, user, address } = await site(writes)
    const { page, faults } = await open()
    await signIn(page, address, user)
    await press(page, 'Make a credential')
    await page.getByText('A device with topics of its own, below a prefix').click()
    await page.getByRole('textbox', { name: 'Prefix' }).fill('dev/meter')
    const answered = page.waitForResponse(/gateway.credentials/)
    await answer(page, 'Make it')
    const made = await (await answered).json()
    assert.equal(made.mount.prefix, 'dev/meter')
    await page.getByText('its topics are below dev/meter/').waitFor()
    assert.equal(await page.getByRole('tab', { name: 'Bridge of Mosquitto' }).count(), 0)
    const device = await world.mqtt(
      { token: '' },
      { username: made.mqtt_username, password: made.mqtt_password }
    )
    const heard = await world.mqtt(world.admin)
    await heard.subscribe('#')
    await device.publish('obj/power', '{"value":3}', { qos: 1 })
    await eventually(() =>
      assert(heard.messages.some(({ topic }) => topic === `${made.client_id}/dev/meter/obj/power`))
    )
    assert.deepEqual(faults, [])
  })

  test('what the gateway reports is listed, and leads to the schedules', async () => {
    const { world, installation, user, verify, address } = await site(writes)
    const made = await world.request(`POST /api/v2/gateway/credentials/${installation.id}`, {
      as: world.admin,
      body: {}
    })
    const { mqtt_password } = made.json as { mqtt_password: string }
    assert.equal((await verify(mqtt_password, ['schedule', HOSTILE])).status, 204)
    const { page, faults } = await open(wide)
    await signIn(page, address, user)
    const connection = part(page, 'Connection')
    await connection.getByText('Gateway not connected').waitFor()
    await connection.getByText('It has not connected since the platform started').waitFor()
    await connection.getByText(HOSTILE).waitFor()
    await connection.getByText('It runs its schedules itself').waitFor()
    await connection.getByRole('link', { name: 'To the schedules' }).click()
    await page.waitForURL(/\/schedules$/)
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('who may only look has no buttons and is told why; on a phone, in both themes', async () => {
    const { user, address } = await site(grants, HOSTILE)
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, address, user)
      await shows(page, 'The permission installation/update is missing')
      await shows(page, 'The permission gateway/reset/password is missing')
      await part(page, 'Configuration of the bridge').waitFor()
      for (const name of ['Make a credential', 'Reset the gateway'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0)
      assert.equal(await part(page, 'Certificates').count(), 0)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert(width <= phone.viewport.width, `${width}`)
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await page.title(), 'Caracal')
      assert.deepEqual(faults, [])
    }
  })

  test('the address decides the bridge, and certificates are where they are shown', async () => {
    const { user, address } = await site([...writes, 'certificate/#'], HOSTILE)
    const { page } = await open(phone)
    await signIn(page, address, user)
    const field = page.getByRole('combobox', { name: 'Address of the broker' })
    await field.fill('mqtts://broker.example.org:8883')
    await shows(page, 'bridge_capath')
    await field.fill('wss://broker.example.org/mqtt')
    await shows(page, 'Mosquitto bridges no WebSocket')
    assert.equal(await part(page, 'Configuration of the bridge').count(), 0)
    await press(page, 'Make a credential')
    await answer(page, 'Make it')
    await page.getByText('The password is shown now, and never again').waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert(width <= phone.viewport.width, `${width}`)
    await answer(page, 'I have it')
    await page.getByRole('link', { name: 'To the certificates' }).click()
    await page.getByRole('region', { name: 'Certificates' }).waitFor()
  })
})
