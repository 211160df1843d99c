import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { unixMs } from '../../src/lib/unix-time.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { store } from '../support/samples.ts'
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

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('the plot page', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  /** An address of the plot page. */
  const plotOf = (id: number, search: Record<string, unknown>): string => {
    const url = new URL(`${platform().url}/installations/${id}/plot`)
    for (const [name, value] of Object.entries(search)) {
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return url.href
  }

  /** A sample of `topic` each minute until a minute ago. */
  const fill = async (
    installation: { id: number; client_id: number },
    topic: string,
    minutes: number
  ) => {
    const end = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE
    const samples = Array.from({ length: minutes }, (_, i) => ({
      topic,
      value: i % 10,
      timestamp: unixMs(end - i * MINUTE)
    }))
    await store(platform(), installation, samples.reverse())
  }

  const addFunction = (id: number, meta: Record<string, string>) =>
    platform().world.request(`POST /api/v2/functionx/${id}`, {
      as: platform().world.admin,
      body: { type: 'x', meta }
    })

  const searchOf = (page: Page) => new URL(page.url()).searchParams
  /** What the page asked of the log: `mean,min,max,count 60s`, or `raw`. */
  const listen = (page: Page): string[] => {
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (!pathname.includes('/log/')) return
      const method = searchParams.get('aggr_method')
      asked.push(method ? `${method} ${searchParams.get('aggr_interval')}` : 'raw')
    })
    return asked
  }
  const drag = async (page: Page, from: number, to: number) => {
    const box = await page.locator('.u-over').boundingBox()
    assert(box)
    await page.mouse.move(box.x + box.width * from, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * to, box.y + 80, { steps: 5 })
    await page.mouse.up()
  }

  test('topics are chosen by name, and the address shows the same after a reload', async () => {
    const { installation, user } = await house(platform().world, 'Chosen')
    await addFunction(installation.id, {
      name: 'Pump',
      room: 'Cellar',
      unit: 'W',
      topic_read: 'obj/p'
    })
    await fill(installation, 'obj/p', 100)
    const { page, faults } = await open()
    await signIn(page, plotOf(installation.id, {}), user)
    await shows(page, 'Choose what to plot')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByPlaceholder('Find a function').fill('cellar pum')
    await page.getByRole('option', { name: /Pump/ }).click()
    await shows(page, /Pump\s+obj\/p\s+4\.5\s*W\s+0\s*W[\s\S]*9\s*W[\s\S]*100/)
    assert.equal(searchOf(page).get('topics'), '["obj/p"]')
    await page.getByPlaceholder('Find a function').fill('chosen')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await eventually(() => assert.equal(searchOf(page).get('topics'), '["obj/p","obj/temp"]'))
    await page.reload()
    await shows(page, /Pump\s+obj\/p\s+4\.5[\s\S]*obj\/temp\s+21\.4/)
    await page.getByRole('button', { name: 'Remove Pump' }).click()
    await eventually(() => assert.equal(searchOf(page).get('topics'), '["obj/temp"]'))
    assert.deepEqual(faults, [])
  })

  test('one click shows everything of a unit', async () => {
    const { installation, user } = await house(platform().world, 'Units')
    const { page } = await open()
    await signIn(page, plotOf(installation.id, {}), user)
    await page.getByRole('button', { name: '°C (1)' }).click()
    await shows(page, /obj\/temp\s+21\.4/)
  })

  test('an address with wrong values shows what it can', async () => {
    const { installation, user } = await house(platform().world, 'Wrong')
    const { page, faults } = await open()
    const search = { topics: ['obj/temp', 7, '#'], last: 'year', from: 9, to: 3, compare: 'x' }
    await signIn(page, plotOf(installation.id, search), user)
    await shows(page, /obj\/temp\s+21\.4/)
    assert(await page.getByRole('radio', { name: '24 h' }).isChecked())
    assert.deepEqual(faults, [])
  })

  test('zooming asks again, finer, down to each sample, and Back leads out again', async () => {
    const { installation, user } = await house(platform().world, 'Zoomed')
    await fill(installation, 'obj/temp', 3000)
    const { page } = await open({ viewport: { width: 1000, height: 800 } })
    const asked = listen(page)
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'], last: DAY / 1000 }), user)
    await shows(page, 'A point is the mean of 3 min')
    await eventually(() => assert.deepEqual(asked, ['mean,min,max,count 180s']))
    await shows(page, /1,4\d\d/)
    await drag(page, 0.2, 0.5)
    await shows(page, 'Each sample is drawn')
    assert.deepEqual(asked.slice(1), ['mean,min,max,count 60s', 'raw'])
    const [from, to] = [Number(searchOf(page).get('from')), Number(searchOf(page).get('to'))]
    assert(Math.abs(to - from - 0.3 * (DAY / 1000)) < 600)
    await page.goBack()
    await shows(page, 'A point is the mean of 3 min')
    assert.equal(searchOf(page).get('last'), '86400')
    await drag(page, 0.2, 0.5)
    await shows(page, 'Each sample is drawn')
    await page.locator('.u-over').dblclick()
    await shows(page, 'A point is the mean of 3 min')
  })

  test('the keyboard moves and zooms', async () => {
    const { installation, user } = await house(platform().world, 'Keys')
    const { page } = await open()
    await signIn(
      page,
      plotOf(installation.id, { topics: ['obj/temp'], from: 10_000, to: 20_000 }),
      user
    )
    await shows(page, 'No value in this range')
    await page.getByRole('region', { name: /^Plot/ }).focus()
    const becomes = (from: string, to: string) =>
      eventually(() => {
        const search = searchOf(page)
        assert.deepEqual([search.get('from'), search.get('to')], [from, to])
      })
    await page.keyboard.press('ArrowLeft')
    await becomes('9000', '19000')
    await page.keyboard.press('ArrowRight')
    await becomes('10000', '20000')
    await page.keyboard.press('+')
    await becomes('12500', '17500')
    await page.keyboard.press('-')
    await becomes('10000', '20000')
    await page.keyboard.press('Backspace')
    await becomes('12500', '17500')
  })

  test('a free range is in the time zone of the installation', async () => {
    const { world } = platform()
    const { installation, user } = await house(world, 'Tokyo')
    const as = world.admin
    await world.request(`PUT /api/v2/installation/${installation.id}`, {
      as,
      body: { timezone: 'Asia/Tokyo' }
    })
    const { page } = await open()
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'] }), user)
    await page.getByRole('button', { name: 'From – to' }).click()
    await page.getByRole('textbox', { name: 'From' }).fill('2026-01-02T09:00')
    await page.getByRole('textbox', { name: 'To' }).fill('2026-01-02T08:00')
    await page.getByRole('button', { name: 'Show' }).click()
    await shows(page, 'The end must be after the begin')
    await page.getByRole('textbox', { name: 'To' }).fill('2026-01-02T10:00')
    await page.getByRole('button', { name: 'Show' }).click()
    const from = Date.parse('2026-01-02T00:00:00Z') / 1000
    await eventually(() => assert.equal(searchOf(page).get('from'), String(from)))
    assert.equal(searchOf(page).get('to'), String(from + 3600))
    await shows(page, 'Times in Asia/Tokyo')
  })

  test('values that arrive extend the line', async () => {
    const { installation, user, publish } = await house(platform().world, 'Alive')
    const { page } = await open()
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'], last: 3600 }), user)
    await shows(page, /obj\/temp\s+21\.4[\s\S]*\s1$/m)
    await eventually(async () => assert.equal(await page.getByRole('status').innerText(), 'live'))
    await publish('obj/temp', { value: 25 })
    await shows(
      page,
      /obj\/temp\s+23\.2\s*°C\s+21\.4[\s\S]*25\.0\s*°C[\s\S]*25\.0\s*°C[\s\S]*\s2$/m
    )
  })

  test('without a broker for browsers, the values are read every few seconds', async () => {
    const { installation, user, publish } = await house(platform().world, 'Polled')
    const { page } = await open()
    await page.routeWebSocket(/\/mqtt/, (socket) => void socket.close())
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'], last: 3600 }), user)
    await shows(page, 'every 5 s')
    await publish('obj/temp', { value: 30 })
    await shows(page, /obj\/temp[\s\S]*30\.0\s*°C/)
  })

  test('while finer values are loading, the old picture stays', async () => {
    const { installation, user } = await house(platform().world, 'Slow')
    const { page } = await open()
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'], last: 3600 }), user)
    await shows(page, /obj\/temp\s+21\.4/)
    const { promise: slow, resolve: go } = Promise.withResolvers<void>()
    let waiting = 0
    await page.route('**/api/v3beta/log/**', async (route) => {
      waiting++
      await slow
      await route.continue()
    })
    await page.getByText('6 h', { exact: true }).click()
    await eventually(() => assert.equal(waiting, 1))
    assert.equal(await page.locator('.progress.busy').count(), 1)
    await shows(page, /obj\/temp\s+21\.4/)
    go()
    await eventually(async () => assert.equal(await page.locator('.progress.busy').count(), 0))
  })

  test('without a value in the range the newest one is a click away', async () => {
    const { installation, user } = await house(platform().world, 'Empty')
    const { page } = await open()
    await signIn(
      page,
      plotOf(installation.id, { topics: ['obj/temp'], from: 10_000, to: 20_000 }),
      user
    )
    await shows(page, 'No value in this range')
    await page.getByRole('button', { name: 'Go there' }).click()
    await shows(page, /obj\/temp\s+21\.4/)
  })

  test('the time before is compared', async () => {
    const { installation, user } = await house(platform().world, 'Compared')
    const samples = Array.from({ length: 60 }, (_, i) => ({
      topic: 'obj/temp',
      value: 5,
      timestamp: unixMs(Date.now() - 7 * DAY - i * MINUTE)
    }))
    await store(platform(), installation, samples.reverse())
    const { page } = await open()
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'], last: 3600 }), user)
    await page.getByRole('switch', { name: 'Compare with the week before' }).click()
    await shows(page, 'Dashed: the week before')
    assert.equal(searchOf(page).get('compare'), 'true')
    const box = await page.locator('.u-over').boundingBox()
    assert(box)
    await eventually(async () => {
      await page.mouse.move(box.x + box.width / 2 + Math.random(), box.y + 50)
      assert.match(await page.locator('.readout').innerText(), /before: 5\.0 °C/)
    })
    await page.getByText('30 d', { exact: true }).click()
    await shows(page, 'Compare with 5 weeks before')
  })

  test('what is shown is saved as CSV and PNG, and names do nothing in a table', async () => {
    const { installation, user } = await house(platform().world, 'Saved')
    await addFunction(installation.id, { name: '=1+2', unit: 'W', topic_read: 'obj/p' })
    await fill(installation, 'obj/p', 10)
    const { page } = await open()
    await signIn(page, plotOf(installation.id, { topics: ['obj/p'], last: 3600 }), user)
    await shows(page, 'Each sample is drawn')
    const save = async (name: string): Promise<Buffer> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click()
      ])
      return readFileSync(await download.path())
    }
    const lines = (await save('CSV')).toString().split('\r\n')
    assert.equal(lines[0], "\ufefftime,unix,'=1+2 (W) obj/p")
    assert.equal(lines.length, 12)
    assert.match(lines[1] ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000[+-]\d\d:\d\d,\d+,9$/)
    const picture = await save('PNG')
    assert.equal(picture.subarray(1, 4).toString(), 'PNG')
    assert(picture.readUInt32BE(16) > 500 && picture.readUInt32BE(20) > 400)
  })

  test('names that look like HTML are only text', async () => {
    const { installation, user } = await house(platform().world, HOSTILE, HOSTILE)
    await addFunction(installation.id, { name: HOSTILE, unit: HOSTILE, topic_read: 'obj/<b>' })
    await fill(installation, 'obj/<b>', 30)
    const { page, faults } = await open()
    const topics = ['obj/temp', 'obj/<b>', HOSTILE.replaceAll('"', '')]
    await signIn(page, plotOf(installation.id, { topics, last: 3600 }), user)
    await shows(page, 'obj/<b>')
    await page.locator('.u-over').hover()
    await shows(page, /onerror[\s\S]*no value/)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('option').first().waitFor()
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  test('a third unit is told, and states are named on their axis', async () => {
    const { installation, user } = await house(platform().world, 'Mixed')
    const shown: Record<string, Record<string, string>> = {
      'obj/w': { unit: 'W' },
      'obj/v': { unit: 'V' },
      'obj/door': { state_open: '1', state_closed: '0' }
    }
    for (const [topic, meta] of Object.entries(shown)) {
      await addFunction(installation.id, { name: topic, topic_read: topic, ...meta })
      await fill(installation, topic, 5)
    }
    const { page } = await open()
    const topics = ['obj/temp', 'obj/w', 'obj/v', 'obj/door']
    await signIn(page, plotOf(installation.id, { topics, last: 3600 }), user)
    await shows(page, 'Without an axis, each on a scale of its own: V, states')
  })

  test('a failure is told, and the picture that is there stays', async () => {
    const { installation, user } = await house(platform().world, 'Failing')
    const { page } = await open()
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'], last: 3600 }), user)
    await shows(page, /obj\/temp\s+21\.4/)
    await page.route('**/api/v3beta/log/**', (route) =>
      route.fulfill({ status: 400, json: { status: 400, message: 'no more today' } })
    )
    await page.getByText('6 h', { exact: true }).click()
    await shows(page, 'no more today')
    await shows(page, /obj\/temp\s+21\.4/)
    await page.unroute('**/api/v3beta/log/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await eventually(() => hides(page, 'no more today'))
  })

  test('who may not read the log is told which permission is missing', async () => {
    const { world } = platform()
    const { installation } = await house(world, 'Closed')
    const others = grants.filter((grant) => !grant.startsWith('log/'))
    const user = await world.user({ grants: others, organizations: [installation.organization_id] })
    const { page } = await open()
    await signIn(page, plotOf(installation.id, { topics: ['obj/temp'] }), user)
    await shows(page, 'the permission log/read is missing')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`everybody can read it, ${colorScheme}`, async () => {
      const { installation, user } = await house(platform().world, 'Readable')
      await fill(installation, 'obj/temp', 50)
      const { page, faults } = await open({ colorScheme, reducedMotion: 'reduce' })
      await signIn(page, plotOf(installation.id, {}), user)
      await shows(page, 'Choose what to plot')
      assert.deepEqual(await seriousFindings(page), [])
      await page.goto(plotOf(installation.id, { topics: ['obj/temp'], last: 3600 }))
      await shows(page, 'Each sample is drawn')
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('option').first().waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'From – to' }).click()
      await page.getByRole('textbox', { name: 'From' }).waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await page.keyboard.press('Escape')
      await page.setViewportSize({ width: 390, height: 800 })
      await eventually(async () => {
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        assert.equal(wide, 390, 'nothing is wider than a phone')
      })
      assert.deepEqual(await seriousFindings(page), [])
      assert.deepEqual(faults, [])
    })
  }
})
