import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { brokerOf, curl, node, python, shellQuoted } from '../../console/src/connect/examples.ts'
import { proposedTopic } from '../../console/src/connect/topics.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, hides, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const run = promisify(execFile)
const root = new URL('../..', import.meta.url).pathname
const QUOTES = `'; touch /tmp/hacked; "$(touch /tmp/hacked)" \\`

/** As mosquitto_pub, by the client that `npm ci` installs: it takes the same options. */
const MOSQUITTO = `mosquitto_pub() { '${root}node_modules/.bin/mqtt' pub "$@"; }`

const curlSpeaks = async (protocol: string) => {
  const { stdout } = await run('curl', ['--version']).catch(() => ({ stdout: '' }))
  return stdout.includes(` ${protocol} `)
}
const noHttp = (await curlSpeaks('http')) ? false : 'no curl'
const noCurl = (await curlSpeaks('mqtt')) ? false : 'no curl that speaks MQTT'
if (noCurl && process.env['CI'] === 'true') throw new Error(noCurl)

test('a text in single quotes is itself for a shell', async () => {
  for (const text of [QUOTES, "it's", '$HOME `id` !!', 'a\nb', '']) {
    const { stdout } = await run('bash', ['-c', `printf %s ${shellQuoted(text)}`])
    assert.equal(stdout, text)
  }
})

test('a script with any topic is a valid script', async (t) => {
  const directory = mkdtempSync(join(root, 'node_modules/.caracal-scripts-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const broker = { scheme: 'wss', host: 'fd00::2', port: 443, path: '/mqtt' } as const
  const sending = { broker, key: 'k', topic: `1/obj/${QUOTES}é\u2028`, listen: '1/set/#' }
  writeFileSync(join(directory, 'a.mjs'), node(sending))
  await run(process.execPath, ['--check', join(directory, 'a.mjs')])
  writeFileSync(join(directory, 'a.py'), python(sending))
  const isMissing = (error: { code?: unknown }) => error.code === 'ENOENT'
  await run('python3', ['-m', 'py_compile', join(directory, 'a.py')]).catch((error) => {
    if (!isMissing(error)) throw error
  })
})

test('curl is offered only where it can speak to the broker', () => {
  const line = (url: string) => {
    const broker = brokerOf(url)
    return broker && curl({ broker, key: 'k', topic: '1/obj/a' })
  }
  assert.equal(
    line('mqtt://[fd00::2]:1883'),
    `curl -sS -u 'token:k' -d '{"value": 21.5}' 'mqtt://[fd00::2]:1883/1/obj/a'`
  )
  for (const url of ['mqtts://a:8883', 'ws://a/mqtt', 'wss://a/mqtt']) {
    assert.equal(line(url), undefined, url)
  }
})

test('a topic is proposed from any name', () => {
  assert.equal(proposedTopic('temperature', ' Hall, östra '), 'obj/temperature/hall_ostra')
  assert.equal(proposedTopic('co2', HOSTILE).startsWith('obj/co2/img_src_x'), true)
  assert.equal(proposedTopic('other', '温度'), 'obj/other/device')
})

describe('connect a device', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function site(more: string[] = []) {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, ...more])
    const url = `${platform().url}/installations/${installation.id}/connect`
    return { installation, user, url, world }
  }

  async function makeKey(page: Page, name: string, listens = false): Promise<string> {
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    if (listens) await page.getByLabel(/Send values and listen/).check()
    await page.getByRole('button', { name: 'Make the key' }).click()
    await shows(page, 'never again')
    return page.getByRole('region', { name: 'Key', exact: true }).innerText()
  }

  const example = async (page: Page, name: string) => {
    await page.getByRole('tab', { name }).click()
    return page.getByRole('region', { name }).innerText()
  }

  test('from a name to the first value and a function, by the line as shown', async () => {
    const { installation, user, url } = await site()
    const { page, faults } = await open()
    await signIn(page, url, user)
    const key = await makeKey(page, "Olle's <b>sensor</b>")
    await shows(page, `Waiting for a value on ${installation.client_id}/obj/temperature/olle_s_b_`)
    const line = await example(page, 'mosquitto_pub')
    assert(line.includes(key))
    await run('bash', ['-c', `${MOSQUITTO}\n${line}`], { timeout: 30_000 })
    await shows(page, /The first value is here\.\s+21\.5\s*°C/)
    await shows(page, /age (now|\d+ s)/)
    await page.getByRole('button', { name: 'Create the function' }).click()
    await shows(page, 'The function is there')
    await page.getByRole('link', { name: 'See it on Live' }).click()
    await shows(page, /Olle's <b>sensor<\/b>[\s\S]*21\.5\s*°C/)
    assert.deepEqual(faults, [])
  })

  test('the line for curl works as shown, whatever the topic', { skip: noCurl }, async () => {
    const { installation, user, url, world } = await site()
    for (const word of ['hall', `a b/{x}[1-3]/å?&%2F%`, QUOTES]) {
      const { page, faults } = await open()
      await signIn(page, url, user)
      await page.getByRole('textbox', { name: 'Topic' }).fill(`obj/${word}`)
      const key = await makeKey(page, 'Curl')
      const line = await page.getByRole('region', { name: 'curl' }).innerText()
      assert(line.includes(key))
      await run('bash', ['-c', line], { timeout: 30_000 })
      await shows(page, /The first value is here\.\s+21\.5\s*°C/)
      const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
      const topics = (json as { topic: string }[]).map(({ topic }) => topic)
      assert(topics.includes(`${installation.client_id}/obj/${word}`), String(topics))
      assert.deepEqual(faults, [])
    }
    assert.equal(existsSync('/tmp/hacked'), false)
  })

  test('no line is shown before the address of the broker is known', async () => {
    const { user, url } = await site()
    const { page } = await open()
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    await page.route('**/api/v2/gateway/broker', async (route) => {
      asked.resolve()
      await release.promise
      await route.continue()
    })
    await signIn(page, url, user)
    await makeKey(page, 'Early')
    await asked.promise
    assert.equal(await page.getByRole('region', { name: 'curl' }).count(), 0)
    release.resolve()
    const line = await page.getByRole('region', { name: 'curl' }).innerText()
    assert(line.includes(`127.0.0.1:${platform().mqttPort}/`), line)
  })

  test('the line for HTTP works as shown, whatever the topic', { skip: noHttp }, async () => {
    const { installation, user, url, world } = await site()
    for (const word of ['hall', `a b/{x}[1-3]/å?&%2F%`, QUOTES]) {
      const { page, faults } = await open()
      await signIn(page, url, user)
      await page.getByRole('textbox', { name: 'Topic' }).fill(`obj/${word}`)
      await makeKey(page, 'Web')
      await page.getByRole('tab', { name: 'HTTP' }).click()
      const line = await page.getByRole('region', { name: 'HTTP' }).innerText()
      await run('bash', ['-c', line], { timeout: 30_000 })
      await shows(page, /The first value is here\.\s+21\.5\s*°C/)
      const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
      const topics = (json as { topic: string }[]).map(({ topic }) => topic)
      assert(topics.includes(`${installation.client_id}/obj/${word}`), String(topics))
      assert.deepEqual(faults, [])
    }
    assert.equal(existsSync('/tmp/hacked'), false)
  })

  test('a reload keeps the fields, and the key is never in the address', async () => {
    const { installation, user, url, world } = await site()
    const { page, faults } = await open()
    await signIn(page, url, user)
    await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE)
    await page.getByLabel('What it measures').selectOption('co2')
    await page.getByRole('textbox', { name: 'Topic' }).fill('obj/my/own & topic')
    await page.getByLabel(/Send values and listen/).check()
    await page.getByLabel(/ends/i).selectOption('90')
    await eventually(() => assert.match(page.url(), /days=90/))
    await page.reload()
    const filled = async () => [
      await page.getByRole('textbox', { name: 'Name' }).inputValue(),
      await page.getByLabel('What it measures').inputValue(),
      await page.getByRole('textbox', { name: 'Topic' }).inputValue(),
      await page.getByLabel(/Send values and listen/).isChecked(),
      await page.getByLabel(/ends/i).inputValue()
    ]
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    assert.deepEqual(await filled(), [HOSTILE, 'co2', 'obj/my/own & topic', true, '90'])
    const key = await makeKey(page, 'Quick', true)
    assert.match(page.url(), /name=Quick/)
    assert(!page.url().includes(key))
    await world.publish(user, `${installation.client_id}/obj/my/own & topic`, { value: 1 })
    await shows(page, 'The first value is here')
    await page.getByRole('button', { name: 'Another device' }).click()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    assert.deepEqual(await filled(), ['', 'temperature', 'obj/temperature/device', false, '0'])
    assert(!page.url().includes('?'))
    await page.goto(`${url}?kind=__proto__&days=7&topic=1&name=%22%22&listen=1`)
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    assert.deepEqual(await filled(), ['', 'temperature', 'obj/temperature/device', false, '0'])
    assert.deepEqual(faults, [])
  })

  test('the key does MQTT on this installation and nothing else', async () => {
    const { installation, user, url, world } = await site()
    const other = await world.installation({ organization_id: installation.organization_id })
    const { page } = await open()
    await signIn(page, url, user)
    const as = { token: await makeKey(page, 'Sensor') }
    for (const line of [
      `GET /api/v2/status/${installation.id}`,
      `GET /api/v2/functionx/${installation.id}`,
      `GET /api/v3beta/log/${installation.id}`,
      'GET /api/v2/user/me/security/token'
    ]) {
      assert.equal((await world.request(line, { as })).status, 403, line)
    }
    assert.deepEqual((await world.request('GET /api/v2/installation', { as })).json, [])
    const device = await world.mqtt(as)
    assert.deepEqual(await device.subscribe(`${installation.client_id}/#`), [128])
    await device.publish(`${other.client_id}/obj/x`, '{"value":1}', { qos: 1 })
    const { json } = await world.request(`GET /api/v2/status/${other.id}`, { as: user })
    assert.deepEqual(json, [])
  })

  test('the script for Node works as shown, and a device that listens gets commands', async (t) => {
    const { installation, user, url } = await site()
    const { page } = await open()
    await signIn(page, url, user)
    const key = await makeKey(page, 'Lamp', true)
    const script = await example(page, 'Node')
    assert(script.includes(key))
    const directory = mkdtempSync(join(root, 'node_modules/.caracal-scripts-'))
    t.after(() => rmSync(directory, { recursive: true }))
    writeFileSync(join(directory, 'device.mjs'), script)
    const device = run(process.execPath, [join(directory, 'device.mjs')])
    let heard = ''
    device.child.stdout?.on('data', (text) => {
      heard += text
    })
    await shows(page, 'The first value is here')
    const gateway = await platform().world.mqtt(user)
    await gateway.publish(`${installation.client_id}/set/lamp`, '{"value":1}', { qos: 1 })
    await eventually(() => assert.match(heard, /set\/lamp \{"value":1\}/))
    device.child.kill()
    await device.catch(() => {})
  })

  test('a value that is refused is told, with what to do', async () => {
    const { installation, user, url, world } = await site(['ledger/list/all'])
    const { page } = await open()
    await signIn(page, url, user)
    await makeKey(page, 'Wrong')
    await shows(page, 'Waiting for a value')
    const topic = `${installation.client_id}/obj/temperature/wrong`
    await world.publish(user, topic, `{"value":"21.5","msg":"${HOSTILE.replaceAll('"', '')}"}`)
    await shows(page, /did not store it: no numeric value\s+.*Write 21\.5, not "21\.5"/)
    assert.deepEqual(await seriousFindings(page), [])
    await world.publish(user, `${topic}s`, { value: 1 })
    await shows(page, 'a topic that was not there before')
    await world.publish(user, topic, { value: -4.5 })
    await shows(page, /-4\.5\s*°C/)
    assert.notEqual(await page.title(), 'hacked')
  })

  test('who leaves before the first value is asked what becomes of the key', async () => {
    const { user, url, world } = await site()
    const { page } = await open()
    const keys = async () => {
      const { json } = await world.request('GET /api/v2/user/me/security/token', { as: user })
      return (json as { type: string }[]).filter(({ type }) => type === 'key').length
    }
    await signIn(page, url, user)
    await makeKey(page, HOSTILE)
    await shows(page, 'never used')
    await page.getByRole('tab', { name: 'Live' }).click()
    await shows(page, 'The key has not been used')
    await page.getByRole('button', { name: 'Stay here' }).last().click()
    assert.equal(await keys(), 1)
    await page.getByRole('tab', { name: 'Live' }).click()
    await page.getByRole('button', { name: 'Delete it and leave' }).click()
    await shows(page, 'No value has arrived yet')
    assert.equal(await keys(), 0)

    await page.getByRole('link', { name: 'Connect a device' }).click()
    await makeKey(page, 'Second')
    await page.getByRole('button', { name: 'Back, and delete the key' }).click()
    await page.getByRole('button', { name: 'Make the key' }).waitFor()
    assert.equal(await keys(), 0)

    await makeKey(page, 'Third')
    await page.getByRole('button', { name: 'Delete: Third' }).click()
    await page.getByRole('button', { name: 'Delete it', exact: true }).click()
    await page.getByRole('button', { name: 'Make the key' }).waitFor()
    assert.equal(await keys(), 0)
    assert.notEqual(await page.title(), 'hacked')
  })

  test('who may not publish reads which permission is missing', async () => {
    const { installation, url, world } = await site()
    const user = await world.user({
      grants: ['installation/list/all', 'status/read/all'],
      organizations: [installation.organization_id]
    })
    const { page } = await open()
    await signIn(page, url, user)
    await shows(page, 'the permission mqtt/publish')
    await hides(page, 'Make the key')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the wizard can be used by everybody, ${colorScheme}`, async () => {
      const { user, url } = await site()
      const { page } = await open({ colorScheme, reducedMotion: 'reduce' })
      await signIn(page, url, user)
      await shows(page, 'Name the device')
      assert.deepEqual(await seriousFindings(page), [])
      await makeKey(page, 'Readable')
      await shows(page, 'Your keys for devices here')
      assert.deepEqual(await seriousFindings(page), [])
      await page.setViewportSize({ width: 390, height: 800 })
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
    })
  }
})
