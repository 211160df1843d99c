import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { villaManaged } from '../../src/demo/managed.ts'
import { type DemoDeps, ensureManaged } from '../../src/demo/managing.ts'
import { operationsIn, usesOfConsole } from '../../tools/console-page.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { house, shows, signIn, withConsole } from './pages.ts'

const description = new URL('../../src/features/system/openapi.json', import.meta.url)
const uses = usesOfConsole(operationsIn(readFileSync(description, 'utf8')))
/** Those behind a sign-in. */
const pages = [...new Set([...uses.values()].flat())]
  .filter((path) => path.startsWith('/') && !/^\/(sign-in|new-password|register)$/.test(path))
  .sort()

const roles = { Administrator: 1, Manager: 2, User: 3 }

describe('each page, as each of the stored roles', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  async function furnished() {
    const { world, deps } = platform()
    const { installation } = await house(world, 'Summer house')
    await ensureManaged(deps as unknown as DemoDeps, {
      ...installation,
      ...{ topics: [], actuators: [], board: [], managed: villaManaged },
      ...{ timezone: 'UTC', hasPast: true, isManaged: false }
    })
    return installation
  }

  test('there are as many pages as the console has', () => {
    assert(pages.length > 30, `${pages}`)
  })

  for (const [name, role_id] of Object.entries(roles)) {
    test(`${name}: it shows something, or names the permission that is missing`, async () => {
      const { world, url } = platform()
      const { id, organization_id } = await furnished()
      const organizations = [name === 'Administrator' ? 1 : organization_id]
      const user = await world.user({ role_id, organizations, assigned: [id] })
      const { page, faults } = await open()
      page.on('response', (answer) => {
        if (answer.status() >= 500) faults.push(`${answer.status()} ${answer.url()}`)
      })
      await signIn(page, url, user)
      await shows(page, 'Summer house')
      for (const path of pages) {
        await page.goto(url + path.replace('$id', String(id)))
        await settled(page)
        assert.equal(await page.locator('h1').count(), 1, `${path} has one heading`)
        assert.notEqual(await page.title(), '', path)
        for (const alert of await page.getByRole('alert').allInnerTexts()) {
          if (!alert.startsWith('This did not work')) continue
          assert.match(alert, /The permission \S+ (on the \w+ .+ )?is missing/, path)
        }
        assert.deepEqual(faults, [], path)
      }
    })
  }

  test('all that can be used is reached by keyboard, and shows that it is', async () => {
    const { world, url } = platform()
    const { id } = await furnished()
    const user = await world.user({ role_id: roles.Administrator, organizations: [1] })
    const { page } = await open()
    await signIn(page, url, user)
    await shows(page, 'Summer house')
    for (const path of pages) {
      await page.goto(url + path.replace('$id', String(id)))
      await settled(page)
      let { missed, dim } = await byKeyboard(page)
      // Names of objects may come after the page, and then its links have other texts.
      if (missed.length > 0) ({ missed, dim } = await byKeyboard(page))
      assert.deepEqual(missed, [], `${path}: not reached`)
      assert.deepEqual([...new Set(dim)], [], `${path}: no mark`)
    }
  })
})

/** Presses Tab until all that can be used had the focus. `dim` had it without a mark. */
async function byKeyboard(page: Page): Promise<{ missed: string[]; dim: string[] }> {
  const usable = await namesOf(page)
  const reached = new Set<string>()
  const dim: string[] = []
  const isReached = (name: string) => reached.has(name)
  // A field of a date has a stop for each of its parts.
  for (let i = 0; i < usable.length + 80 && !usable.every(isReached); i++) {
    await page.keyboard.press('Tab')
    const focused = await focusedIn(page)
    if (!focused) continue
    reached.add(focused.name)
    if (!focused.isMarked) dim.push(focused.name)
  }
  return { missed: usable.filter((name) => !isReached(name)), dim }
}

/** Nothing is loading any more. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await eventually(async () =>
    assert.equal(await page.locator('.mantine-Skeleton-root').count(), 0, page.url())
  )
}

const USABLE =
  'a[href], button:not([disabled]), input:not([disabled]), textarea:not([disabled]), select, [tabindex="0"]'
const NAME = `(element) =>
  element.tagName + ' ' + (element.getAttribute('aria-label') || element.textContent.trim() ||
  element.getAttribute('placeholder') || element.id || element.outerHTML).slice(0, 60)`

/** Of a group of radio buttons only one is a stop of the key. */
const namesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('${USABLE}')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.tabIndex >= 0 &&
      one.type !== 'radio' && !one.closest('[inert]'))
    .map(${NAME})`)

const focusedIn = (page: Page): Promise<{ name: string; isMarked: boolean } | undefined> =>
  page.evaluate(`(() => {
    const element = document.activeElement
    if (!element || element === document.body) return undefined
    const isDrawn = (part) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element, part)
      return boxShadow !== 'none' || (outlineStyle !== 'none' && outlineWidth !== '0px')
    }
    const isTyped = ['INPUT', 'TEXTAREA', 'SELECT'].includes(element.tagName)
    const isMarked = isTyped || isDrawn() || isDrawn('::after')
    return { name: (${NAME})(element), isMarked }
  })()`)
