import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromium } from '../support/chromium.ts'
import { keyFor, lettersTo } from '../support/outbox.ts'
import { HOSTILE, house, seriousFindings, shows, signInByForm, withConsole } from './pages.ts'

const PASSWORD = 'a quite different password'

describe('the page for a new password', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  test('the link of the mail sets the password, and the key leaves the address at once', async () => {
    const { user } = await house(platform().world, 'Forgotten')
    const { page, faults } = await open()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(platform().url)
    await page.getByText('Lost the password?').click()
    await page.getByLabel('E-mail').fill(user.email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await shows(page, 'the mail is on its way')
    const key = await keyFor(platform(), user.email)
    const link = /^\S+#key=\S+$/m.exec(lettersTo(platform(), user.email)[0]?.text ?? '')?.[0] ?? ''
    await page.goto(link)
    await shows(page, 'The key of your mail is filled in')
    assert.equal(page.url(), `${platform().url}/new-password`)
    const set = async (password: string, again = password) => {
      await page.getByRole('textbox', { name: 'New password' }).fill(password)
      await page.getByRole('textbox', { name: 'The same password again' }).fill(again)
      await page.getByRole('button', { name: 'Set the password' }).click()
    }
    await set('short')
    await shows(page, 'needs at least 8 characters')
    await set(PASSWORD, 'another one')
    await shows(page, 'are not the same')
    await set('password123')
    await shows(page, 'was not accepted')
    await set(PASSWORD)
    await shows(page, 'Your new password is set')
    assert(!asked.some((url) => url.includes(key)), 'no address has the key')
    await page.getByRole('link', { name: 'To sign-in' }).click()
    await signInByForm(page, platform().url, { ...user, password: PASSWORD })
    await shows(page, 'Forgotten')
    assert.deepEqual(faults, [])
  })

  test('who may register gets a mail with a key, and nobody learns who may', async () => {
    const { world } = platform()
    const policy = { email_pattern: '*@register.example.org', role_id: 3, organization_id: 1 }
    await world.request('POST /api/v2/user/registration/policy', { as: world.admin, body: policy })
    const { page, faults } = await open({ colorScheme: 'dark' })
    const ask = async (email: string) => {
      await page.goto(`${platform().url}/register`)
      await page.getByLabel('First name').fill(HOSTILE)
      await page.getByLabel('Last name').fill('Berg')
      await page.getByLabel('E-mail').fill(email)
      await page.getByRole('button', { name: 'Register', exact: true }).click()
      await shows(page, 'a mail with a key is on its way')
    }
    await ask('stranger@elsewhere.example.org')
    await ask('anna@register.example.org')
    const key = await keyFor(platform(), 'anna@register.example.org')
    assert.deepEqual(lettersTo(platform(), 'stranger@elsewhere.example.org'), [])
    await page.getByRole('link', { name: 'I have a key from a mail' }).click()
    await page.getByLabel('Key of the mail').fill(key)
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD)
    await page.getByRole('textbox', { name: 'The same password again' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await shows(page, 'Your new password is set')
    await page.goto(`${platform().url}/register`)
    assert.deepEqual(await seriousFindings(page), [])
    assert.deepEqual(faults, [])
  })

  test('a key can be pasted; a wrong one is told, and nothing typed is lost', async () => {
    const { world } = platform()
    const { user } = await house(world, 'Pasted')
    await world.request('POST /api/v2/auth/reset_password', { body: { email: user.email } })
    const key = await keyFor(platform(), user.email)
    const { page } = await open()
    await page.goto(`${platform().url}/new-password`)
    await page.getByLabel('Key of the mail').fill('wrong-key')
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD)
    await page.getByRole('textbox', { name: 'The same password again' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await shows(page, 'was not accepted')
    assert.deepEqual(await seriousFindings(page), [])
    await page.getByLabel('Key of the mail').fill(` ${key} `)
    await page.keyboard.press('Enter')
    await shows(page, 'Your new password is set')
    const headers = { authorization: `Basic ${btoa(`${user.email}:${PASSWORD}`)}` }
    assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 200)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`it can be read by everybody, ${colorScheme}`, async () => {
      const { page } = await open({ colorScheme, viewport: { width: 390, height: 800 } })
      await page.goto(`${platform().url}/new-password#key=x`)
      await shows(page, 'New password')
      assert.deepEqual(await seriousFindings(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
    })
  }
})
