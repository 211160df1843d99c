import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { eventually } from './eventually.ts'
import { temporaryDirectory } from './process.ts'

export const program = findChromium()
const missing = 'no chromium on PATH, pages are not tried in a browser'
if (!program && process.env['CI'] === 'true') throw new Error(missing)

/** The reason to skip a test, if there is one. */
export const chromium: { missing: string | false } = { missing: program ? false : missing }

function findChromium(): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return directories.flatMap((path) => names.map((name) => join(path, name))).find(existsSync)
}

/**
 * Without these a window costs more than the page in it: Chromium prepares the lists of its address
 * line, which are pages as well. The others are those that Playwright turns off.
 */
const withoutFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'LensOverlay', 'MediaRouter'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'ThirdPartyStoragePartitioning'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
  ...['DestroyProfileOnBrowserClose', 'AvoidUnnecessaryBeforeUnloadCheckSync']
]

/** For a browser that shows nothing and asks nobody but the platform. */
export const flags: readonly string[] = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
  `--disable-features=${withoutFeatures.join(',')}`
]

type Fault = { text: string; url: string }
type Reply = { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown }

/** Chromium through its DevTools protocol, only as much as the tests need. */
export class Browser {
  readonly #process: ChildProcess
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #listeners: ((method: string, params: unknown) => void)[] = []
  #lastId = 0

  static async start(): Promise<Browser> {
    const profile = temporaryDirectory()
    const where = ['--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank']
    const child = spawn(program ?? '', ['--headless', ...flags, ...where], {
      stdio: ['ignore', 'ignore', 'pipe']
    })
    for await (const line of createInterface({ input: child.stderr })) {
      const url = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
      if (!url) continue
      // Nobody reads the rest, and a full pipe would block the browser.
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

export class BrowserPage {
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

  async reload(): Promise<void> {
    await this.evaluate("document.body.id = 'before the reload'")
    await this.#send('Page.reload', {})
    await eventually(async () =>
      assert.notEqual(await this.evaluate('document.body?.id'), 'before the reload')
    )
  }

  async click(selector: string): Promise<void> {
    const target = `document.querySelector(${JSON.stringify(selector)})`
    // The content of an operation appears a moment after it was opened.
    await eventually(() => this.evaluate(`${target}.click()`))
  }

  /** Replaces the text of the field, as a keyboard would. */
  async type(selector: string, text: string): Promise<void> {
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`)
    await this.evaluate('document.activeElement.select()')
    if (text === '') await this.evaluate("document.execCommand('delete')")
    else await this.#send('Input.insertText', { text })
  }
}
