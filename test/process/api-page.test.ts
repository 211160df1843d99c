import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'
import { ADMIN, startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'

const program = findChromium()
const missing = 'no chromium on PATH, the API page is not tried in a browser'
if (!program && process.env['CI'] === 'true') throw new Error(missing)

suite('the API page in a browser', { skip: program ? false : missing }, () => {
  let platform: TestPlatform
  let browser: Browser
  let page: BrowserPage

  before(async () => {
    platform = await startTestPlatform()
    browser = await Browser.start(program ?? '')
    page = await browser.open(`${platform.url}/docs`)
    await eventually(async () => assert.ok((await page.count('.operation')) > 0), 20_000)
  })
  after(async () => {
    await browser?.stop()
    await platform?.stop()
  })

  test('lists every operation of the description, by chapter', async () => {
    const { paths } = (await (await fetch(`${platform.url}/docs/openapi.json`)).json()) as {
      paths: Record<string, object>
    }
    const wanted = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
    assert.equal(await page.count('.operation'), wanted)
    const chapters = await page.texts('h2')
    assert.ok(chapters.includes('Log') && chapters.includes('Installation'), String(chapters))
    assert.deepEqual(await page.texts('nav a'), chapters)
  })

  test('finds operations by their words', async () => {
    await page.type('#search', 'get v2/status')
    const found = await page.texts('.operation:not([hidden]) .path')
    assert.deepEqual(found, ['/api/v2/status/{installation_id}'])
    await page.type('#search', '')
  })

  test('shows schemas as types, and an example as the body', async () => {
    await page.click('[id="post-/api/v2/installation"] > summary')
    const [body] = await page.texts('[id="post-/api/v2/installation"] pre')
    assert.match(body ?? '', /^\{\n {2}name: string {3}\/\/ at least 1 characters/)
    assert.match(body ?? '', /\n {2}users\?: integer\[\] \| null\n/)
    assert.match(body ?? '', /\n {2}meta\?: \{ \[key\]: string \} \| null {3}\/\/ texts by key/)
    const example = await page.value('[id="post-/api/v2/installation"] textarea')
    assert.deepEqual(JSON.parse(example), {
      name: 'name',
      organization_id: 0,
      notes: '',
      timezone: '',
      users: [],
      meta: {},
      protected_meta: {}
    })
  })

  test('says so when the password is wrong', async () => {
    await page.click('#who')
    await page.type('#email', ADMIN.email)
    await page.type('#password', 'not the password')
    await page.click('#sign-in button')
    await eventually(async () => {
      assert.deepEqual(await page.texts('#account-note'), ['Unauthorized'])
    })
  })

  test('signs in and tries an operation as that user', async () => {
    await page.type('#password', ADMIN.password)
    await page.click('#sign-in button')
    await eventually(async () => assert.deepEqual(await page.texts('#who'), [ADMIN.email]))

    const me = '[id="get-/api/v2/user/{user_id}"]'
    await page.click(`${me} > summary`)
    await page.type(`${me} input`, 'me')
    await page.click(`${me} form button`)
    const shown = await eventually(async () => {
      const texts = await page.texts(`${me} [role=status] > *`)
      assert.match(texts[0] ?? '', /^200 OK in \d+ ms/)
      return texts[1] ?? ''
    })
    assert.equal(JSON.parse(shown).email, ADMIN.email)
    const curl = (await page.texts(`${me} form > pre`)).at(-1)
    const expected = `curl -X GET '${platform.url}/api/v2/user/me' \\\n  -H "X-API-Key: $TOKEN"`
    assert.equal(curl, expected)
  })

  test('sends path and query as they were filled in', async () => {
    const { id, client_id } = await platform.world.installation({ organization_id: 1 })
    await platform.world.publish(platform.world.admin, `${client_id}/obj/a b`, { value: 1.5 })
    const status = '[id="get-/api/v2/status/{installation_id}"]'
    await page.click(`${status} > summary`)
    await page.type(`${status} input`, String(id))
    await page.type(`${status} [id$=topics]`, 'obj/none, obj/a b')
    await page.click(`${status} form button`)
    const shown = await eventually(async () => {
      const [line, body] = await page.texts(`${status} [role=status] > *`)
      assert.match(line ?? '', /^200 OK/)
      return body ?? ''
    })
    const [sample] = JSON.parse(shown)
    assert.deepEqual([sample.topic, sample.value], [`${client_id}/obj/a b`, 1.5])
  })

  test('keeps the token out of storage and address', async () => {
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])'
    )
    assert.equal(kept, JSON.stringify([{}, {}, '', `${platform.url}/docs`]))
  })

  test('works without an error in the console', () => {
    // The refused sign-in is one that the browser reports itself; the page has no icon of its own.
    const errors = page.errors.filter(({ url }) => !/\/(favicon\.ico|api\/v2\/auth)$/.test(url))
    assert.deepEqual(errors, [])
  })
})

function findChromium(): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return directories.flatMap((path) => names.map((name) => join(path, name))).find(existsSync)
}

type Fault = { text: string; url: string }
type Reply = { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown }

/** Chromium through its DevTools protocol; no more of it than these tests need. */
class Browser {
  readonly #process: ChildProcess
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #listeners: ((method: string, params: unknown) => void)[] = []
  #lastId = 0

  static async start(program: string): Promise<Browser> {
    const profile = temporaryDirectory()
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run'
    ]
    const quiet = [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync'
    ]
    const where = ['--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank']
    const child = spawn(program, [...flags, ...quiet, ...where], {
      stdio: ['ignore', 'ignore', 'pipe']
    })
    for await (const line of createInterface({ input: child.stderr })) {
      const url = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
      if (!url) continue
      // Nobody reads on, and a full pipe would hold the browser up.
      child.stderr.resume()
      const socket = new WebSocket(url)
      await once(socket, 'open')
      return new Browser(child, socket)
    }
    throw new Error('chromium did not start')
  }

  private constructor(child: ChildProcess, socket: WebSocket) {
    this.#process = child
    this.#socket = socket
    socket.on('message', (data) => this.#take(JSON.parse(String(data))))
  }

  async open(url: string): Promise<BrowserPage> {
    const { targetId } = await this.send<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank'
    })
    const { sessionId } = await this.send<{ sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true
    })
    const page = new BrowserPage((method, params) => this.send(method, params, sessionId))
    this.#listeners.push((method, params) => page.heard(method, params))
    for (const domain of ['Runtime', 'Log', 'Page']) {
      await this.send(`${domain}.enable`, {}, sessionId)
    }
    await this.send('Page.navigate', { url }, sessionId)
    return page
  }

  async send<T>(method: string, params: object, sessionId?: string): Promise<T> {
    const id = ++this.#lastId
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, answer)
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    return (await answer.promise) as T
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#socket.terminate()
    this.#process.kill('SIGKILL')
    await exited
  }

  #take({ id, method, params, result, error }: Reply): void {
    if (method) for (const listener of this.#listeners) listener(method, params)
    const answer = this.#waiting.get(id ?? 0)
    this.#waiting.delete(id ?? 0)
    if (error) answer?.reject(new Error(JSON.stringify(error)))
    else answer?.resolve(result)
  }
}

type Send = <T>(method: string, params: object) => Promise<T>

class BrowserPage {
  readonly errors: Fault[] = []
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  heard(method: string, params: unknown): void {
    const { entry, type, args, exceptionDetails } = params as {
      entry?: { level: string; text: string; url?: string }
      type?: string
      args?: { value?: unknown }[]
      exceptionDetails?: { text: string; exception?: { description?: string } }
    }
    if (method === 'Log.entryAdded' && entry?.level === 'error') {
      this.errors.push({ text: entry.text, url: entry.url ?? '' })
    }
    if (method === 'Runtime.consoleAPICalled' && type === 'error') {
      this.errors.push({ text: String(args?.map(({ value }) => value)), url: '' })
    }
    if (method === 'Runtime.exceptionThrown') {
      this.errors.push({ text: exceptionDetails?.exception?.description ?? '', url: '' })
    }
  }

  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.#send<{ result: { value: T }; exceptionDetails?: object }>(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true }
    )
    assert.equal(answer.exceptionDetails, undefined, JSON.stringify(answer.exceptionDetails))
    return answer.result.value
  }

  count(selector: string): Promise<number> {
    return this.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`)
  }

  texts(selector: string): Promise<string[]> {
    const all = `document.querySelectorAll(${JSON.stringify(selector)})`
    return this.evaluate(`Array.from(${all}, (element) => element.textContent)`)
  }

  value(selector: string): Promise<string> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`)
  }

  async click(selector: string): Promise<void> {
    const target = `document.querySelector(${JSON.stringify(selector)})`
    // The inside of an operation comes a moment after it was opened.
    await eventually(() => this.evaluate(`${target}.click()`))
  }

  /** Puts the text in place of what is there, through the keyboard's way in. */
  async type(selector: string, text: string): Promise<void> {
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`)
    await this.evaluate('document.activeElement.select()')
    if (text === '') await this.evaluate("document.execCommand('delete')")
    else await this.#send('Input.insertText', { text })
  }
}
