import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Page } from 'playwright-core'

/**
 * `npm run screenshots` starts the demo and takes the pictures of the console for README and docs.
 * CHROMIUM names the browser, if it is not Debian's.
 */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const PORT = 18_123
const url = `http://127.0.0.1:${PORT}`
const root = new URL('..', import.meta.url).pathname
const images = join(root, 'docs/images')

type Picture = { name: string; path: string; colorScheme: 'light' | 'dark'; width: number }

const week = `topics=${encodeURIComponent(
  JSON.stringify(['obj/living_room/temperature', 'obj/outdoor/temperature', 'obj/heat_pump/power'])
)}&last=604800&compare=true`

const pictures: Picture[] = [
  { name: 'installations-light', path: '/installations', colorScheme: 'light', width: 1280 },
  { name: 'board-light', path: '/installations/1/board', colorScheme: 'light', width: 1280 },
  { name: 'live-light', path: '/installations/1/live', colorScheme: 'light', width: 1280 },
  { name: 'live-dark', path: '/installations/1/live', colorScheme: 'dark', width: 1280 },
  { name: 'live-phone', path: '/installations/1/live', colorScheme: 'light', width: 390 },
  { name: 'plot-dark', path: `/installations/1/plot?${week}`, colorScheme: 'dark', width: 1280 },
  {
    name: 'functions-light',
    path: '/installations/1/functions',
    colorScheme: 'light',
    width: 1280
  },
  { name: 'connect-phone', path: '/installations/1/connect', colorScheme: 'light', width: 390 }
]

const dataDir = mkdtempSync(join(tmpdir(), 'caracal-pictures-'))
const platform = spawn(process.execPath, ['caracal.js', '--demo'], {
  cwd: root,
  env: {
    ...process.env,
    CARACAL_DATA_DIR: dataDir,
    CARACAL_LOG_LEVEL: 'warn',
    CARACAL_HTTP_PORT: String(PORT),
    CARACAL_MQTT_PORT: String(PORT + 1)
  },
  stdio: ['ignore', 'pipe', 'inherit']
})
try {
  const login = await demoLogin()
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  mkdirSync(images, { recursive: true })
  for (const { name, path, colorScheme, width } of pictures) {
    const viewport = { width, height: 800 }
    const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' })
    const page = await context.newPage()
    await signIn(page, url + path, login)
    // Long enough for the values of the last seconds to arrive.
    await page.waitForTimeout(8000)
    await page.screenshot({ path: join(images, `${name}.png`) })
    console.log(`wrote docs/images/${name}.png`)
    await context.close()
  }
  await browser.close()
} finally {
  platform.kill()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
}

/** The banner names the user of the demo. */
async function demoLogin(): Promise<{ email: string; password: string }> {
  for await (const line of createInterface({ input: platform.stdout })) {
    const [, email, password] = /^ {2}Demo user\s+(\S+)\s+(\S+)/.exec(line) ?? []
    if (email && password) {
      platform.stdout.resume()
      return { email, password }
    }
  }
  throw new Error('the demo did not start')
}

async function signIn(page: Page, address: string, login: { email: string; password: string }) {
  await page.goto(address)
  await page.getByLabel('E-mail').fill(login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((at) => at.pathname === new URL(address).pathname)
}
