import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathOf, summaryOf, topOf } from '../../console/src/system/trends.ts'
import { figures } from '../../src/features/system/figures.ts'
import { FiguresFile } from '../../src/features/system/figures-file.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, hides, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('the path of a line has gaps, and a lonely value is a dot', () => {
  const f = (line: (number | null)[], path: string) => assert.equal(pathOf(line, 10), path)
  f([], '')
  f([null, null], '')
  f([0, 10, 5], 'M0.0 70.0L160.0 4.0L320.0 37.0')
  f([null, 10, null], 'M160.0 4.0h0.1')
  f([0, null, 0], 'M0.0 70.0h0.1M320.0 70.0h0.1')
})

test('the newest value of a line and its greatest', () => {
  assert.deepEqual(summaryOf([1, 5, 2, null]), { newest: 2, most: 5 })
  assert.equal(summaryOf([null]), undefined)
  assert.deepEqual([topOf([[0, null], []]), topOf([[1], [3, null]])], [1, 3])
})

type State = { count: number; task: object | null; made: { name: string } | null }

/** Four hours of a node that stood still for a while, with a peak of messages three hours ago. */
function writeFigures(dataDir: string): void {
  const file = new FiguresFile(join(dataDir, 'figures.week'))
  const now = Math.floor(Date.now() / 60_000)
  for (let ago = 240; ago > 0; ago--) {
    if (ago > 100 && ago < 120) continue
    const values = figures.map(({ name }, i) =>
      name === 'messages_per_second' && ago === 180 ? 987 : i + Math.sin(ago / 20)
    )
    file.write({ minute: now - ago, values })
  }
  file.close()
}

describe('the page System', { skip: chromium.missing }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'caracal-backups-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-system-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFigures(dataDir)
  const { platform, open } = withConsole({
    CARACAL_DATA_DIR: dataDir,
    CARACAL_BACKUP_DIR: directory,
    CARACAL_BACKUP_EVERY: '30d'
  })
  const url = () => `${platform().url}/system`

  /** Somebody of the top organization. */
  const operator = (grants: string[]) => platform().world.user({ grants, organizations: [1] })

  async function state(): Promise<State> {
    const { world } = platform()
    return (await world.request('GET /api/v2/system/backup', { as: world.admin })).json as State
  }
  const idle = () =>
    eventually(async () => {
      const { task, count } = await state()
      assert(task === null && count > 0)
    })

  test('refused messages are listed, also of client ids that nobody has', async () => {
    const { world } = platform()
    const user = await operator(['metrics/read', 'ledger/read', 'mqtt/#'])
    const device = await world.mqtt(user)
    await device.publish(`987654/obj/${HOSTILE}`, '{"value":1}', { qos: 1 })
    const { page, faults } = await open(phone)
    await signIn(page, url(), user)
    const part = page.getByRole('region', { name: 'Refused messages' })
    await part.getByText(`987654/obj/${HOSTILE}`).waitFor()
    await part.getByText('unknown client id').waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    assert.deepEqual(faults, [])
  })

  test('the parts in words, and backups that are made, read and found damaged', async () => {
    await idle()
    const user = await operator(['metrics/read', 'system/backup'])
    const { page, faults } = await open()
    await signIn(page, url(), user)
    await shows(page, 'Everything works')
    await shows(page, 'Registry: users, installations and everything about them works')
    await shows(page, /Free on the disk\s+[\d.,]+ [GT]iB/)
    const part = page.getByRole('region', { name: 'Backups' })
    await part.getByText(directory).waitFor()
    const { count } = await state()
    // Names of backups have whole seconds.
    await eventually(async () => {
      const { made } = await state()
      const now = new Date().toISOString().slice(0, 19).replaceAll(':', '')
      assert(made && made.name < now)
    })
    await part.getByRole('button', { name: 'Back up now', exact: true }).click()
    await eventually(async () => assert.equal((await state()).count, count + 1))
    await part.getByText(`${count + 1} there`).waitFor()
    await idle()
    const verify = part.getByRole('button', { name: 'Verify the newest', exact: true })
    await verify.click()
    await part.getByText(/whole: \d+ values/).waitFor()
    await idle()
    truncateSync(join(directory, (await state()).made?.name ?? '', 'spool.sqlite'), 100)
    await verify.click()
    await part.getByText(/damaged: \d+ finding/).waitFor()
    await part.getByText('spool.sqlite', { exact: true }).waitFor()
    // Who makes backups need not know who is connected.
    await shows(page, 'The permission system/client/list is missing')
    assert.deepEqual(faults, [])
  })

  test('clients with account and installation, found by any of them; the address keeps the search', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/#'])
    const as = world.admin
    const name = `${HOSTILE} ${world.unique('site')}`
    await world.request(`PUT /api/v2/installation/${installation.id}`, { as, body: { name } })
    await world.request(`PUT /api/v2/user/${user.id}`, { as, body: { first_name: HOSTILE } })
    const clientId = `${world.unique('client')} ${HOSTILE}`
    await world.mqtt(user, { clientId, protocolVersion: 5 })
    const credentials = `POST /api/v2/gateway/credentials/${installation.id}`
    const { json } = await world.request(credentials, { as })
    const { mqtt_username: username, mqtt_password: password } = json as Record<string, string>
    const gatewayId = `edge-${installation.client_id}`
    await world.mqtt({ token: '' }, { clientId: gatewayId, username, password })

    const { page, faults } = await open()
    await signIn(page, url(), await operator(['metrics/read', 'system/client/list']))
    const part = page.getByRole('region', { name: 'Connected clients' })
    const row = (text: string) => part.getByRole('row').filter({ hasText: text })
    await row(clientId).getByRole('cell', { name: '5', exact: true }).waitFor()
    const find = part.getByRole('searchbox')
    await find.fill(name.toUpperCase())
    await eventually(async () => assert.equal(await part.getByRole('row').count(), 2))
    await row(gatewayId).getByRole('link', { name, exact: true }).waitFor()
    await row(gatewayId).getByText('gateway', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('client'), name.toUpperCase())
    await page.reload()
    await row(gatewayId).waitFor()
    await find.fill('nobody has this')
    await part.getByText('No client fits.').waitFor()
    await find.fill('')
    await row(clientId).getByText(HOSTILE).first().waitFor()
    assert.equal(await page.title(), 'Caracal')
    // Who may only look makes no backup.
    await shows(page, 'The permission system/backup is missing')
    assert.equal(await page.getByRole('button', { name: 'Back up now' }).count(), 0)
    assert.deepEqual(faults, [])
  })

  test('more clients than a page has', async () => {
    const { world } = platform()
    const { user } = await world.site(['mqtt/#'])
    const mark = world.unique('many')
    for (let i = 0; i < 51; i++) await world.mqtt(user, { clientId: `${mark}-${i}` })
    const { page } = await open()
    const operators = await operator(['metrics/read', 'system/client/list'])
    await signIn(page, `${url()}?client=${mark}`, operators)
    const part = page.getByRole('region', { name: 'Connected clients' })
    await part.getByText(/^51 of \d+ connected$/).waitFor()
    assert.equal(await part.getByRole('row').count(), 51)
    await part.getByRole('button', { name: 'Show more', exact: true }).click()
    await part.getByText(`${mark}-50`, { exact: true }).waitFor()
    await part.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  })

  test('rates and latencies over time; the address keeps how far back', async () => {
    const { page, faults } = await open()
    await signIn(page, url(), await operator(['metrics/read']))
    const part = page.getByRole('region', { name: 'The last days' })
    const messages = part.getByRole('img', { name: /^MQTT messages and values stored: messages: / })
    await messages.waitFor()
    // A point of a day has two minutes, and their mean.
    assert.match((await messages.getAttribute('aria-label')) ?? '', /at most 49\d per second/)
    assert.equal(await part.getByRole('img').count(), 10)
    await part.getByText('1 hour', { exact: true }).click()
    await eventually(async () => {
      const label = (await messages.getAttribute('aria-label')) ?? ''
      assert.match(label, /at most [01][.\d]* per second/)
    })
    assert.equal(new URL(page.url()).searchParams.get('hours'), '1')
    await page.reload()
    await messages.waitFor()
    assert(await part.getByRole('radio', { name: '1 hour' }).isChecked())
    await messages.hover()
    await part
      .getByText(/^\S+ \d+, \d{4}, \d+:\d\d/)
      .first()
      .waitFor()
    assert.deepEqual(faults, [])
  })

  test('below the top organization nothing is shown', async () => {
    const { world } = platform()
    const user = await world.user({ grants: ['#'], organizations: [await world.organization()] })
    const { page } = await open()
    await signIn(page, url(), user)
    await shows(page, 'This did not work')
    await hides(page, directory)
    assert.equal(await page.getByRole('region', { name: 'Connected clients' }).count(), 0)
  })

  test('what needs somebody is told, also on a phone, in Swedish and in the dark', async () => {
    const { world } = platform()
    const { user } = await world.site(['mqtt/#'])
    await world.mqtt(user, { clientId: 'x'.repeat(80) })
    const options = [
      { ...phone },
      { ...phone, colorScheme: 'dark' as const },
      { colorScheme: 'light' as const },
      { colorScheme: 'dark' as const }
    ]
    for (const option of options) {
      const { page, faults } = await open(option)
      await signIn(page, url(), await operator(['#']))
      await page.getByRole('row').nth(1).waitFor()
      await page.getByRole('button', { name: 'Back up now' }).waitFor()
      await page.getByRole('img', { name: /^Memory: now / }).waitFor()
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert(Number(wide) <= 0)
      assert.deepEqual(await seriousFindings(page), [])
      assert.deepEqual(faults, [])
    }
    const { page } = await open()
    await signIn(page, url(), await operator(['#']))
    await shows(page, 'Connected clients')
    await page.evaluate("localStorage.setItem('caracal.language', 'sv')")
    await page.reload()
    await shows(page, 'Anslutna klienter')
    await shows(page, 'Säkerhetskopiera nu')
  })
})
