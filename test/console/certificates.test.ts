import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { DAY } from '../../src/lib/unix-time.ts'
import { makeRequest } from '../support/authority.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, HOSTILE, hides, seriousFindings, shows, signIn, withConsole } from './pages.ts'

/** Where pictures go, to look at them. */
const pictures = process.env['PICTURES']
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

describe('certificates', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function site(more: readonly string[] = ['certificate/#']) {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, ...more])
    const url = `${platform().url}/installations/${installation.id}/connect`
    return { installation, user, url, world }
  }
  const section = (page: Page) => page.getByRole('region', { name: 'Certificates' })
  const picture = async (page: Page, name: string) => {
    if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
  }
  const issue = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Issue a certificate' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name)
  }

  for (const [kind, options] of Object.entries({ desktop: {}, phone })) {
    test(`${kind}: a certificate is issued, its key is shown once, and it is revoked`, async () => {
      const { installation, user, url, world } = await site()
      const { page, faults } = await open(options)
      await signIn(page, url, user)
      await shows(page, 'There are none')
      await shows(page, 'The broker does not offer TLS')
      await issue(page, HOSTILE)
      await picture(page, `${kind}-form`)
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('button', { name: 'Issue it' }).click()
      await shows(page, 'shown now, and never again')
      await picture(page, `${kind}-key`)
      assert.deepEqual(await seriousFindings(page), [])
      const dialog = page.getByRole('dialog')
      const key = await dialog.getByRole('region', { name: 'Private key' }).innerText()
      assert.match(key, /^-----BEGIN PRIVATE KEY-----/)
      const saving = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download' }).first().click()
      const saved = await saving
      assert.match(saved.suggestedFilename(), /^[\w.-]+-key\.pem$/)
      assert.equal(readFileSync(await saved.path(), 'utf8').trim(), key.trim())
      // Escape must not lose the key.
      await page.keyboard.press('Escape')
      assert.equal(await dialog.isVisible(), true)
      await page.getByRole('button', { name: 'I have the key' }).click()
      await eventually(async () => assert.match(await section(page).innerText(), /valid/))
      await hides(page, 'PRIVATE KEY')
      assert.notEqual(await page.title(), 'hacked')

      // One ends within 30 days, one has expired.
      for (const name of ['Old gateway', 'Spare gateway']) {
        await world.request(`POST /api/v2/certificate/${installation.id}`, {
          as: world.admin,
          body: { name, days: 20 }
        })
      }
      await platform()
        .deps.registry.updateTable('certificates')
        .set({ not_after: Date.now() - DAY })
        .where('name', '=', 'Old gateway')
        .where('installation_id', '=', installation.id)
        .execute()
      await page.reload()
      await shows(page, '1 has expired, 1 ends within 30 days')
      await shows(page, /19 days left/)
      await picture(page, `${kind}-list`)
      assert.deepEqual(await seriousFindings(page), [])
      const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(wide, false)

      await page.getByRole('button', { name: 'Revoke: Spare gateway' }).click()
      await shows(page, 'Its connections end at once')
      await picture(page, `${kind}-question`)
      await page.getByRole('button', { name: 'Keep it' }).last().click()
      await page.getByRole('button', { name: 'Revoke: Spare gateway' }).click()
      await page.getByRole('button', { name: 'Revoke it' }).click()
      await eventually(async () => assert.match(await section(page).innerText(), /revoked/))
      assert.equal(await page.getByRole('button', { name: 'Revoke: Spare gateway' }).count(), 0)
      assert.deepEqual(faults, [])
    })
  }

  test('a request of a device keeps its key, and faults are said', async () => {
    const { installation, user, url } = await site()
    const { page, faults } = await open()
    await signIn(page, url, user)
    await issue(page, 'pump')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('A device with topics of its own').check()
    await dialog.getByRole('textbox', { name: 'Prefix' }).fill('pump')
    await dialog.getByLabel('The device has made it').check()
    const field = dialog.getByRole('textbox', { name: 'Certificate request' })
    await field.fill('nonsense')
    await page.getByRole('button', { name: 'Issue it' }).click()
    await shows(page, 'csr must be a certificate request')
    await field.fill(makeRequest('pump').cert)
    await page.getByRole('button', { name: 'Issue it' }).click()
    await shows(page, 'The certificate is issued')
    await hides(page, 'never again')
    const pem = await dialog.getByRole('region', { name: 'Certificate' }).innerText()
    assert.equal(new X509Certificate(pem).subject, `CN=${installation.client_id}`)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await shows(page, 'its topics are below pump/')
    await page.getByRole('button', { name: 'Register one of your own authority' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('own')
    await dialog.getByRole('textbox', { name: 'Certificate (PEM)' }).fill(pem)
    await page.getByRole('button', { name: 'Register it' }).click()
    await shows(page, 'must be signed by an authority')
    assert.deepEqual(faults, [])
  })

  test('who may only revoke sees no forms, and who may neither sees nothing', async () => {
    const revoking = await site(['certificate/revoke/all'])
    const { page } = await open()
    await signIn(page, revoking.url, revoking.user)
    await shows(page, 'There are none')
    await hides(page, 'Issue a certificate')
    const neither = await site([])
    const other = await open()
    await signIn(other.page, neither.url, neither.user)
    await shows(other.page, 'Name the device')
    assert.equal(await section(other.page).count(), 0)
  })
})
