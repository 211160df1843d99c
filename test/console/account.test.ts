import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { programOf } from '../../console/src/account/program.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('a program by what it says of itself', () => {
  const mozilla = 'Mozilla/5.0 (X11; Linux x86_64)'
  const all: [agent: string, program: string][] = [
    [
      `${mozilla} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36`,
      'Chrome – Linux'
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit Chrome/131 Safari/537 Edg/131.0', 'Edge – Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18 Safari/604', 'Safari – iPhone'],
    [`${mozilla} Gecko/20100101 Firefox/132.0`, 'Firefox – Linux'],
    ['curl/8.9.1', 'curl/8.9.1'],
    ['', '']
  ]
  for (const [agent, program] of all) assert.equal(programOf(agent), program)
})

describe('my account', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function account() {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const me = async () =>
      (await world.request(`GET /api/v2/user/${user.id}`, { as: world.admin })).json as Record<
        string,
        string
      >
    return { world, installation, user, me, url: `${platform().url}/account` }
  }

  test('name, phone and address are changed, whatever they are', async () => {
    const { user, url, me } = await account()
    const { page, faults } = await open()
    await signIn(page, url, user)
    await page.getByLabel('First name').fill(HOSTILE)
    await page.getByLabel('City').fill('Åre')
    await page.getByRole('textbox', { name: 'Mobile number' }).fill('+46701234567')
    const profile = page.getByRole('region', { name: 'Profile' })
    await profile.getByRole('button', { name: 'Save' }).click()
    await shows(page, 'Saved\\.')
    const { first_name, mobile, address } = await me()
    assert.deepEqual([first_name, mobile], [HOSTILE, '+46701234567'])
    assert.equal((address as unknown as { city: string }).city, 'Åre')
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('what somebody else changed meanwhile is shown, and a wrong address is told', async () => {
    const { world, user, url, me } = await account()
    const { page } = await open()
    await signIn(page, url, user)
    await page.getByLabel('First name').fill('Anna')
    const body = { last_name: 'Berg' }
    await world.request('PUT /api/v2/user/me', { as: user, body })
    const save = page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Save' })
    await save.click()
    await shows(page, /Last name\s+\S.*\s+Berg\s+as before/)
    await page.getByRole('button', { name: 'Keep my changes on top' }).click()
    await save.click()
    await eventually(async () => {
      const { first_name, last_name } = await me()
      assert.deepEqual([first_name, last_name], ['Anna', 'Berg'])
    })
    await page.getByRole('textbox', { name: 'Mobile number' }).fill('none\u0007')
    await save.click()
    await shows(page, 'mobile')
  })

  test('a new password ends the other sessions, and the old one is asked for', async () => {
    const { world, user, url } = await account()
    const { page } = await open()
    await signIn(page, url, user)
    const part = page.getByRole('region', { name: 'Password', exact: true })
    const fill = async (current: string, next: string, again = next) => {
      await part.getByLabel('Current password').fill(current)
      await part.getByLabel('New password').fill(next)
      await part.getByLabel('The same password again').fill(again)
      await part.getByRole('button', { name: 'Set the password' }).click()
    }
    await fill(user.password, 'a new good one', 'another one')
    await shows(page, 'not the same')
    await fill('wrong', 'a new good one')
    await shows(page, /current password|not accepted|wrong/i)
    await fill(user.password, 'a new good one')
    await shows(page, 'The new password is set')
    const { status } = await world.request('GET /api/v2/user/me', { as: user })
    assert.equal(status, 401, 'the other session has ended')
    await page.reload()
    await shows(page, 'My account')
  })

  test('sessions are listed, and others are ended', async () => {
    const { world, user, url } = await account()
    const { page } = await open()
    await signIn(page, url, user)
    const part = page.getByRole('region', { name: 'Sessions' })
    await part.getByText('this one').waitFor()
    await part.getByRole('button', { name: /End the other session/ }).click()
    await part.getByText('You are signed in nowhere else').waitFor()
    const { status } = await world.request('GET /api/v2/user/me', { as: user })
    assert.equal(status, 401)
  })

  test('a key may do what was ticked and nothing else, is shown once, and can be deleted', async () => {
    const { world, installation, user, url } = await account()
    const { page, faults } = await open()
    await signIn(page, url, user)
    const part = page.getByRole('region', { name: 'API keys' })
    await part.getByRole('button', { name: 'New key' }).click()
    await part.getByLabel('Name').fill(HOSTILE)
    await part.getByLabel('Filter permissions').fill('status/read')
    await part.getByLabel('status/read/all').check()
    await part.getByRole('button', { name: 'Make the key' }).click()
    const shown = part.getByRole('region', { name: `Key ${HOSTILE}` })
    const token = await shown.innerText()
    const ask = async (line: string) => (await world.request(line, { as: { token } })).status
    assert.equal(await ask('GET /api/v2/status'), 200)
    assert.equal(await ask(`GET /api/v2/functionx/${installation.id}`), 403)
    await part.getByText('1 permission').waitFor()
    await page.reload()
    await part.getByText('1 permission').waitFor()
    assert.equal(await shown.count(), 0)
    await part.getByRole('button', { name: `Delete: ${HOSTILE}` }).click()
    await part.getByRole('button', { name: 'Delete it' }).click()
    await part.getByText('You have no key').waitFor()
    assert.equal(await ask('GET /api/v2/status'), 401)
    assert.deepEqual(faults, [])
  })

  test('the account is deleted only after its address is typed', async () => {
    const { world, user, url } = await account()
    const { page } = await open(phone)
    await signIn(page, url, user)
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const question = page.getByRole('dialog')
    const go = question.getByRole('button', { name: 'Delete the account' })
    assert.equal(await go.isDisabled(), true)
    await question.getByRole('textbox').fill(user.email)
    await go.click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    const { status } = await world.request('GET /api/v2/user/me', { as: user })
    assert.equal(status, 401)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the page can be used by everybody, ${colorScheme}`, async () => {
      const { user, url } = await account()
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, url, user)
      const part = page.getByRole('region', { name: 'API keys' })
      await part.getByRole('button', { name: 'New key' }).click()
      await part.getByLabel('Filter permissions').waitFor()
      assert.deepEqual(await seriousFindings(page), [])
    })
})
