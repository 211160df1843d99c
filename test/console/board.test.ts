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

type Plot = { title: string; topics: string[]; span?: number; from?: number; to?: number }

describe('the board page', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  const addressOf = (id: number, page = 'board') => `${platform().url}/installations/${id}/${page}`
  const put = (id: number, plots: Plot[]) =>
    platform().world.request(`PUT /api/v2/board/${id}`, {
      as: platform().world.admin,
      body: { plots }
    })
  const kept = async (id: number): Promise<Plot[]> => {
    const { world } = platform()
    const { json } = await world.request(`GET /api/v2/board/${id}`, { as: world.admin })
    return (json as { plots: Plot[] }).plots
  }
  const titles = async (id: number) => (await kept(id)).map(({ title }) => title)

  /** A house, and a user who may also change its board. */
  const editable = async (name: string) => {
    const { world } = platform()
    const made = await house(world, name)
    const editor = await world.user({
      grants: [...grants, 'installation/update/all'],
      organizations: [made.installation.organization_id]
    })
    return { ...made, id: made.installation.id, editor }
  }
  const plot = (title: string): Plot => ({ title, topics: ['obj/temp'], span: 3600 })
  const cards = (page: Page) => page.locator('.board-plot h2').allInnerTexts()

  test('an empty board leads to the first plot, which is kept and then comes first', async () => {
    const { id, editor } = await editable('New')
    const { page, faults } = await open()
    await signIn(page, addressOf(id), editor)
    await shows(page, 'Nothing is kept here yet')
    await page.getByRole('link', { name: 'Make a plot' }).click()
    await page.getByRole('button', { name: '°C (1)' }).click()
    await page.getByText('7 d', { exact: true }).click()
    await page.getByRole('button', { name: 'Keep on the board' }).click()
    await page.getByLabel('Title').fill('')
    await shows(page, 'A plot needs a title')
    await page.getByLabel('Title').fill('Is it warm?')
    await page.getByRole('button', { name: 'Keep', exact: true }).click()
    await shows(page, 'Kept on the board')
    assert.deepEqual(await kept(id), [
      { title: 'Is it warm?', topics: ['obj/temp'], span: 7 * 24 * 3600 }
    ])
    await page.goto(`${platform().url}/installations`)
    await page.getByRole('link', { name: /New/ }).click()
    await shows(page, /Is it warm\?[\s\S]*21\.4\s*°C\s+Open in Plot/)
    assert.equal(new URL(page.url()).pathname, `/installations/${id}/board`)
    await page.getByRole('link', { name: 'Open in Plot: Is it warm?' }).click()
    await shows(page, 'A point is the mean')
    assert.equal(new URL(page.url()).searchParams.get('last'), '604800')
    assert.deepEqual(faults, [])
  })

  test('without a board an installation opens on Live', async () => {
    const { installation, user } = await house(platform().world, 'Plain')
    const { page } = await open()
    await signIn(page, `${platform().url}/installations/${installation.id}`, user)
    await eventually(() =>
      assert.equal(new URL(page.url()).pathname, `/installations/${installation.id}/live`)
    )
  })

  test('who may not change it sees it, without anything to change it', async () => {
    const { id, user } = await editable('Seen')
    await put(id, [plot('Only to see')])
    const { page } = await open()
    await signIn(page, addressOf(id), user)
    await shows(page, /Only to see[\s\S]*21\.4/)
    await hides(page, 'Edit the board')
    await page.goto(addressOf(id, 'plot?topics=obj/temp'))
    await shows(page, 'Copy link')
    await hides(page, 'Keep on the board')
  })

  test('values on the board are live', async () => {
    const { id, user, publish } = await editable('Moving')
    await put(id, [plot('Now')])
    const { page } = await open()
    await signIn(page, addressOf(id), user)
    await shows(page, /Now[\s\S]*21\.4/)
    await eventually(async () => assert.equal(await page.getByRole('status').innerText(), 'live'))
    await publish('obj/temp', { value: 3 })
    await shows(page, /Now[\s\S]*3\.0\s*°C/)
  })

  test('plots are renamed, moved and removed, and a removal can be undone', async () => {
    const { id, editor } = await editable('Edited')
    await put(id, [plot('One'), plot('Two'), plot('Three'), plot('Four')])
    const { page } = await open()
    await signIn(page, addressOf(id), editor)
    await page.getByRole('button', { name: 'Edit the board' }).click()
    await page.getByLabel('Title of One').fill('First')
    await page.getByRole('button', { name: 'Move Three up' }).click()
    await page.getByRole('button', { name: 'Remove Four' }).click()
    await page.getByRole('button', { name: 'Remove Two' }).click()
    await shows(page, 'Two is removed when you save')
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => assert.deepEqual(await cards(page), ['First', 'Three', 'Two']))
    assert.deepEqual(await titles(id), ['First', 'Three', 'Two'])
    await page.getByRole('button', { name: 'Edit the board' }).click()
    await page.getByRole('button', { name: 'Remove First' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await eventually(async () => assert.deepEqual(await cards(page), ['First', 'Three', 'Two']))
  })

  test('when somebody else changed it meanwhile, both are told apart and nothing is lost', async () => {
    const { id, editor } = await editable('Shared')
    await put(id, [plot('Old')])
    const { page } = await open()
    await signIn(page, addressOf(id), editor)
    await page.getByRole('button', { name: 'Edit the board' }).click()
    await page.getByLabel('Title of Old').fill('Mine')
    await put(id, [plot('Theirs')])
    await page.getByRole('button', { name: 'Save' }).click()
    await shows(page, 'Somebody else changed the board')
    assert.equal(await page.getByLabel('Title of Old').inputValue(), 'Mine')
    assert.deepEqual(await titles(id), ['Theirs'])
    await page.getByRole('button', { name: 'Save mine instead' }).click()
    await eventually(async () => assert.deepEqual(await titles(id), ['Mine']))
    await page.getByRole('button', { name: 'Edit the board' }).click()
    await put(id, [plot('Theirs again')])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Show theirs, drop mine' }).click()
    await shows(page, 'Theirs again')
  })

  test('a plot that is kept joins what somebody else kept meanwhile', async () => {
    const { id, editor } = await editable('Joined')
    const { page } = await open()
    await signIn(page, addressOf(id), editor)
    await shows(page, 'Nothing is kept')
    await page.goto(addressOf(id, 'plot?topics=obj/temp'))
    await page.getByRole('button', { name: 'Keep on the board' }).click()
    await put(id, [plot('Theirs')])
    await page.getByLabel('Title').fill('Mine')
    await page.keyboard.press('Enter')
    await eventually(async () => assert.deepEqual(await titles(id), ['Theirs', 'Mine']))
  })

  test('a full board is told, and the title stays', async () => {
    const { id, editor } = await editable('Full')
    await put(
      id,
      Array.from({ length: 24 }, (_, i) => plot(`Plot ${i}`))
    )
    const { page } = await open()
    await signIn(page, addressOf(id, 'plot?topics=obj/temp'), editor)
    await page.getByRole('button', { name: 'Keep on the board' }).click()
    await page.getByLabel('Title').fill('One too many')
    await page.keyboard.press('Enter')
    await shows(page, /plots must/)
    assert.equal(await page.getByLabel('Title').inputValue(), 'One too many')
  })

  test('what was typed stays when the session ends', async () => {
    const { id, editor } = await editable('Ended')
    await put(id, [plot('Before')])
    const { page } = await open()
    await signIn(page, addressOf(id), editor)
    await page.getByRole('button', { name: 'Edit the board' }).click()
    await page.getByLabel('Title of Before').fill('Typed')
    const token = String(await page.evaluate('localStorage.getItem("caracal.session")'))
    await platform().world.request('DELETE /api/v2/auth', { as: { token } })
    await page.getByRole('button', { name: 'Save' }).click()
    await shows(page, 'Your session has ended')
    await page.getByLabel('E-mail').fill(editor.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(editor.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await eventually(async () =>
      assert.equal(await page.getByLabel('Title of Before').inputValue(), 'Typed')
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => assert.deepEqual(await titles(id), ['Typed']))
  })

  test('titles that look like HTML are only text', async () => {
    const { id, editor } = await editable(HOSTILE)
    await put(id, [{ title: HOSTILE, topics: ['obj/temp', 'obj/<i>'], span: 3600 }])
    const { page, faults } = await open()
    await signIn(page, addressOf(id), editor)
    await shows(page, /onerror[\s\S]*no value/)
    await page.getByRole('button', { name: 'Edit the board' }).click()
    await page.getByRole('button', { name: /^Remove/ }).click()
    await shows(page, 'is removed when you save')
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(faults, [])
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`everybody can read it, ${colorScheme}`, async () => {
      const { id, editor } = await editable('Readable')
      const { page, faults } = await open({ colorScheme, reducedMotion: 'reduce' })
      await signIn(page, addressOf(id), editor)
      await shows(page, 'Nothing is kept')
      assert.deepEqual(await seriousFindings(page), [])
      await page.goto(addressOf(id, 'plot?topics=obj/temp'))
      await page.getByRole('button', { name: 'Keep on the board' }).click()
      await page.getByLabel('Title').waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await put(id, [plot('Warm'), { title: 'Then', topics: ['obj/temp'], from: 10, to: 9000 }])
      await page.goto(addressOf(id))
      await shows(page, /Then[\s\S]*No value in this range/)
      assert.deepEqual(await seriousFindings(page), [])
      await page.setViewportSize({ width: 390, height: 800 })
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('button', { name: 'Edit the board' }).click()
      await page.getByRole('button', { name: 'Remove Warm' }).click()
      assert.deepEqual(await seriousFindings(page), [])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      assert.equal(wide, 390, 'nothing is wider than a phone')
      assert.deepEqual(faults, [])
    })
  }
})
