import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { differences, merged } from '../../console/src/edit/differences.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

test('what differs, and what is kept of both', () => {
  const base = { name: 'a', list: [1], gone: 1, same: 0 } as Record<string, unknown>
  const theirs = { name: 'b', list: [1], same: 0 }
  const mine = { name: 'a', list: [1, 2], gone: 1, same: 0 }
  assert.deepEqual(differences(base, theirs, mine), [
    { field: 'name', was: 'a', theirs: 'b', mine: 'a' },
    { field: 'list', was: [1], theirs: [1], mine: [1, 2] },
    { field: 'gone', was: 1, theirs: undefined, mine: 1 }
  ])
  assert.deepEqual(merged(base, theirs, mine), { name: 'b', list: [1, 2], same: 0 })
  assert.deepEqual(differences(base, { ...base, name: 'x' }, { ...base, name: 'x' }), [])
})

describe('two people edit the same', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function rule() {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, 'rule/#', 'alarm/#'])
    const fields = {
      name: 'Too warm',
      active: true,
      severity: 'warning',
      on: { topics: ['obj/temp'] },
      when: { above: 25 },
      message: 'Warm'
    }
    const { json } = await world.request(`POST /api/v2/rule/${installation.id}`, {
      as: user,
      body: fields
    })
    const { id } = json as { id: number }
    const path = `/api/v2/rule/${installation.id}/${id}`
    const url = `${platform().url}/installations/${installation.id}/rules?id=${id}`
    const change = (changed: object) =>
      world.request(`PUT ${path}`, { as: user, body: { ...fields, ...changed } })
    const stored = async () => (await world.request(`GET ${path}`, { as: user })).json
    return { user, url, change, stored }
  }

  test('a change that was made meanwhile is shown beside the own one, and both are kept', async () => {
    const { user, url, change, stored } = await rule()
    const { page, faults } = await open()
    await signIn(page, url, user)
    await page.getByRole('textbox', { name: 'Message' }).fill('Much too warm')
    await change({ name: HOSTILE })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await shows(page, 'Somebody else changed this in the meantime')
    const alert = page.getByRole('alert').filter({ hasText: 'Somebody else' })
    const rows = await alert.getByRole('row').allInnerTexts()
    assert.deepEqual(
      rows.map((row) => row.split(/\s*\t\s*/)),
      [
        ['Field', 'Before', 'Now', 'Yours'],
        ['Name', 'Too warm', HOSTILE, 'as before'],
        ['Message', 'Warm', 'as before', 'Much too warm']
      ]
    )
    assert.deepEqual(await seriousFindings(page), [])
    const { message: before } = (await stored()) as { message: string }
    assert.equal(before, 'Warm', 'nothing is overwritten')
    await alert.getByRole('button', { name: 'Keep my changes on top' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () => {
      const { name, message } = (await stored()) as { name: string; message: string }
      assert.deepEqual([name, message], [HOSTILE, 'Much too warm'])
    })
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('what is there now can be taken instead', async () => {
    const { user, url, change, stored } = await rule()
    const { page } = await open({ viewport: { width: 390, height: 844 } })
    await signIn(page, url, user)
    await page.getByRole('textbox', { name: 'Message' }).fill('Mine')
    await change({ message: 'Theirs' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Take what is there now' }).click()
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'Theirs')
    )
    assert.equal(((await stored()) as { message: string }).message, 'Theirs')
  })

  test('a change by somebody else appears by itself while one types', async () => {
    const { user, url, change } = await rule()
    const { page } = await open()
    await signIn(page, url, user)
    await page.getByRole('textbox', { name: 'Message' }).fill('Mine')
    await change({ severity: 'critical' })
    await shows(page, /Severity\s+warning\s+critical\s+as before/)
  })

  test('of two that save at the same time, one is told', async () => {
    const { user, url, change, stored } = await rule()
    const { page } = await open()
    // The change comes between the look and the save.
    await page.route('**/api/v2/rule/*/*', async (route) => {
      if (route.request().method() === 'PUT') await change({ name: 'First' })
      await route.continue()
    })
    await signIn(page, url, user)
    await page.getByRole('textbox', { name: 'Message' }).fill('Mine')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await shows(page, 'Somebody else changed this in the meantime')
    assert.equal(((await stored()) as { message: string }).message, 'Warm')
  })
})
