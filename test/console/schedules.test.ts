import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  type CronTexts,
  cronFields,
  nextRuns,
  readCron,
  readField
} from '../../console/src/schedule/cron.ts'
import { bodyOf, emptyDraft, runnerOf, shortTopic } from '../../console/src/schedule/form.ts'
import { dayKinds, listText, timeFields, timeParts } from '../../console/src/schedule/parts.ts'
import { wordsOf } from '../../console/src/schedule/words.ts'
import { schedules as en } from '../../console/src/texts/schedules-en.ts'
import { schedules as sv } from '../../console/src/texts/schedules-sv.ts'
import { nextRun, parseCron, parseField } from '../../src/features/schedule/cron.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const wide = { viewport: { width: 1280, height: 900 } }

/** `minute hour day_of_month day_of_week month`, in the order of the API. */
function fieldsOf(line: string): CronTexts {
  const [minute = '', hour = '', day_of_month = '', day_of_week = '', month = ''] = line.split(' ')
  return { minute, hour, day_of_month, day_of_week, month }
}

const cronOf = (line: string) => {
  const cron = readCron(fieldsOf(line))
  assert(cron, line)
  return cron
}

test('a field of a schedule is read as the platform reads it', () => {
  const texts = [
    ...['*', '0', '7', '30', '31', '60', '1,15', ' 1 , 2 ', '1-5', '5-1', '*/15', '*/0', '1/2'],
    ...['0-59/7', '1-9/2,20', 'x', '1,', '-1', '1.5', '007', '*,3', '1-', '2-2']
  ]
  for (const field of cronFields)
    for (const text of texts)
      assert.deepEqual(readField(field, text), parseField(field, text), `${field} ${text}`)
  assert.deepEqual(readField('month', ''), readField('month', '*'))
  assert.equal(readCron(fieldsOf('60 * * * *')), undefined)
})

test('the next runs are those of the platform, also when the clock changes', () => {
  const zones = [
    ...['Europe/Stockholm', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia'],
    ...['Asia/Kathmandu', 'UTC', 'America/Sao_Paulo']
  ]
  const starts = [
    ...['2026-03-28T12:00Z', '2026-10-24T12:00Z', '2026-03-07T12:00Z', '2026-11-01T00:00Z'],
    ...['2011-12-29T00:00Z', '2026-12-31T22:59Z', '2028-02-28T00:00Z', '2026-04-04T10:00Z'],
    ...['2026-10-25T00:30Z', '2018-11-03T20:00Z']
  ]
  const lines = [
    ...['30 2 * * *', '0 * * * *', '*/20 1-3 * * *', '0 0 * * *', '15 6 * 1-5 *', '0 8 0 * *'],
    ...[
      '0 12 28 * *',
      '0 12 28 * 1',
      '59 23 30 * *',
      '0 12 0,14 1 *',
      '* 2 * 0 *',
      '5,35 0,2 * 7 *'
    ]
  ]
  for (const zone of zones)
    for (const start of starts)
      for (const line of lines) {
        const wanted: number[] = []
        let last = unixMs(Date.parse(start))
        while (wanted.length < 6) {
          const next = nextRun(parseCron(fieldsOf(line)), zone, last)
          if (next === undefined) break
          wanted.push(next)
          last = next
        }
        const found = nextRuns(cronOf(line), zone, Date.parse(start), 6).map(({ at }) => at)
        assert.deepEqual(found, wanted, `${line} ${zone} ${start}`)
      }
})

test('a skipped time runs at the first moment after it, and a repeated one runs once', () => {
  const all: [line: string, start: string, runs: string[]][] = [
    ['30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z moved', '2026-03-30T00:30Z']],
    ['30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['*/30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z moved', '2026-03-30T00:00Z']],
    ['0 8 30 * *', '2026-04-01T00:00Z', ['2026-05-31T06:00Z', '2026-07-31T06:00Z']],
    ['0 0 28 * 1', '2026-01-01T00:00Z', ['2028-02-28T23:00Z', '2032-02-28T23:00Z']],
    ['0 0 29 * 1', '2026-01-01T00:00Z', []]
  ]
  for (const [line, start, wanted] of all) {
    const runs = nextRuns(cronOf(line), 'Europe/Stockholm', Date.parse(start), 2)
    const texts = runs.map(
      ({ at, isMoved }) => `${new Date(at).toISOString().slice(0, 16)}Z${isMoved ? ' moved' : ''}`
    )
    assert.deepEqual(texts, wanted, line)
  }
})

test('fields in words', () => {
  const all: [line: string, english: string, swedish: string][] = [
    ['30 6 * 1-5 *', 'weekdays at 06:30', 'vardagar kl. 06:30'],
    ['*/15 * * * *', 'every 15 minutes', 'var 15:e minut'],
    ['0 8 0 * *', 'on day 1 of the month at 08:00', 'dag 1 i månaden kl. 08:00'],
    ['* * * * *', 'every minute', 'varje minut'],
    ['0 * * * *', 'every hour', 'varje timme'],
    ['5 * * * *', 'every hour at minute 5', 'varje timme vid minut 5'],
    ['0 */2 * * *', 'every 2 hours', 'varannan timme'],
    ['0 6 * * *', 'every day at 06:00', 'varje dag kl. 06:00'],
    ['0 6,18 * 6,7 *', 'weekends at 06:00 and 18:00', 'helger kl. 06:00 och 18:00'],
    [
      '*/20 6-8 * 1-5 *',
      'weekdays every 20 minutes from 06:00 to 08:40',
      'vardagar var 20:e minut från 06:00 till 08:40'
    ],
    ['0 8-17 * * *', 'every hour from 08:00 to 17:00', 'varje timme från 08:00 till 17:00'],
    [
      '0 12 0-4,14 * 5-7',
      'on days 1 to 5 and 15 of the month at 12:00 in June to August',
      'dagarna 1 till 5 och 15 i månaden kl. 12:00 i juni till augusti'
    ],
    [
      '0 7 0 1,3 *',
      'on day 1 of the month and also Mondays and Wednesdays at 07:00',
      'dag 1 i månaden och även måndagar och onsdagar kl. 07:00'
    ],
    [
      '0 7 * 0,5 0',
      'Fridays and Sundays at 07:00 in January',
      'fredagar och söndagar kl. 07:00 i januari'
    ],
    [
      '1,7,9 6-8,10 * * *',
      'at minutes 1, 7, and 9 in the hours 6 to 8 and 10',
      'vid minuterna 1, 7 och 9 i timmarna 6 till 8 och 10'
    ],
    [
      '*/30 1,5 * * *',
      'every day at 01:00, 01:30, 05:00, and 05:30',
      'varje dag kl. 01:00, 01:30, 05:00 och 05:30'
    ]
  ]
  for (const [line, english, swedish] of all) {
    assert.equal(wordsOf(cronOf(line), en.says, 'en'), english)
    assert.equal(wordsOf(cronOf(line), sv.says, 'sv'), swedish)
  }
})

test('what is chosen in words, as fields and back', () => {
  const parts = [
    { kind: 'at', times: ['06:30'] },
    { kind: 'at', times: ['06:00', '06:30', '18:00', '18:30'] },
    { kind: 'minutes', every: 15, from: 0, to: 23 },
    { kind: 'minutes', every: 1, from: 6, to: 6 },
    { kind: 'minutes', every: 10, from: 6, to: 17 },
    { kind: 'hours', every: 1, minute: 5 },
    { kind: 'hours', every: 8, minute: 0 }
  ] as const
  for (const part of parts) {
    const fields = timeFields(part)
    assert(fields)
    assert.deepEqual(
      timeParts(fields).find(({ kind }) => kind === part.kind),
      part
    )
  }
  assert.equal(timeFields({ kind: 'at', times: ['06:30', '18:45'] }), undefined)
  assert.equal(timeFields({ kind: 'at', times: [] }), undefined)
  assert.deepEqual(timeParts({ minute: '1,7', hour: '*' }), [])
  assert.deepEqual(timeParts({ minute: 'x', hour: '*' }), [])
  assert.equal(listText([5, 0, 1, 3, 4]), '0,1,3-5')
  assert.deepEqual(dayKinds({ day_of_month: '*', day_of_week: '*' }), ['every', 'week', 'month'])
  assert.deepEqual(dayKinds({ day_of_month: '*', day_of_week: '1-5' }), ['week'])
  assert.deepEqual(dayKinds({ day_of_month: '0', day_of_week: '0-7' }), ['month'])
  assert.deepEqual(dayKinds({ day_of_month: '0', day_of_week: '1' }), [])
})

test('who runs it, and what is typed as it is stored', () => {
  const all: [executor: string, capabilities: string[], runner: string][] = [
    ['server', ['schedule'], 'server'],
    ['gateway', ['schedule'], 'gateway'],
    ['gateway', ['zwave'], 'instead'],
    ['pump-program', ['schedule'], 'own']
  ]
  for (const [executor, capabilities, runner] of all)
    assert.equal(runnerOf(executor, capabilities), runner)
  const draft = { ...emptyDraft, topic: ' set/lamp ', value: '1,5' }
  assert.deepEqual(bodyOf(draft), { ...emptyDraft, topic: 'set/lamp', value: 1.5 })
  for (const wrong of [
    ...[{ value: '' }, { value: 'on' }, { topic: '' }, { topic: 'set/+' }, { topic: 'a\nb' }],
    ...[{ executor: ' ' }, { minute: '60' }, { month: '12' }]
  ])
    assert.equal(bodyOf({ ...draft, ...wrong }), undefined, JSON.stringify(wrong))
  assert.equal(shortTopic('1001/set/lamp', 1001), 'set/lamp')
  assert.equal(shortTopic('1002/set/lamp', 1001), '1002/set/lamp')
})

describe('schedules', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const writes = [...grants, 'schedule/#']
  const reads = [...grants, 'schedule/list/all']

  /** A site in Stockholm with a lamp. */
  async function site(given: string[], lamp = 'Lamp', timezone = 'Europe/Stockholm') {
    const { world } = platform()
    const installation = await world.installation({ timezone })
    const user = await world.user({ grants: given, organizations: [installation.organization_id] })
    const as = world.admin
    const path = `/api/v2/schedule/${installation.id}`
    await world.request(`POST /api/v2/functionx/${installation.id}`, {
      as,
      body: {
        type: 'lamp',
        meta: {
          ...{ name: lamp, room: 'Hall', topic_read: 'obj/lamp', topic_write: 'set/lamp' },
          ...{ state_on: '1', state_off: '0' }
        }
      }
    })
    type Stored = Record<string, unknown> & { id: number }
    const list = async () => (await world.request(`GET ${path}`, { as })).json as Stored[]
    const add = async (body: Record<string, unknown>) => {
      const sent = { active: true, topic: 'set/lamp', value: 1, ...body }
      const answer = await world.request(`POST ${path}`, { as, body: sent })
      assert.equal(answer.status, 200, answer.text)
      const { id = 0 } = (await list()).at(-1) ?? {}
      return id
    }
    const address = `${platform().url}/installations/${installation.id}/schedules`
    return { world, installation, user, as, path, list, add, address }
  }

  const of = (stored: Record<string, unknown> | undefined, ...fields: string[]) =>
    fields.map((field) => stored?.[field])
  const typed = (page: Page, name: string | RegExp) =>
    page.getByRole('dialog').getByRole('textbox', { name, exact: typeof name === 'string' })
  const chosen = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('combobox', { name, exact: true })
  const press = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  const says = (page: Page, text: string | RegExp) =>
    page.getByRole('dialog').getByRole('status').filter({ hasText: text }).waitFor()
  const nextRunsOf = (page: Page) => page.getByRole('region', { name: 'Next runs' })

  test('a schedule is made in words; the fields follow, and the other way round', async () => {
    const { user, list, address } = await site(writes)
    const { page, faults } = await open(wide)
    await signIn(page, address, user)
    await shows(page, 'There is no schedule yet')
    await page.getByRole('button', { name: 'New schedule', exact: true }).click()
    await chosen(page, 'Topic').fill('lamp')
    await page.getByRole('option', { name: /set\/lamp/ }).click()
    await press(page, 'On')
    await says(page, 'Every day at 08:00')
    await page.getByLabel('Time of day').fill('06:30')
    await chosen(page, 'Days').selectOption('days of the week')
    await says(page, 'Weekdays at 06:30')
    assert.equal(await typed(page, 'Day of week').inputValue(), '1-5')
    await eventually(async () =>
      assert.equal(await nextRunsOf(page).getByRole('listitem').count(), 10)
    )
    await nextRunsOf(page).getByText('Times in Europe/Stockholm').waitFor()
    await nextRunsOf(page).getByText(/06:30/).first().waitFor()
    await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
    await press(page, 'New schedule')
    await eventually(async () => assert.equal((await list()).length, 1))
    const [made] = await list()
    assert.deepEqual(
      cronFields.map((field) => made?.[field]),
      ['30', '6', '*', '1-5', '*']
    )
    assert.deepEqual(of(made, 'topic', 'value', 'executor', 'active'), [
      ...['set/lamp', 1, 'gateway', true]
    ])
    await shows(page, /Lamp: On[\s\S]*Weekdays at 06:30[\s\S]*by the platform/)

    await page.getByRole('link', { name: 'Lamp: On' }).click()
    await chosen(page, 'Time').selectOption('every so many minutes')
    await says(page, 'Weekdays every 15 minutes')
    await chosen(page, 'From').selectOption('06:00')
    await says(page, 'Weekdays every 15 minutes from 06:00 to 23:45')
    await typed(page, 'Minute').fill('0')
    await typed(page, 'Hour').fill('8')
    await typed(page, 'Day of week').fill('*')
    await typed(page, 'Day of month').fill('0,14')
    await says(page, 'On days 1 and 15 of the month at 08:00')
    assert.equal(await chosen(page, 'Days').inputValue(), 'month')
    await typed(page, 'Month').fill('12')
    await says(page, 'A field cannot be read')
    assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
    await typed(page, 'Month').fill('5-7')
    await says(page, 'On days 1 and 15 of the month at 08:00 in June to August')
    await typed(page, 'Day of week').fill('7')
    await shows(page, 'Both kinds of days are restricted')
    await typed(page, 'Day of week').fill('')
    await press(page, 'Save')
    await eventually(async () => assert.equal((await list())[0]?.['month'], '5-7'))
    const [changed] = await list()
    assert.deepEqual([changed?.['day_of_month'], changed?.['day_of_week']], ['0,14', '*'])
    assert.deepEqual(faults, [])
  })

  test('several times, other executors, what never runs, and a wrong topic', async () => {
    const { user, list, address } = await site(writes)
    const { page, faults } = await open(wide)
    await signIn(page, `${address}?add=true`, user)
    await chosen(page, 'Topic').fill('set/#')
    await shows(page, 'has no \\+ and no #')
    await chosen(page, 'Topic').fill('set/pump')
    await page.keyboard.press('Escape')
    await typed(page, 'Value').fill('2,5')
    await press(page, 'Add a time')
    await page.getByLabel('Another time').fill('18:15')
    await press(page, 'Add a time')
    await shows(page, 'Use a second schedule')
    await page.getByLabel('Another time').fill('18:00')
    await press(page, 'Add a time')
    await says(page, 'Every day at 08:00 and 18:00')
    await press(page, 'Remove 08:00')
    await says(page, 'Every day at 18:00')
    await typed(page, 'Day of month').fill('29')
    await typed(page, 'Month').fill('1')
    await nextRunsOf(page).getByText('It never runs').waitFor()
    await typed(page, 'Month').fill('*')
    await chosen(page, 'Who runs it').selectOption('Another executor')
    assert.equal(
      await page.getByRole('dialog').getByRole('button', { name: 'New schedule' }).isDisabled(),
      true
    )
    await typed(page, 'Name of the executor').fill(HOSTILE)
    await shows(page, 'The platform does not')
    await page.keyboard.press('Escape')
    await shows(page, 'Leave without saving')
    await page.getByRole('button', { name: 'Stay here', exact: true }).click()
    await press(page, 'New schedule')
    await eventually(async () => assert.equal((await list()).length, 1))
    const [made] = await list()
    assert.deepEqual(of(made, 'topic', 'value', 'executor'), ['set/pump', 2.5, HOSTILE])
    assert.deepEqual(of(made, 'minute', 'hour', 'day_of_month'), ['0', '18', '29'])
    await shows(page, /set\/pump: 2.5[\s\S]*On day 30 of the month at 18:00/)
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('is switched off and on in the list, found by a filter, and deleted after a question', async () => {
    const { user, list, add, address } = await site(writes)
    for (let i = 0; i < 12; i++) await add({ topic: `set/pump/${i}`, value: i, hour: String(i) })
    const { page } = await open(wide)
    await signIn(page, address, user)
    await page.getByRole('searchbox', { name: 'Filter schedules' }).pressSequentially('pump/7')
    await page.waitForURL(/text=pump/)
    const line = page.getByRole('listitem').filter({ hasText: 'set/pump/7' })
    await eventually(async () => assert.equal(await page.locator('.schedule-line').count(), 1))
    const inUse = line.getByRole('switch', { name: 'In use: set/pump/7: 7', exact: true })
    await inUse.press(' ')
    const seven = async () => (await list()).find(({ topic }) => topic === 'set/pump/7')
    await eventually(async () => assert.equal((await seven())?.['active'], false))
    await line.getByText('off, by the platform').waitFor()
    await line.locator('.mantine-Switch-track').click()
    await eventually(async () => assert.equal((await seven())?.['active'], true))
    assert.equal((await seven())?.['hour'], '7')
    await line.getByRole('link').click()
    await press(page, 'Delete the schedule')
    await page.getByText('Delete “set/pump/7: 7” and the list of its runs?').waitFor()
    await press(page, 'Delete')
    await eventually(async () => assert.equal(await seven(), undefined))
    assert.equal((await list()).length, 11)
    await shows(page, 'No schedule matches')
  })

  test('who changes what somebody else has changed sees both', async () => {
    const { world, as, user, list, add, path, address } = await site(writes)
    const id = await add({ minute: '0', hour: '6' })
    const { page } = await open(wide)
    await signIn(page, `${address}?id=${id}`, user)
    await typed(page, 'Value').fill('0')
    const body = { active: true, topic: 'set/lamp', value: 1, minute: '15', hour: '7' }
    const answer = await world.request(`PUT ${path}/${id}`, { as, body })
    assert.equal(answer.status, 200, answer.text)
    await press(page, 'Save')
    await shows(page, 'Somebody else changed this in the meantime')
    await press(page, 'Keep my changes on top')
    await says(page, 'Every day at 07:15')
    await press(page, 'Save')
    await eventually(async () => assert.equal((await list())[0]?.['value'], 0))
    assert.equal((await list())[0]?.['minute'], '15')
  })

  test('the runs that were are listed with their results, and its values lead to the plot', async () => {
    const { world, installation, user, add, address } = await site(writes)
    const id = await add({ hour: '3', minute: '0' })
    const { page, faults } = await open(wide)
    await signIn(page, `${address}?id=${id}`, user)
    const last = page.getByRole('region', { name: 'Last runs' })
    await last.getByText('It has not run yet').waitFor()
    const { registry } = platform().deps
    const planned = Date.now() - 3 * 3_600_000
    await registry
      .insertInto('schedule_runs')
      .values({ schedule_id: id, slot: 99, planned, ran: planned, outcome: 'skipped' })
      .execute()
    // It is due now, and the platform runs it.
    await registry
      .updateTable('schedules')
      .set({ next_run: Date.now() - 1000 })
      .where('id', '=', id)
      .execute()
    await last.getByText('sent', { exact: true }).waitFor()
    await last.getByText('skipped: the platform was not running').waitFor()
    assert.equal(await last.getByRole('listitem').count(), 2)
    const values = page.getByRole('region', { name: 'Newest values' })
    await values.getByText('Nothing was stored').waitFor()
    await world.publish(user, `${installation.client_id}/obj/lamp`, { value: 0 })
    await values.getByText('Off', { exact: true }).waitFor()
    await values.getByRole('link', { name: 'Values in the plot' }).click()
    await page.waitForURL(/plot\?topics=.*obj/)
    assert.deepEqual(faults, [])
  })

  test('without a time zone of its own, that of the platform counts', async () => {
    const { user, add, address } = await site(writes, 'Lamp', '')
    const { page } = await open(wide)
    await signIn(page, `${address}?add=true`, user)
    await nextRunsOf(page).getByText('has no time zone').waitFor()
    const id = await add({})
    await page.goto(`${address}?id=${id}`)
    await nextRunsOf(page).getByText('Times in ').waitFor()
  })

  test('in Swedish', async () => {
    const { user, add, address } = await site(writes, 'Lampa')
    const id = await add({ minute: '30', hour: '6', day_of_week: '1,3' })
    const { page, faults } = await open({ ...wide, locale: 'sv', colorScheme: 'dark' })
    await page.goto(`${address}?id=${id}`)
    await page.getByLabel('E-post').fill(user.email)
    await page.getByRole('textbox', { name: 'Lösenord' }).fill(user.password)
    await page.getByRole('button', { name: 'Logga in' }).click()
    await says(page, 'Måndagar och onsdagar kl. 06:30')
    await page.getByRole('region', { name: 'Nästa körningar' }).getByText(/06:30/).first().waitFor()
    assert.deepEqual(faults, [])
  })

  test('who may only list can open, but not change; on a phone, in both themes', async () => {
    const { user, add, address } = await site(reads, HOSTILE)
    const id = await add({ executor: HOSTILE, day_of_week: '1-5' })
    await add({ topic: `set/${'verylongword'.repeat(20)}`, active: false, day_of_month: '0,30' })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, address, user)
      await shows(page, 'verylongword')
      await shows(page, 'Weekdays every minute')
      assert.equal(await page.getByRole('button', { name: 'New schedule' }).count(), 0)
      for (const one of await page.getByRole('switch').all())
        assert.equal(await one.isDisabled(), true)
      assert.deepEqual(await seriousFindings(page), [])
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert(width <= phone.viewport.width, `${width}`)
      await page.goto(`${address}?id=${id}`)
      await says(page, 'Weekdays every minute')
      await page.getByRole('region', { name: 'Last runs' }).waitFor()
      assert.equal(await typed(page, 'Value').isEditable(), false)
      for (const name of ['Save', 'Delete the schedule', 'Add a time'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      assert.equal(await page.title(), 'Caracal')
      assert.deepEqual(faults, [])
    }
  })

  test('who may not list them is told what is missing', async () => {
    const { user, address } = await site(grants)
    const { page } = await open(phone)
    await signIn(page, address, user)
    await shows(page, 'schedule/list')
  })
})
