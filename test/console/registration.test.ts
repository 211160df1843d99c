import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bodyOf, emptyDraft, isEmailPattern } from '../../console/src/registration/draft.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('what a policy may look like', () => {
  for (const text of ['*@example.com', 'a@b', '*@*']) assert.equal(isEmailPattern(text), true, text)
  for (const text of ['', 'a', 'a@', 'a b@c', 'a@b@c']) assert.equal(isEmailPattern(text), false)
  const draft = { ...emptyDraft(7), email_pattern: ' *@example.com ' }
  const body = { email_pattern: '*@example.com', role_id: 3 }
  assert.deepEqual(bodyOf(draft), { ...body, organization_id: 7 })
  assert.deepEqual(bodyOf({ ...draft, how: 'below' }), { ...body, parent_organization: 7 })
  assert.equal(bodyOf(emptyDraft(0)), undefined)
})

describe('registration', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const url = () => `${platform().url}/registration`

  type Policy = { id: number; email_pattern: string; role_id: number } & Record<string, unknown>

  async function scene(grants: string[] = ['#'], isTop = false) {
    const { world } = platform()
    const organization = isTop ? 1 : await world.organization()
    const user = await world.user({ grants, organizations: [organization], priority: 700 })
    const found = async (pattern: string) => {
      const answer = await world.request('GET /api/v2/user/registration/policy', {
        as: world.admin
      })
      return (answer.json as Policy[]).find(({ email_pattern }) => email_pattern === pattern)
    }
    return { world, organization, user, found }
  }

  test('a policy is made, changed and deleted', async () => {
    const { world, organization, user, found } = await scene()
    const { page, faults } = await open()
    await signIn(page, url(), user)
    await shows(page, 'Nobody may register')
    await page.getByRole('button', { name: 'New policy', exact: true }).click()
    const panel = page.getByRole('dialog')
    const field = panel.getByRole('textbox', { name: 'E-mail address' })
    await field.fill('no address')
    await panel.getByText('An address has one @').waitFor()
    const pattern = `*@${world.unique('mail')}.example.com`
    await field.fill(pattern)
    await panel.getByRole('button', { name: 'New policy', exact: true }).click()
    const line = page.getByRole('link', { name: pattern })
    await line.waitFor()
    const { id: _, ...made } = (await found(pattern)) as Policy
    assert.deepEqual(made, { email_pattern: pattern, role_id: 3, organization_id: organization })
    await shows(page, /joins organization-.* as User/)

    await line.click()
    await panel.getByLabel('Each gets an organization').check()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () =>
      assert.equal((await found(pattern))?.['parent_organization'], organization)
    )
    await line.click()
    await panel.getByRole('button', { name: 'Delete the policy', exact: true }).click()
    await panel.getByText(`Delete ${pattern}?`).waitFor()
    await panel.getByRole('button', { name: 'Delete', exact: true }).click()
    await shows(page, 'Nobody may register')
    assert.equal(await found(pattern), undefined)
    assert.deepEqual(faults, [])
  })

  test('what the platform refuses is told, and a change of another is shown', async () => {
    const { world, organization, user, found } = await scene()
    const pattern = `*@${world.unique('mail')}.example.com`
    const body = { email_pattern: pattern, organization_id: organization }
    const made = await world.request('POST /api/v2/user/registration/policy', { as: user, body })
    const { id } = made.json as Policy
    const { page } = await open()
    await signIn(page, `${url()}?id=${id}`, user)
    const panel = page.getByRole('dialog')
    const field = panel.getByRole('textbox', { name: 'E-mail address' })
    const save = panel.getByRole('button', { name: 'Save', exact: true })
    await field.fill('*@*')
    await save.click()
    await panel.getByText('must name a domain').waitFor()
    await field.fill(`a${pattern}`)
    const change = { parent_organization: organization }
    const line = `PUT /api/v2/user/registration/policy/${id}`
    await world.request(line, { as: user, body: change })
    await save.click()
    await panel.getByText('Somebody else changed this').waitFor()
    await panel.getByRole('button', { name: 'Keep my changes on top' }).click()
    await save.click()
    await eventually(async () =>
      assert.equal((await found(`a${pattern}`))?.['parent_organization'], organization)
    )
  })

  test('who may only look cannot change anything', async () => {
    const { world, organization, user } = await scene()
    const body = { email_pattern: `*@${world.unique('mail')}.org`, organization_id: organization }
    const made = await world.request('POST /api/v2/user/registration/policy', { as: user, body })
    const looker = await world.user({
      grants: ['registration/policy/list', 'gateway/registration/policy'],
      organizations: [organization]
    })
    const { page } = await open()
    await signIn(page, url(), looker)
    await shows(page, 'topmost organization change this')
    assert.equal(await page.getByRole('switch').isDisabled(), true)
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'New policy', exact: true }).count(), 0)
    await page.goto(`${url()}?id=${(made.json as Policy).id}`)
    const panel = page.getByRole('dialog')
    await panel.getByText('you need registration/policy/update').waitFor()
    assert.equal(await panel.getByRole('button', { name: 'Save', exact: true }).count(), 0)
    assert.equal(await panel.getByRole('button', { name: /Delete/ }).count(), 0)
  })

  test('gateways are let in for one organization', async () => {
    const { world, user } = await scene(['#'], true)
    const name = `${HOSTILE} ${world.unique('x')}`
    const body = { name, parent: 1 }
    const made = await world.request('POST /api/v2/organization', { as: world.admin, body })
    const { page, faults } = await open()
    await signIn(page, url(), user)
    const part = page.getByRole('region', { name: 'Gateways' })
    await part.getByLabel('Accept gateways').check()
    await part.getByRole('combobox', { name: 'Only for installations of' }).fill(name)
    await page.getByRole('option', { name }).click()
    await part.getByRole('button', { name: 'Save', exact: true }).click()
    await part.getByText('Saved.').waitFor()
    const line = 'GET /api/v2/gateway/registration/policy'
    assert.deepEqual((await world.request(line, { as: world.admin })).json, {
      allow_unregistered: true,
      default_organization_id: (made.json as { id: number }).id
    })
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the page can be used by everybody, ${colorScheme}`, async () => {
      const { world, user } = await scene(['#'], true)
      const body = {
        email_pattern: `*@${world.unique('mail')}.example.com`,
        parent_organization: 1
      }
      const made = await world.request('POST /api/v2/user/registration/policy', { as: user, body })
      const { page } = await open({ ...phone, colorScheme })
      const check = async () => {
        assert.deepEqual(await seriousFindings(page), [])
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
      }
      await signIn(page, url(), user)
      await page.getByText('Accept gateways').waitFor()
      await page.getByRole('link', { name: body.email_pattern }).waitFor()
      await check()
      await page.goto(`${url()}?id=${(made.json as Policy).id}`)
      await page.getByRole('dialog').getByText('Where they belong').waitFor()
      await check()
    })
})
