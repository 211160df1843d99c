import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { grants, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const DAY = 1_767_225_600
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

describe('values as files', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function filled(more: string[] = ['log/#']) {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, ...more])
    const lines = ['hall', 'attic'].flatMap((room) =>
      [1, 2, 3].map((n) => `${DAY + n * 3600},obj/${room},${n},`)
    )
    await world.request(`POST /api/v3beta/log/${installation.id}/import`, {
      as: world.admin,
      headers: { 'content-type': 'text/csv' },
      body: ['timestamp,topic,value,msg', ...lines].join('\n')
    })
    const url = `${platform().url}/installations/${installation.id}/values`
    const stored = async () => {
      const path = `/api/v3beta/log/${installation.id}?from=0&to=${DAY * 2}&order=asc`
      const { json } = await world.request(`GET ${path}`, { as: world.admin })
      const { data } = json as { data: { topic: string; value: number }[] }
      return data.map(({ topic, value }) => `${topic.replace(/^\d+\/obj\//, '')} ${value}`)
    }
    return { world, installation, user, url, stored }
  }

  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const addTopic = async (page: Page, region: string, topic: string) => {
    const field = part(page, region).getByRole('combobox', { name: 'Topics' })
    await field.fill(topic)
    await field.press('Enter')
  }

  const send = async (page: Page, name: string, buffer: Buffer) => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer })
  }

  test('values of a topic and a time come as a file', async () => {
    const { user, url } = await filled()
    const { page, faults } = await open({ timezoneId: 'UTC' })
    await signIn(page, url, user)
    await addTopic(page, 'Values out', 'obj/hall')
    await part(page, 'Values out').getByLabel('From').fill('2026-01-01T02:00')
    const file = page.waitForEvent('download')
    await part(page, 'Values out').getByRole('button', { name: 'Download' }).click()
    const lines = readFileSync(await (await file).path(), 'utf8')
      .trim()
      .split(/\r?\n/)
    assert.equal(lines[0], 'timestamp,topic,value,msg')
    assert.deepEqual(
      lines.slice(1).map((line) =>
        line
          .split(',')
          .slice(1, 3)
          .join(' ')
          .replace(/^\d+\//, '')
      ),
      ['obj/hall 2', 'obj/hall 3']
    )
    assert.deepEqual(faults, [])
  })

  test('a file is read, packed or not, and its bad lines are told', async () => {
    const { user, url, stored, installation } = await filled()
    const { page, faults } = await open()
    await signIn(page, url, user)
    const lines = `timestamp,topic,value,msg\n${DAY},obj/hall,7,\n${DAY},obj/hall,seven,\n`
    await send(page, 'a.csv', Buffer.from(lines))
    await shows(page, /1 value stored, 1 line rejected[\s\S]*Line 3: /)
    const json = { timestamp: DAY, topic: `${installation.client_id}/obj/attic`, value: 8 }
    await send(page, 'b.ndjson.gz', gzipSync(`${JSON.stringify(json)}\n`))
    await shows(page, '1 value stored, 0 lines rejected')
    await eventually(async () =>
      assert.deepEqual((await stored()).slice(0, 2).sort(), ['attic 8', 'hall 7'])
    )
    assert.deepEqual(faults, [])
  })

  test('values are counted and named before they are deleted, on a phone', async () => {
    const { user, url, stored } = await filled()
    const { page } = await open({ ...phone, timezoneId: 'UTC' })
    await signIn(page, url, user)
    const region = part(page, 'Delete values')
    const count = region.getByRole('button', { name: 'Count them first' })
    assert.equal(await count.isDisabled(), true)
    await addTopic(page, 'Delete values', 'obj/hall')
    await region.getByLabel(/^From/).fill('2026-01-01T00:00')
    await region.getByLabel(/^To( |$)/).fill('2025-01-01T00:00')
    assert.equal(await count.isDisabled(), true)
    await region.getByLabel(/^To( |$)/).fill('2026-01-01T02:00')
    await count.click()
    await shows(
      page,
      /Delete 2 values\?[\s\S]*2026-01-01 00:00 to 2026-01-01 02:00[\s\S]*obj\/hall/
    )
    assert.equal((await stored()).length, 6)
    await page.getByRole('button', { name: 'Delete 2 values', exact: true }).click()
    await shows(page, '2 values deleted')
    assert.deepEqual((await stored()).sort(), ['attic 1', 'attic 2', 'attic 3', 'hall 3'])
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
    assert(width <= 390, `${width} px`)
  })

  test('who may only read sees no way to change anything', async () => {
    const { world } = platform()
    const { installation, url } = await filled()
    const user = await world.user({
      grants: ['installation/list/all', 'status/read/all', 'log/read/all'],
      organizations: [installation.organization_id]
    })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open({ colorScheme })
      await signIn(page, url, user)
      await part(page, 'Values out').waitFor()
      assert.equal(await page.getByRole('region', { name: /Values in|Delete values/ }).count(), 0)
      assert.deepEqual(await seriousFindings(page), [])
    }
  })

  test('a file that cannot be read is told', async () => {
    const { user, url, stored } = await filled()
    const { page } = await open({ colorScheme: 'dark' })
    await signIn(page, url, user)
    await send(page, 'a.csv.gz', Buffer.from('this is not gzip'))
    await part(page, 'Values in').getByRole('alert').waitFor()
    assert.equal((await stored()).length, 6)
    assert.deepEqual(await seriousFindings(page), [])
  })
})
