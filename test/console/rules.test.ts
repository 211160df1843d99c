import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { bodyOf, draftOf, readBound, readDuration } from '../../console/src/rule/form.ts'
import { matches } from '../../console/src/rule/watched.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { store } from '../support/samples.ts'
import { grants, HOSTILE, house, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const HOUR = 3_600_000
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('a rule as it is typed, and as it is stored', () => {
  const base = { name: 'n', active: true, severity: 'info' as const, message: 'm', schedule: null }
  const plain = { ...base, for: '10m', hysteresis: 0.5, on: { topics: ['obj/+/temp'] } }
  const whens = [
    { above: -2.5 },
    { outside: [2, { meta: 'max' }] },
    { silent_for: '2h' },
    { silent_for: { meta: 'max_age' } },
    { all: [{ below: { meta: 'warning' } }, { changed_by: 1 }, { rate_per_hour: 0 }] },
    { any: [{ equals: 0 }, { above: 1e21 }] },
    // The form does not show these; they are kept as they are.
    { any: [{ all: [{ above: 1 }, { below: 2 }] }, { equals: 3 }] },
    { above: { meta: '25' } }
  ]
  for (const when of whens)
    assert.deepEqual(bodyOf(draftOf({ ...plain, when })), { ...plain, when })
  const byMeta = { type: 'temperature', meta: { room: 'freezer', '': 'x' } }
  const schedule = { days: [0, 6], from: '22:00', to: '06:00' }
  const night = { ...base, for: '', hysteresis: 0, schedule, when: { below: 1 } }
  assert.deepEqual(bodyOf(draftOf({ ...night, on: byMeta })), {
    ...night,
    on: { type: 'temperature', meta: { room: 'freezer' } }
  })
  const draft = draftOf({ ...plain, when: { above: 1 } })
  assert.equal(bodyOf({ ...draft, topics: [] }), undefined)
  assert.equal(bodyOf({ ...draft, by: 'functions' }), undefined)
  assert.equal(bodyOf({ ...draft, for: '10x' }), undefined)
  assert.equal(bodyOf({ ...draft, hasHours: true, days: [] }), undefined)
  assert.equal(bodyOf({ ...draft, parts: [] }), undefined)
  assert.equal(readDuration(' 10 min '), '10m')
  assert.equal(readDuration('1h30m'), undefined)
  assert.equal(readBound('21,5'), 21.5)
  assert.equal(readBound('25x'), undefined)
  assert.deepEqual(readBound('warning'), { meta: 'warning' })
})

test('the topics that a filter matches', () => {
  const all: [filter: string, topic: string, isMatch: boolean][] = [
    ['obj/temp', 'obj/temp', true],
    ['obj/+', 'obj/temp', true],
    ['obj/+', 'obj/a/b', false],
    ['obj/#', 'obj', true],
    ['obj/#', 'obj/a/b', true],
    ['#', 'a', true],
    ['obj/+/x', 'obj/a', false]
  ]
  for (const [filter, topic, isMatch] of all) assert.equal(matches(filter, topic), isMatch, filter)
})

describe('rules', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const writes = [...grants, 'rule/#', 'alarm/#']
  const reads = [...grants, 'rule/list/all']

  /** A house whose temperature was 30 at two times of the last week, and 20 otherwise. */
  async function home(name: string, given: string[]) {
    const { world } = platform()
    const { installation, publish } = await house(world, name)
    const organizations = [installation.organization_id]
    const user = await world.user({ grants: given, organizations })
    const end = Math.floor(Date.now() / HOUR) * HOUR
    const samples = Array.from({ length: 7 * 24 }, (_, i) => ({
      topic: 'obj/temp',
      value: i === 30 || i === 31 || i === 90 ? 30 : 20,
      timestamp: unixMs(end - (i + 1) * HOUR)
    }))
    await store(platform(), installation, samples.reverse())
    const list = async () => {
      const as = world.admin
      const { json } = await world.request(`GET /api/v2/rule/${installation.id}`, { as })
      return json as Record<string, unknown>[]
    }
    const add = async (body: Record<string, unknown>) => {
      const line = `POST /api/v2/rule/${installation.id}`
      const answer = await world.request(line, { as: world.admin, body })
      assert.equal(answer.status, 200, answer.text)
    }
    const address = `${platform().url}/installations/${installation.id}`
    return { installation, publish, user, list, add, address }
  }

  const field = (page: Page, name: string | RegExp) => page.getByRole('combobox', { name })
  const typed = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
  const outcome = (page: Page, text: RegExp) =>
    eventually(async () => {
      const panel = page.getByRole('region', { name: 'What it would have found' })
      assert.match(await panel.innerText(), text)
    })
  const slider = (page: Page) => page.getByRole('slider', { name: 'Threshold of condition 1' })
  const valueNow = async (page: Page) => Number(await slider(page).getAttribute('aria-valuenow'))
  const saves = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name }).click()

  test('is written in words and tried while one types; the threshold is dragged; it raises', async () => {
    const { user, list, publish, address } = await home('Cellar', writes)
    const { page, faults } = await open({ viewport: { width: 1400, height: 900 } })
    await signIn(page, `${address}/rules`, user)
    await shows(page, 'There is no rule yet')
    await page.getByRole('button', { name: 'New rule', exact: true }).click()
    await field(page, 'Topics').fill('cellar')
    await page.getByRole('option', { name: /Cellar/ }).click()
    await page.keyboard.press('Escape')
    await field(page, 'Value of condition 1').fill('25')
    await outcome(page, /2 alarms on 1 topic/)
    await typed(page, 'For at least').fill('90m')
    await outcome(page, /1 alarm on 1 topic/)
    await typed(page, 'For at least').fill('')
    await outcome(page, /2 alarms on 1 topic/)
    await eventually(async () => assert.deepEqual(await seriousFindings(page), []))

    const grip = await slider(page).boundingBox()
    assert(grip)
    const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x, y + 40, { steps: 5 })
    await page.mouse.up()
    await eventually(async () => assert((await valueNow(page)) < 24))
    const dragged = await valueNow(page)
    assert.equal(await field(page, 'Value of condition 1').inputValue(), String(dragged))
    await slider(page).focus()
    await page.keyboard.press('ArrowUp')
    await eventually(async () => assert((await valueNow(page)) > dragged))
    await field(page, 'Value of condition 1').fill('35')
    await outcome(page, /No alarm in this time/)
    await field(page, 'Value of condition 1').fill('25')
    await page.getByText('critical', { exact: true }).click()
    await typed(page, 'Message').fill('Warm: {{.payload.value}}')
    await typed(page, 'Name').fill(HOSTILE)
    await saves(page, 'New rule')
    await eventually(async () => assert.equal((await list()).length, 1))
    const [rule] = await list()
    assert.deepEqual([rule?.['on'], rule?.['when']], [{ topics: ['obj/temp'] }, { above: 25 }])
    await shows(page, /onerror[\s\S]*critical[\s\S]*Cellar: above 25/)
    await publish('obj/temp', { value: 31 })
    await eventually(async () => {
      const bell = page.getByRole('banner').getByRole('link', { name: /worst: critical/ })
      assert.equal(await bell.count(), 1)
    })
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual(faults, [])
  })

  test('on functions with bounds of their metadata, at hours; changed and deleted', async () => {
    const { user, list, add, address } = await home('Shop', writes)
    await add({
      name: 'Fridges',
      on: { type: 'temperature', meta: { room: 'Hall' } },
      when: { any: [{ outside: [2, 8] }, { silent_for: '2h' }] },
      schedule: { days: [1, 2], from: '22:00', to: '06:00' }
    })
    await add({
      ...{ name: 'Deep', on: { topics: ['obj/#'] } },
      when: { any: [{ all: [{ above: 1 }, { below: 2 }] }, { equals: 3 }] }
    })
    const { page, faults } = await open({ viewport: { width: 1400, height: 900 } })
    await signIn(page, `${address}/rules`, user)
    await shows(
      page,
      /type temperature with room = Hall: outside 2 – 8 or silent for 2 hr, Mon Tue/
    )
    await shows(page, /\(above 1 and below 2\) or equal to 3/)
    await page.getByRole('link', { name: 'Fridges' }).click()
    await outcome(page, /alarm/)
    assert.equal(await field(page, 'Upper value of condition 1').inputValue(), '8')
    await field(page, 'Value of condition 2').fill('max_age')
    await page.getByRole('button', { name: 'Remove condition 1' }).click()
    await page.getByRole('switch', { name: 'Only at certain hours' }).click()
    await page.keyboard.press('Escape')
    await shows(page, 'Leave without saving')
    await page.getByRole('button', { name: 'Stay here' }).click()
    await saves(page, 'Save')
    await eventually(async () => {
      const rule = (await list()).find(({ name }) => name === 'Fridges')
      assert.deepEqual(rule?.['when'], { silent_for: { meta: 'max_age' } })
      assert.equal(rule?.['schedule'], null)
    })
    await page.getByRole('link', { name: 'Deep' }).click()
    const json = typed(page, 'Conditions within conditions')
    await json.fill('{"above": ')
    await shows(page, 'This is no JSON')
    await json.fill('{"above": {"below": 1}}')
    await outcome(page, /rule.when/)
    await page.getByRole('button', { name: 'Delete the rule' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await eventually(async () => assert.equal((await list()).length, 1))
    assert.deepEqual(faults, [])
  })

  test('who may only list can open and try, but not change; on a phone, in both themes', async () => {
    const { user, add, address } = await home(HOSTILE, reads)
    const long = 'verylongword'.repeat(20)
    await add({ name: long, on: { topics: ['obj/temp'] }, when: { above: 25 } })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, `${address}/rules`, user)
      await shows(page, 'verylongword')
      assert.equal(await page.getByRole('button', { name: 'New rule' }).count(), 0)
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('link', { name: /verylong/ }).click()
      await outcome(page, /2 alarms on 1 topic/)
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
      assert.equal(await page.getByRole('slider').count(), 0)
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      )
      assert.equal(wide, 0)
      assert.deepEqual(faults, [])
    }
  })

  test('rules of the organization are made, changed and deleted beside those of the installation', async () => {
    const { world } = platform()
    const { installation, user, list, address } = await home('Shared', writes)
    const at = `/api/v2/rule/organization/${installation.organization_id}`
    const ofOrganization = async () => {
      const { json } = await world.request(`GET ${at}`, { as: world.admin })
      return json as Record<string, unknown>[]
    }
    const { page, faults } = await open({ viewport: { width: 1400, height: 900 } })
    await signIn(page, `${address}/rules`, user)
    await page.getByRole('button', { name: 'New rule of the organization' }).click()
    await page.getByText('Functions by type and metadata').click()
    await field(page, 'Type of function').fill('temperature')
    await field(page, 'Value of condition 1').fill('25')
    await outcome(page, /2 alarms on 1 topic/)
    await typed(page, 'Name').fill('Everywhere')
    await saves(page, 'New rule')
    await eventually(async () => assert.equal((await ofOrganization()).length, 1))
    assert.deepEqual(await list(), [])
    const section = page.getByRole('region', { name: 'Rules of the organization' })
    await section.getByRole('link', { name: 'Everywhere' }).click()
    assert.match(page.url(), /of=organization/)
    await page.reload()
    await field(page, 'Value of condition 1').fill('35')
    await outcome(page, /No alarm in this time/)
    await saves(page, 'Save')
    await eventually(async () => {
      const [rule] = await ofOrganization()
      assert.deepEqual(rule?.['when'], { above: 35 })
    })
    await shows(page, /Functions of type temperature: above 35/)
    assert.deepEqual(await seriousFindings(page), [])

    const reader = await world.user({
      grants: reads,
      organizations: [installation.organization_id]
    })
    const second = await open()
    await signIn(second.page, `${address}/rules`, reader)
    await second.page.getByRole('link', { name: 'Everywhere' }).click()
    await outcome(second.page, /No alarm in this time/)
    assert.equal(await second.page.getByRole('button', { name: /Save|Delete|New/ }).count(), 0)

    await section.getByRole('link', { name: 'Everywhere' }).click()
    await page.getByRole('button', { name: 'Delete the rule' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await eventually(async () => assert.deepEqual(await ofOrganization(), []))
    assert.deepEqual(faults, [])
  })

  test('a plot leads to a rule on its topics; without rule/list the page says so', async () => {
    const { installation, user, address } = await home('Plotted', writes)
    const { page, faults } = await open({ locale: 'sv' })
    await page.goto(`${address}/plot?topics=%5B%22obj%2Ftemp%22%5D`)
    await page.getByLabel('E-post').fill(user.email)
    await page.getByRole('textbox', { name: 'Lösenord' }).fill(user.password)
    await page.getByRole('button', { name: 'Logga in' }).click()
    await page.getByRole('link', { name: 'Ny regel' }).click()
    await page.waitForURL('**/rules?*')
    await field(page, 'Värde för villkor 1').fill('21,5')
    await shows(page, '2 larm på 1 ämne')
    assert.deepEqual(faults, [])

    const other = await platform().world.user({
      grants,
      organizations: [installation.organization_id]
    })
    const second = await open()
    await signIn(second.page, `${address}/rules`, other)
    await shows(second.page, 'The permission rule/list on the installation Plotted .* is missing')
  })
})
