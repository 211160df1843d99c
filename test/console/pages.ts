import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, afterEach, before } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page
} from 'playwright-core'
import { flags, program } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import type { World } from '../support/world.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A browser and a platform for the tests of a file. */
export function withConsole(settings: Record<string, string> = {}) {
  const shared: { browser?: Browser; platform?: TestPlatform } = {}
  const opened: BrowserContext[] = []
  before(async () => {
    shared.platform = await startTestPlatform({ settings })
    shared.browser = await chromium.launch({
      executablePath: program,
      args: [...flags]
    })
  })
  // An open page goes on listening and drawing beside the next tests.
  afterEach(async () => {
    const ending = opened.splice(0)
    await Promise.all(ending.map((context) => context.close()))
  })
  after(async () => {
    await shared.browser?.close()
    await shared.platform?.stop()
  })
  const platform = () => shared.platform as TestPlatform
  return {
    platform,
    /** Everything that went wrong in the page is in `faults`. */
    open: async (
      options: BrowserContextOptions = {}
    ): Promise<{ page: Page; faults: string[] }> => {
      const context = await (shared.browser as Browser).newContext({ locale: 'en', ...options })
      opened.push(context)
      const page = await context.newPage()
      const faults: string[] = []
      page.on('pageerror', ({ message }) => faults.push(message))
      page.on('console', (line) => {
        // A refused request is told by the page itself.
        const isRefusal = line.text().startsWith('Failed to load resource')
        if (line.type() === 'error' && !isRefusal) faults.push(line.text())
      })
      page.on('request', (request) => {
        if (!request.url().startsWith(platform().url)) faults.push(`asked ${request.url()}`)
      })
      return { page, faults }
    }
  }
}

type Login = { email: string; password: string }

/** With the form, as people do it. */
export async function signInByForm(page: Page, url: string, login: Login): Promise<void> {
  await page.goto(url)
  await page.getByLabel('E-mail').fill(login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The page finds a new session, as after the form. That is much faster. */
export async function signIn(page: Page, url: string, login: Login): Promise<void> {
  const { origin } = new URL(url)
  const authorization = `Basic ${btoa(`${login.email}:${login.password}`)}`
  const answer = await page.request.post(`${origin}/api/v2/auth`, { headers: { authorization } })
  const { token, nextstep } = (await answer.json()) as { token: string; nextstep?: string }
  assert(answer.ok() && !nextstep, 'it needs signInByForm')
  const script = await page.addInitScript(
    `if (location.origin === '${origin}') localStorage.setItem('caracal.session', '${token}')`
  )
  await page.goto(url)
  await script.dispose()
}

/** Panels fade in. What is half there has too little contrast, so all that ends is ended. */
const faded = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    const { document, requestAnimationFrame } = globalThis as unknown as {
      document: { getAnimations(): Fading[] }
      requestAnimationFrame(done: () => void): void
    }
    type Fading = { finish(): void; effect?: { getTiming(): { iterations: number } } }
    for (let frame = 0; frame < 3; frame++) {
      await new Promise<void>((done) => requestAnimationFrame(done))
      for (const one of document.getAnimations())
        if (one.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY) one.finish()
    }
  })

/** What axe calls serious or critical on the page. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await faded(page)
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  return page.evaluate(async () => {
    type Axe = { run(options: object): Promise<{ violations: Finding[] }> }
    type Finding = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }
    const { axe } = globalThis as unknown as { axe: Axe }
    // The console has neither sound nor pictures that move, for which axe would load everything.
    const { violations } = await axe.run({ resultTypes: ['violations'], preload: false })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
  })
}

export const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">'
export const grants = [
  'installation/list/all',
  'status/read/all',
  'functionx/#',
  'log/read/all',
  'mqtt/#'
]

const text = (page: Page) => page.locator('body').innerText()
export const shows = (page: Page, part: string | RegExp) =>
  eventually(async () => assert.match(await text(page), new RegExp(part)))
export const hides = async (page: Page, part: string) =>
  assert(!(await text(page)).includes(part), part)

/** An installation with a function in a room, whose topic has a value. */
export async function house(world: World, name: string, room = 'Hall') {
  const { installation, user } = await world.site(grants)
  const as = world.admin
  await world.request(`PUT /api/v2/installation/${installation.id}`, { as, body: { name } })
  const meta = { name, room, topic_read: 'obj/temp', format: '%.1f °C' }
  await world.request(`POST /api/v2/functionx/${installation.id}`, {
    as,
    body: { type: 'temperature', meta }
  })
  const gateway = await world.mqtt(user)
  const publish = (topic: string, reading: object) =>
    gateway.publish(`${installation.client_id}/${topic}`, JSON.stringify(reading), { qos: 1 })
  await publish('obj/temp', { value: 21.44 })
  return { installation, user, publish }
}
