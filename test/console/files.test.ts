import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { isFileName, MAX_FILE, shownFiles } from '../../console/src/file/names.ts'
import { readFilesSearch } from '../../console/src/file/search.ts'
import { fileNameFault } from '../../src/features/file/file-name.ts'
import { MAX_FILE as ACCEPTED } from '../../src/features/file/uploads.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('names and sizes are checked as the platform does', () => {
  const names = ['a.txt', '', '.', '..', '.a', 'a/b', 'a\\b', 'a\n', 'a\u202e', HOSTILE, 'Å ä']
  for (const name of [...names, 'x'.repeat(255), 'x'.repeat(256)]) {
    assert.equal(isFileName(name), fileNameFault(name) === undefined, name)
  }
  assert.equal(MAX_FILE, ACCEPTED)
})

test('files are found by name and type, in the order of people', () => {
  const all = ['b10.pdf', 'B2.pdf', 'a.txt'].map((name) => ({
    name,
    mime: name.endsWith('pdf') ? 'application/pdf' : 'text/plain'
  }))
  const names = (text: string) => shownFiles(all, text, 'en').map(({ name }) => name)
  assert.deepEqual(names(''), ['a.txt', 'B2.pdf', 'b10.pdf'])
  assert.deepEqual(names(' PDF '), ['B2.pdf', 'b10.pdf'])
  assert.deepEqual(names('plain'), ['a.txt'])
  const read = readFilesSearch({ of: 'user', text: '', page: 1 })
  assert.deepEqual(Object.values(read), [undefined, undefined, undefined])
})

describe('files', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const reads = ['installation/list/all', 'file/list/all', 'file/download/all']
  const writes = ['installation/list/all', 'file/#']

  async function site(given: string[]) {
    const { world } = platform()
    const { installation } = await world.site([])
    const { organization_id, id } = installation
    const user = await world.user({ grants: given, organizations: [organization_id] })
    const lines = {
      installation: `/api/v2/file/installation/${id}`,
      organization: `/api/v2/file/organization/${organization_id}`
    }
    const put = async (kind: keyof typeof lines, name: string, content = 'content') => {
      const body = new FormData()
      body.append('file', new File([content], name, { type: 'text/plain' }))
      const headers = { 'x-api-key': world.admin.token }
      const answer = await fetch(world.url + lines[kind], { method: 'POST', headers, body })
      assert.equal(answer.status, 200, await answer.text())
    }
    const list = async (kind: keyof typeof lines = 'installation') => {
      const { json } = await world.request(`GET ${lines[kind]}`, { as: world.admin })
      return json as { id: number; name: string; hash: string; mime: string }[]
    }
    const contentOf = async (hash: string) =>
      (await world.request(`GET /api/v2/file/download/${hash}`, { as: world.admin })).text
    const url = `${platform().url}/installations/${id}/files`
    return { world, installation, user, put, list, contentOf, url }
  }
  /** The browser reads it from the disk. */
  const largeFile = () => {
    const directory = mkdtempSync(join(tmpdir(), 'caracal-large-'))
    const path = join(directory, 'large.bin')
    writeFileSync(path, '')
    truncateSync(path, MAX_FILE + 1)
    return { path, remove: () => rmSync(directory, { recursive: true }) }
  }
  const choose = async (page: Page, button: string, files: object | object[] | string) => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: button, exact: true }).click()
    await (await chooser).setFiles(files as Parameters<Awaited<typeof chooser>['setFiles']>[0])
  }
  const file = (name: string, content: string) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(content)
  })
  const menu = async (page: Page, name: string, item: string) => {
    await page.getByRole('button', { name: `More for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  test('are uploaded and downloaded; one that is too large is not sent', async () => {
    const { user, list, contentOf, url } = await site(writes)
    const { page, faults } = await open()
    await signIn(page, url, user)
    await shows(page, 'There is no file yet')
    await choose(page, 'Upload files', [
      file('plan Åre.txt', 'one'),
      file(HOSTILE, 'two'),
      file('empty.txt', '')
    ])
    const large = largeFile()
    await choose(page, 'Upload files', large.path)
    await shows(page, /large\.bin\s+not sent: it has 30 MiB, and a file may have at most 30 MiB/)
    large.remove()
    await eventually(async () => assert.equal((await list()).length, 3))
    const stored = await list()
    assert.deepEqual(
      stored.map(({ name }) => name),
      ['plan Åre.txt', HOSTILE, 'empty.txt']
    )
    assert.equal(await contentOf(stored[1]?.hash ?? ''), 'two')
    await shows(page, /3 files, 6 B of 1 GiB/)
    await page.getByRole('button', { name: 'Clear the list', exact: true }).click()
    assert.equal(await page.getByRole('region', { name: 'Uploads' }).count(), 0)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download plan Åre.txt', exact: true }).click()
    const saved = await download
    assert.equal(saved.suggestedFilename(), 'plan Åre.txt')
    assert.equal(await readFile(await saved.path(), 'utf8'), 'one')
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('are replaced, renamed and deleted, each after a question', async () => {
    const { user, put, list, contentOf, url } = await site(writes)
    await put('installation', 'old.txt', 'before')
    const [before] = await list()
    const { page, faults } = await open()
    await signIn(page, url, user)
    const chooser = page.waitForEvent('filechooser')
    await menu(page, 'old.txt', 'Replace')
    await (await chooser).setFiles(file('new.txt', 'after'))
    await shows(page, /new\.txt \(5 B\) takes its place/)
    assert.equal((await list())[0]?.name, 'old.txt')
    await page.getByRole('button', { name: 'Replace it', exact: true }).click()
    await page.getByRole('button', { name: 'More for new.txt', exact: true }).waitFor()
    const [replaced] = await list()
    assert.deepEqual([replaced?.id, await contentOf(replaced?.hash ?? '')], [before?.id, 'after'])

    await menu(page, 'new.txt', 'Rename')
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'New name' })
    await name.fill('a/b')
    await shows(page, 'without slashes')
    await name.fill(HOSTILE)
    await name.press('Enter')
    await page.getByRole('button', { name: `More for ${HOSTILE}`, exact: true }).waitFor()
    const [renamed] = await list()
    assert.deepEqual({ ...renamed, updated: 0 }, { ...replaced, name: HOSTILE, updated: 0 })

    await menu(page, HOSTILE, 'Delete')
    await page.getByRole('dialog', { name: `Delete ${HOSTILE}?` }).waitFor()
    await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
    await page.getByRole('button', { name: 'Delete it', exact: true }).click()
    await shows(page, 'There is no file yet')
    assert.deepEqual(await list(), [])
    assert.deepEqual(faults, [])
  })

  test('an upload can be stopped, and the next one goes on', async () => {
    const { user, list, url } = await site(writes)
    const { page } = await open()
    await signIn(page, url, user)
    let posts = 0
    await page.route('**/api/v2/file/installation/*', async (route) => {
      // The first one never gets an answer.
      if (route.request().method() === 'POST' && posts++ === 0) return
      await route.continue()
    })
    await choose(page, 'Upload files', [file('slow.txt', 'slow'), file('quick.txt', 'quick')])
    await shows(page, /quick\.txt\s+waits, 5 B/)
    await page.getByRole('button', { name: 'Stop slow.txt', exact: true }).click()
    await shows(page, /slow\.txt\s+stopped, not stored/)
    await shows(page, /quick\.txt\s+stored, 5 B/)
    assert.deepEqual(
      (await list()).map(({ name }) => name),
      ['quick.txt']
    )
  })

  test('what the platform refuses is told beside its file', async () => {
    const { world, installation, user, list, url } = await site(writes)
    const line = `PUT /api/v2/installation/${installation.id}/quota`
    await world.request(line, { as: world.admin, body: { files: 1 } })
    const { page } = await open()
    await signIn(page, url, user)
    await choose(page, 'Upload files', [file('first.txt', '1'), file('second.txt', '2')])
    await shows(page, /first\.txt\s+stored, 1 B/)
    await shows(page, /second\.txt\s+not stored: .*file/)
    assert.equal((await list()).length, 1)
  })

  test('of the organization are shown too, and changed only by who may', async () => {
    const looks = await site(reads)
    await looks.put('organization', 'common.txt')
    const { page } = await open()
    await signIn(page, looks.url, looks.user)
    await page.getByText('The organization', { exact: true }).click()
    await shows(page, 'common\\.txt')
    await shows(page, 'file/update/organization')
    assert.match(page.url(), /of=organization/)
    assert.equal(await page.getByRole('button', { name: /^(Upload|More)/ }).count(), 0)

    const { user, list, url } = await site(writes)
    const other = await open()
    await signIn(other.page, `${url}?of=organization`, user)
    await choose(other.page, 'Upload files', file('ours.txt', 'x'))
    await other.page.getByRole('button', { name: 'More for ours.txt', exact: true }).waitFor()
    assert.equal((await list('organization'))[0]?.name, 'ours.txt')
    assert.deepEqual(await list(), [])
  })

  test('who may only look finds no button that changes; the filter is in the address', async () => {
    const { user, put, url } = await site(['installation/list/all', 'file/list/all'])
    await put('installation', 'pump.txt')
    await put('installation', 'valve.txt')
    const { page } = await open()
    await signIn(page, url, user)
    await shows(page, 'file/download')
    assert.equal(await page.getByRole('button', { name: /^(Upload|More|Download)/ }).count(), 0)
    await page.getByRole('textbox', { name: 'Filter by name or type' }).fill('valve')
    await eventually(() => assert.match(page.url(), /text=valve/))
    await page.reload()
    const list = page.getByRole('list', { name: 'Files' })
    await eventually(async () => assert.equal(await list.getByRole('listitem').count(), 1))
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`can be used by everybody, ${colorScheme}`, async () => {
      const { user, put, url } = await site(writes)
      await put('installation', `${'long'.repeat(40)}.txt`)
      await put('installation', 'manual.txt')
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, url, user)
      await choose(page, 'Upload files', file('plan.txt', 'plan'))
      await shows(page, /plan\.txt\s+stored/)
      assert.deepEqual(await seriousFindings(page), [])
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert(width <= 390, `${width} px wide`)
    })
})
