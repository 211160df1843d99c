import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { trace as t } from '../../console/src/texts/trace-en.ts'
import { readTraceSearch, spanOf } from '../../console/src/trace/search.ts'
import { actorOf, sentenceOf, verbOf } from '../../console/src/trace/words.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const entry = (action: string, object_type: string, object_id: number, description: string) => ({
  ...{ action, object_type, object_id, description },
  user_id: 0
})

test('an entry in words', () => {
  const all: [entry: ReturnType<typeof entry>, name: string | undefined, words: string][] = [
    [entry('create', 'function', 7, 'created function 7'), 'Hall', 'Created the function Hall'],
    [entry('delete', 'function', 7, 'deleted function 7'), undefined, 'Deleted the function 7'],
    [
      entry('update', 'device', 3, 'changed metadata of device 3, by gateway 12'),
      undefined,
      'Changed metadata of the device 3'
    ],
    [
      entry(
        'execute',
        'installation',
        1,
        'deleted 8 values (1/obj/a; 2026 to 2027) of installation 1'
      ),
      undefined,
      'Deleted values of the installation'
    ],
    [
      entry('failed', 'rule', 5, 'refused (403): update of rule 5'),
      undefined,
      'Was refused a change of the rule 5'
    ],
    [entry('update', 'mqtt', 0, 'updated mqtt'), undefined, 'Changed the blacklist entry'],
    [entry('update', 'new_kind', 4, 'updated new kind 4'), undefined, 'Changed new_kind 4'],
    [entry('constructor', 'file', 4, 'looked at file 4'), undefined, 'looked at file 4']
  ]
  for (const [one, name, words] of all) assert.equal(sentenceOf(one, name, t), words)
  assert.equal(verbOf(entry('update', 'rule', 1, 'toString rule 1')), 'toString')
  assert.equal(
    sentenceOf(entry('update', 'rule', 1, 'toString rule 1'), undefined, t),
    'Changed the rule 1'
  )
})

test('who did it', () => {
  const known = { names: new Map([[3, 'Anna Berg']]), me: 4, t }
  const by = (user_id: number, description = 'updated rule 1') =>
    actorOf({ ...entry('update', 'rule', 1, description), user_id }, known)
  assert.equal(by(3), 'Anna Berg')
  assert.equal(by(4), 'User 4 (you)')
  assert.equal(by(0, 'updated rule 1, by gateway 12'), 'Gateway 12')
  assert.equal(by(0), t.noUser)
})

test('the address of the trace, and its time', () => {
  const read = readTraceSearch({
    who: 0,
    kind: 'rule',
    action: 'auth',
    time: 'days',
    from: '2026-03-29'
  })
  assert.deepEqual(
    [read.who, read.kind, read.action, read.from],
    [0, 'rule', undefined, '2026-03-29']
  )
  const odd = readTraceSearch({ who: -1, page: 1, id: 1.5, from: '2026-13-45', time: 'month' })
  assert.deepEqual(
    Object.values(odd).filter((one) => one !== undefined),
    []
  )
  const now = Date.parse('2026-11-18T12:00:00Z')
  const seconds = (text: string) => Date.parse(text) / 1000
  assert.deepEqual(spanOf({ time: 'day' }, 'UTC', now), { from: seconds('2026-11-17T12:00:00Z') })
  assert.deepEqual(spanOf({}, 'UTC', now), { from: seconds('2026-10-19T12:00:00Z') })
  // A day of 23 hours.
  const summer = { time: 'days', from: '2026-03-29', to: '2026-03-29' } as const
  assert.deepEqual(spanOf(summer, 'Europe/Stockholm', now), {
    from: seconds('2026-03-28T23:00:00Z'),
    to: seconds('2026-03-29T22:00:00Z') - 0.001
  })
  assert.deepEqual(spanOf({ time: 'days' }, 'UTC', now), { from: 1 })
})

describe('the trace of an installation', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const writes = ['installation/#', 'functionx/#', 'devicex/#', 'rule/#', 'mqtt/#', 'status/#']
  const reads = ['installation/list/all', 'functionx/list/all', 'trace/list', 'user/list']

  async function site(given: string[] = reads) {
    const { world } = platform()
    const { installation, user: writer } = await world.site(writes)
    const { organization_id, id } = installation
    const more = { organizations: [organization_id], first_name: HOSTILE, last_name: 'Berg' }
    const colleague = await world.user({ grants: writes, ...more })
    const user = await world.user({ grants: given, organizations: [organization_id] })
    const ask = async (line: string, as: { token: string }, body?: object) => {
      const { status, json, text } = await world.request(line, { as, ...(body && { body }) })
      assert.equal(status, 200, text)
      return json as { id: number }
    }
    const make = (as: { token: string }, name: string) =>
      ask(`POST /api/v2/functionx/${id}`, as, { type: 'x', meta: { name } })
    const url = `${platform().url}/installations/${id}/trace`
    return { installation, writer, colleague, user, ask, make, url }
  }
  const rows = (page: Page) =>
    page.getByRole('list', { name: 'Trace' }).getByRole('listitem').allInnerTexts()
  const lists = (page: Page, expected: RegExp[]) =>
    eventually(async () => {
      const found = await rows(page)
      assert.equal(found.length, expected.length, found.join('\n'))
      for (const [i, part] of expected.entries()) assert.match(found[i] ?? '', part)
    })

  test('shows who did what, newest first, by name, and one entry in full', async () => {
    const { installation, writer, colleague, user, ask, make, url } = await site()
    const { id } = installation
    const made = await make(writer, HOSTILE)
    const gone = await make(colleague, 'Gone')
    await ask(`DELETE /api/v2/functionx/${id}/${gone.id}`, colleague)
    await ask(`PUT /api/v2/installation/${id}`, writer, { notes: 'x' })
    const { page, faults } = await open()
    await signIn(page, url, user)
    await lists(page, [
      /Changed the installation/,
      new RegExp(`Deleted the function ${gone.id}`),
      new RegExp(`Created the function ${gone.id}`),
      /Created the function <img src=x/
    ])
    assert.match((await rows(page))[1] ?? '', /<img src=x.* Berg/)
    await page.getByRole('link', { name: `Created the function ${HOSTILE}`, exact: true }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText(`created function ${made.id}`, { exact: true }).waitFor()
    assert.match(await panel.innerText(), /"method": "POST"/)
    assert.match(page.url(), /id=\d+/)
    assert.deepEqual(await seriousFindings(page), [])
    await page.reload()
    await panel.getByRole('link', { name: 'Open it', exact: true }).click()
    await eventually(() => assert.match(page.url(), new RegExp(`/functions\\?id=${made.id}`)))
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('is filtered by person, kind and what was done, and the address keeps it', async () => {
    const { installation, writer, colleague, user, ask, make, url } = await site()
    const { id } = installation
    await make(writer, 'Hall')
    await make(colleague, 'Cellar')
    await ask(`PUT /api/v2/installation/${id}`, colleague, { notes: 'x' })
    const { page, faults } = await open()
    await signIn(page, url, user)
    await lists(page, [/installation/, /Cellar/, /Hall/])
    await page.getByRole('combobox', { name: 'Who' }).fill(colleague.email)
    await page.getByRole('option', { name: new RegExp(colleague.email) }).click()
    await lists(page, [/installation/, /Cellar/])
    await page.getByRole('combobox', { name: 'Kind of object' }).click()
    await page.getByRole('option', { name: 'Function', exact: true }).click()
    await lists(page, [/Cellar/])
    await page.reload()
    await lists(page, [/Cellar/])
    await page.getByRole('combobox', { name: 'What was done' }).click()
    await page.getByRole('option', { name: 'Deleted', exact: true }).click()
    await shows(page, 'Nothing matches these filters')
    await page.getByRole('button', { name: 'Clear the filters', exact: true }).click()
    await lists(page, [/installation/, /Cellar/, /Hall/])
    await page.goto(`${url}?time=days&from=2020-01-01&to=2020-01-02`)
    await shows(page, 'Nothing was changed here in this time')
    await page.getByRole('button', { name: 'Show the last 365 days', exact: true }).click()
    await lists(page, [/installation/, /Cellar/, /Hall/])
    await page.goto(`${url}?time=days&from=2020-01-03&to=2020-01-02`)
    await shows(page, 'must not be after the last')
    assert.deepEqual(faults, [])
  })

  test('has pages', async () => {
    const { writer, user, make, url } = await site()
    for (let i = 0; i < 53; i++) await make(writer, `Lamp ${i}`)
    const { page } = await open()
    await signIn(page, url, user)
    await shows(page, '1 to 50 of 53')
    await page.getByRole('button', { name: 'Older', exact: true }).click()
    await lists(page, [/Lamp 2$/, /Lamp 1$/, /Lamp 0$/])
    assert.match(page.url(), /page=2/)
    await page.reload()
    await shows(page, '51 to 53 of 53')
    await page.getByRole('button', { name: 'Newer', exact: true }).click()
    await shows(page, '1 to 50 of 53')
  })

  test('is in the menu of who may read it, and of nobody else', async () => {
    const { installation, writer, user, url } = await site([...reads, 'ledger/list/all'])
    const live = `${platform().url}/installations/${installation.id}/live`
    const { page } = await open()
    await signIn(page, live, user)
    await page.getByRole('button', { name: 'Manage', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Trace', exact: true }).click()
    await shows(page, 'Nothing was changed here in this time')
    const other = await open()
    await signIn(other.page, live, writer)
    await other.page.getByRole('button', { name: 'Manage', exact: true }).click()
    await other.page.getByRole('menuitem', { name: 'Settings', exact: true }).waitFor()
    assert.equal(await other.page.getByRole('menuitem', { name: 'Trace', exact: true }).count(), 0)
    await other.page.goto(url)
    await shows(other.page, 'trace/list')
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`can be used by everybody, ${colorScheme}`, async () => {
      const { installation, writer, colleague, user, ask, make, url } = await site()
      await make(writer, `${'Long'.repeat(30)} name`)
      await make(colleague, 'Hall')
      await ask(`PUT /api/v2/installation/${installation.id}`, writer, { notes: 'x' })
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, url, user)
      await shows(page, 'Created the function Hall')
      assert.deepEqual(await seriousFindings(page), [])
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert(width <= 390, `${width} px wide`)
    })
})
