import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Change, Model } from '../../console/src/many/changes.ts'
import { csvOf, planOf } from '../../console/src/many/csv.ts'
import { Work } from '../../console/src/many/work.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const model = (id: number, meta: Record<string, string>, type = 'lamp') =>
  ({ id, type, meta, installation_id: 1, created: 0, updated: 0 }) as unknown as Model

const nasty = ['=1+1', "'=1", "''@x", '-5', '-5,2', '-x', 'a;b', 'a,"b"\n c', '\tx', ' x ', '', 'å']

test('a table that is written and read again changes nothing, whatever is in it', () => {
  const models = nasty.map((value, i) => model(i + 1, { name: value, [value || 'empty']: value }))
  const plan = planOf(`\ufeff${csvOf(models)}`, models)
  assert.deepEqual(plan, { changes: [], creations: [], same: models.length, faults: [] })
  const cells = csvOf(models).split(/[\r\n]+|,/)
  assert.deepEqual(
    cells.filter((cell) => /^"?[=+@\t]/.test(cell)),
    [],
    'a program for tables would calculate it'
  )
})

test('what a table would change', () => {
  const models = [model(1, { name: 'a', room: 'hall' }), model(2, { name: 'b' }, 'sensor')]
  const of = (text: string) => {
    const plan = planOf(text, models)
    assert(typeof plan === 'object')
    const shown = ({ model, type, meta }: Change) => [model.id, type, Object.fromEntries(meta)]
    return { ...plan, changes: plan.changes.map(shown) }
  }
  assert.deepEqual(of('id;room\n1;kitchen\n2;\n'), {
    ...{ changes: [[1, undefined, { room: 'kitchen' }]], creations: [], same: 1, faults: [] }
  })
  assert.deepEqual(of('id\ttype\troom\n1\tswitch\t\n'), {
    ...{ changes: [[1, 'switch', { room: undefined }]], creations: [], same: 0, faults: [] }
  })
  assert.deepEqual(of('name,type,id\nnew,lamp,\n'), {
    ...{ changes: [], creations: [{ type: 'lamp', meta: { name: 'new' } }], same: 0, faults: [] }
  })
  assert.deepEqual(of('id,name\n7,x\n1,c\n1,d\n,e\n2,b,more\n').faults, [
    { line: 2, fault: 'no such id' },
    { line: 4, fault: 'twice' },
    { line: 5, fault: 'no type' },
    { line: 6, fault: 'too many cells' }
  ])
  assert.equal(planOf('', models), 'empty')
  assert.equal(planOf('name\nx\n', models), 'no id')
  assert.equal(planOf('id,a,a\n1,2,3\n', models), 'column twice')
})

test('work goes on after a failure, and stops when it is asked to', async () => {
  const ran: number[] = []
  const tasks = Array.from({ length: 100 }, (_, i) => ({
    name: `n${i}`,
    run: async () => {
      ran.push(i)
      await new Promise((resolve) => setImmediate(resolve))
      if (i === 3) throw new Error('no')
      if (i === 20) work.stop()
    }
  }))
  const work: Work = new Work(tasks, { whyOf: ({ message }) => message, show: () => {} })
  await work.run()
  const { done, failures, state, total } = work.progress
  assert.deepEqual(failures, [{ name: 'n3', why: 'no' }])
  assert.equal(state, 'over')
  assert.equal(done, ran.length)
  assert(done > 20 && done < 30 && total === 100, String(done))
})

describe('many at once', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function lamps(count: number, more = ['functionx/#']) {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, ...more])
    for (let i = 1; i <= count; i++) {
      await world.request(`POST /api/v2/functionx/${installation.id}`, {
        as: world.admin,
        body: { type: 'lamp', meta: { name: `Lamp ${i}`, room: 'Hall' } }
      })
    }
    const path = `/api/v2/functionx/${installation.id}`
    const all = async () =>
      (await world.request(`GET ${path}`, { as: world.admin })).json as Model[]
    const url = `${platform().url}/installations/${installation.id}/functions`
    return { world, installation, user, all, url }
  }

  const choose = (page: Page, name: string) => page.getByLabel(`Select ${name}`, { exact: true })

  test('metadata and type of those that are selected, and no others', async () => {
    const { user, url, all } = await lamps(4)
    const { page, faults } = await open()
    await signIn(page, url, user)
    await choose(page, 'Lamp 1').check()
    await choose(page, 'Lamp 3').check()
    await shows(page, '2 selected')
    await page.getByRole('button', { name: 'Set metadata' }).click()
    await page.getByRole('combobox', { name: 'Key' }).fill('floor')
    await page.getByLabel('Value').fill(HOSTILE)
    await page.getByRole('button', { name: 'Change 2' }).click()
    await shows(page, '2 are changed')
    await page.getByRole('button', { name: 'Close' }).click()
    const floors = (await all()).map(({ meta }) => meta['floor'])
    assert.deepEqual(floors, [HOSTILE, undefined, HOSTILE, undefined])

    await page.getByRole('button', { name: 'Set the type' }).click()
    await page.getByRole('dialog').getByLabel('Type').fill('a/b')
    assert.equal(await page.getByRole('button', { name: 'Change 2' }).isDisabled(), true)
    await page.getByRole('dialog').getByLabel('Type').fill('switch')
    await page.getByRole('button', { name: 'Change 2' }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Remove metadata' }).click()
    await page.getByRole('combobox', { name: 'Key' }).fill('room')
    await shows(page, '2 of 2 have this key')
    await page.getByRole('button', { name: 'Change 2' }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    assert.deepEqual(
      (await all()).map(({ type, meta }) => [type, meta['room']]),
      [
        ['switch', undefined],
        ['lamp', 'Hall'],
        ['switch', undefined],
        ['lamp', 'Hall']
      ]
    )
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('all that are listed are deleted after a question, on a phone', async () => {
    const { user, url, all } = await lamps(7)
    const { page } = await open(phone)
    await signIn(page, `${url}?text=lamp`, user)
    await page.getByLabel('Select all that are listed').check()
    await choose(page, 'Lamp 7').uncheck()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await shows(page, /Delete 6\?[\s\S]*Lamp 1, Lamp 2, Lamp 3, Lamp 4, Lamp 5 and 1 more/)
    await page.getByRole('button', { name: 'Delete 6' }).click()
    await shows(page, '6 are changed')
    assert.deepEqual(
      (await all()).map(({ meta }) => meta['name']),
      ['Lamp 7']
    )
  })

  test('what fails is listed with the reason', async () => {
    const { world, user, url, all, installation } = await lamps(3)
    const { page } = await open()
    await signIn(page, url, user)
    await page.getByLabel('Select all that are listed').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const [gone] = await all()
    await page.route(`**/api/v2/functionx/*/${gone?.id}`, async (route) => {
      // Somebody else was faster.
      const path = `/api/v2/functionx/${installation.id}/${gone?.id}`
      if (route.request().method() === 'DELETE')
        await world.request(`DELETE ${path}`, { as: world.admin })
      await route.continue()
    })
    await page.getByRole('button', { name: 'Delete 3' }).click()
    await shows(page, /2 are changed[\s\S]*1 failed[\s\S]*Lamp 1\s+Not found/i)
    assert.deepEqual(await all(), [])
  })

  test('a table goes out, comes back changed, is shown and then stored', async () => {
    const { user, url, all } = await lamps(3)
    const { page, faults } = await open()
    await signIn(page, url, user)
    await page.getByLabel('Select all that are listed').check()
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV', exact: true }).click()
    const text = readFileSync(await (await file).path(), 'utf8')
    const lines = text.trimEnd().split('\r\n')
    assert.equal(lines[0], '\ufeffid,type,name,room')
    const changed = [
      lines[0],
      lines[1]?.replace('Hall', 'Cellar'),
      lines[2]?.replace('Hall', ''),
      lines[3],
      `,dimmer,${HOSTILE.replaceAll('"', "'")},Attic`,
      '99999,lamp,Ghost,'
    ]
    const buffer = Buffer.from(changed.join('\r\n'))
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'CSV in' }).click()
    await (await chooser).setFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
    await shows(page, '2 would change, 1 would be created, 1 stay as they are')
    await shows(page, 'Line 6: there is no such id here')
    await shows(page, /Lamp 1\s+room\s+Hall\s+Cellar/)
    await shows(page, /Lamp 2\s+room\s+Hall\s+removed/)
    assert.deepEqual(await seriousFindings(page), [])
    assert.equal((await all()).length, 3, 'nothing is stored before it is confirmed')
    await page.getByRole('button', { name: 'Change 3' }).click()
    await shows(page, '3 are changed')
    await eventually(async () => {
      const rooms = (await all()).map(({ type, meta }) => [type, meta['room']])
      assert.deepEqual(rooms, [
        ['lamp', 'Cellar'],
        ['lamp', undefined],
        ['lamp', 'Hall'],
        ['dimmer', 'Attic']
      ])
    })
    assert.deepEqual(faults, [])
  })

  test('who may only look can take a table, and change nothing', async () => {
    const { world } = platform()
    const { installation } = await lamps(1)
    const user = await world.user({
      grants: ['installation/list/all', 'functionx/list/all', 'status/read/all'],
      organizations: [installation.organization_id]
    })
    const { page } = await open({ colorScheme: 'dark' })
    await signIn(page, `${platform().url}/installations/${installation.id}/functions`, user)
    await choose(page, 'Lamp 1').check()
    const bar = page.getByRole('region', { name: 'What is selected' })
    assert.deepEqual(await bar.getByRole('button').allInnerTexts(), ['CSV', 'Select none'])
    assert.equal(await page.getByRole('button', { name: 'CSV in' }).count(), 0)
    assert.deepEqual(await seriousFindings(page), [])
  })
})
