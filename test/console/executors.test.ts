import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bodyOf, emptyDraft, isUrl } from '../../console/src/executor/draft.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const URL_OF = 'https://mail.example.org/notify'

test('what can be saved, and that a secret which is not typed stays', () => {
  for (const url of ['', 'mail', 'ftp://a.b', 'https://me:pw@a.b'])
    assert.equal(isUrl(url), false, url)
  assert.equal(isUrl('http://a.b/c'), true)
  const draft = { ...emptyDraft(1), name: ' Mail ', url: URL_OF, known: 'old' }
  const fields = { name: 'Mail', type: 'http', organization_id: 1, config: { url: URL_OF } }
  assert.deepEqual(bodyOf(draft), fields)
  assert.deepEqual(bodyOf({ ...draft, secret: 'new' }), { ...fields, secret: 'new' })
  assert.deepEqual(bodyOf({ ...draft, isSecretDropped: true }), { ...fields, secret: '' })
  const rows = (...keys: string[]) => keys.map((key, row) => ({ row, key, value: 'x' }))
  assert.deepEqual(bodyOf({ ...draft, config: rows('a') })?.config, { a: 'x', url: URL_OF })
  for (const keys of [['a', 'a'], ['url'], ['']])
    assert.equal(bodyOf({ ...draft, config: rows(...keys) }), undefined)
  for (const secret of [' a', 'ö', 'a ']) assert.equal(bodyOf({ ...draft, secret }), undefined)
})

describe('executors', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const url = () => `${platform().url}/executors`

  type Executor = { id: number; name: string; type: string; secret: string } & {
    organization_id: number
    config: Record<string, string>
  }

  async function scene() {
    const { world } = platform()
    const organization = await world.organization()
    const user = await world.user({
      grants: ['notification/#', 'organization/list'],
      organizations: [organization]
    })
    const path = '/api/v2/admin/notification/executor'
    const list = async () => (await world.request(`GET ${path}`, { as: user })).json as Executor[]
    const make = async (body: object) =>
      (await world.request(`POST ${path}`, { as: user, body })).json as Executor
    return { world, organization, user, path, list, make }
  }

  test('an executor is made, changed and deleted, and its secret is never shown', async () => {
    const { organization, user, list } = await scene()
    const { page, faults } = await open()
    await signIn(page, url(), user)
    await shows(page, 'There is no executor yet')
    await page.getByRole('button', { name: 'New executor', exact: true }).click()
    const panel = page.getByRole('dialog')
    const field = (name: string) => panel.getByRole('textbox', { name })
    await field('Name').fill(HOSTILE)
    await field('Address').fill('mail')
    await panel.getByText('It begins with https://').waitFor()
    await field('Address').fill(URL_OF)
    await panel.getByRole('button', { name: 'Add a setting', exact: true }).click()
    await field('Key 1').fill('from')
    await field('Value 1').fill(HOSTILE)
    await panel.getByLabel('Secret').fill('very secret 1')
    await panel.getByRole('button', { name: 'New executor', exact: true }).click()
    const line = page.getByRole('link', { name: HOSTILE })
    await line.waitFor()
    const [made] = await list()
    assert.deepEqual(
      { ...made, id: 0 },
      {
        ...{ id: 0, name: HOSTILE, type: 'http', organization_id: organization },
        ...{ config: { url: URL_OF, from: HOSTILE }, secret: 'very secret 1' }
      }
    )

    await line.click()
    await panel.getByText('A secret is set and not shown').waitFor()
    assert.equal(await panel.getByLabel('Secret', { exact: true }).inputValue(), '')
    assert(!(await page.content()).includes('very secret'))
    await field('Name').fill('Mail')
    await panel.getByRole('button', { name: 'Remove key 1', exact: true }).click()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () => {
      const [now] = await list()
      assert.deepEqual(
        [now?.name, now?.config, now?.secret],
        ['Mail', { url: URL_OF }, 'very secret 1']
      )
    })
    await page.getByRole('link', { name: 'Mail', exact: true }).click()
    await panel.getByLabel('Remove the secret').check()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () => assert.equal((await list())[0]?.secret, ''))
    await page.getByRole('link', { name: 'Mail', exact: true }).click()
    await panel.getByRole('button', { name: 'Delete the executor', exact: true }).click()
    await panel.getByText('Delete Mail?').waitFor()
    await panel.getByRole('button', { name: 'Delete', exact: true }).click()
    await shows(page, 'There is no executor yet')
    assert.deepEqual(await list(), [])
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('a private address is refused, and another secret is told but not shown', async () => {
    const { world, user, path, list, make } = await scene()
    const { id } = await make({ name: 'Mail', config: { url: URL_OF }, secret: 'first one' })
    const { page } = await open()
    await signIn(page, `${url()}?id=${id}`, user)
    const panel = page.getByRole('dialog')
    const field = (name: string) => panel.getByRole('textbox', { name })
    const save = panel.getByRole('button', { name: 'Save', exact: true })
    await field('Address').fill('http://127.0.0.1/')
    await save.click()
    await panel.getByText('must not lead to an address that is not public').waitFor()
    await field('Address').fill(`${URL_OF}/new`)
    await world.request(`PUT ${path}/${id}`, { as: user, body: { secret: 'second one' } })
    await save.click()
    await panel.getByText('Somebody else changed this').waitFor()
    assert(!(await page.content()).includes('second one'))
    await panel.getByRole('button', { name: 'Keep my changes on top' }).click()
    await save.click()
    await eventually(async () => {
      const [now] = await list()
      assert.deepEqual([now?.config['url'], now?.secret], [`${URL_OF}/new`, 'second one'])
    })
  })

  test('who may not manage them sees which permission is missing', async () => {
    const { world } = await scene()
    const other = await world.user({ grants: ['installation/list/all'], organizations: [1] })
    const { page } = await open()
    await signIn(page, url(), other)
    await shows(page, 'notification/executor/manage is missing')
    assert.equal(await page.getByRole('button', { name: 'New executor', exact: true }).count(), 0)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the page can be used by everybody, ${colorScheme}`, async () => {
      const { user, make } = await scene()
      await make({ name: 'SMS', type: 'sms', config: { url: URL_OF } })
      const config = { url: `${URL_OF}/${'x'.repeat(90)}`, from: HOSTILE }
      const { id } = await make({ name: HOSTILE.repeat(3), config, secret: 'a' })
      const { page } = await open({ ...phone, colorScheme })
      const check = async () => {
        assert.deepEqual(await seriousFindings(page), [])
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
      }
      await signIn(page, url(), user)
      await page.getByRole('link', { name: 'SMS' }).waitFor()
      await check()
      await page.goto(`${url()}?id=${id}`)
      await page.getByRole('textbox', { name: 'Key 1', exact: true }).waitFor()
      await check()
    })
})
