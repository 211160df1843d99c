import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { end, freePort, launch, timeUntilReady } from './child.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What `npm start` gives to Node. */
const startArgs: string[] = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  .scripts.start.split(' ')
  .slice(2)
const admin = { email: 'bench@example.org', password: 'a bench measures, it never guesses' }

export type Installation = { id: number; client_id: number }

/** The real program with its default settings, except ports, directory and one quota. */
export class Caracal {
  readonly child: ChildProcess
  readonly url: string
  readonly mqttPort: number
  /** From the start of the process to the first 200 of /health/ready. */
  readyMs = 0
  #token = ''
  #printed = ''

  static async start(
    dataDir: string,
    env: Record<string, string> = {},
    args: readonly string[] = []
  ): Promise<Caracal> {
    const [httpPort, mqttPort] = [await freePort(), await freePort()]
    const since = performance.now()
    const child = launch([...startArgs, ...args], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        CARACAL_DATA_DIR: dataDir,
        CARACAL_HTTP_PORT: String(httpPort),
        CARACAL_MQTT_PORT: String(mqttPort),
        CARACAL_ADMIN_EMAIL: admin.email,
        CARACAL_ADMIN_PASSWORD: admin.password,
        // Ten installations send all messages.
        CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1000000',
        ...env
      }
    })
    const caracal = new Caracal(child, { httpPort, mqttPort })
    await caracal.#whenReady(since)
    return caracal
  }

  private constructor(child: ChildProcess, ports: { httpPort: number; mqttPort: number }) {
    this.child = child
    this.url = `http://127.0.0.1:${ports.httpPort}`
    this.mqttPort = ports.mqttPort
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#printed += chunk
      })
    }
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  async token(): Promise<string> {
    if (this.#token === '') this.#token = await this.#signIn(admin.email)
    return this.#token
  }

  /** `request('GET /metrics')` as the administrator. Any status other than 200 is an error. */
  async request(line: string, body?: object): Promise<string> {
    const [method = '', path] = line.split(' ')
    const response = await fetch(this.url + path, {
      method,
      headers: { 'x-api-key': await this.token() },
      ...(body && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${line}: ${response.status} ${text}`)
    return text
  }

  async createInstallations(count: number): Promise<Installation[]> {
    const created: Installation[] = []
    while (created.length < count) {
      const name = `Bench ${created.length + 1}`
      const { id, client_id } = JSON.parse(
        await this.request('POST /api/v2/installation', { name, organization_id: 1 })
      )
      created.push({ id, client_id })
    }
    return created
  }

  /** The longest stall of the event loop since the last call, as the program measured it. */
  async stallMs(): Promise<number> {
    return (await this.metric('nodejs_eventloop_lag_max_seconds')) * 1000
  }

  /** An organization right below the top, with its own administrator and an installation. */
  async createTenant(name: string): Promise<{ installation: Installation; token: string }> {
    const organization = { name, parent_id: 1 }
    const { id: organization_id } = JSON.parse(
      await this.request('POST /api/v2/organization', organization)
    )
    const { id, client_id } = JSON.parse(
      await this.request('POST /api/v2/installation', { name, organization_id })
    )
    const token = await this.createAdministrator(name, organization_id)
    return { installation: { id, client_id }, token }
  }

  /** Of this organization; answers a token. */
  async createAdministrator(name: string, organization_id: number): Promise<string> {
    const email = `${name}@example.org`
    const address = { address: '', city: '', country: '', zip: '' }
    await this.request('POST /api/v2/user', {
      ...{
        email,
        first_name: 'Bench',
        last_name: name,
        password: admin.password,
        role: 1,
        address
      },
      organisations: [organization_id]
    })
    return this.#signIn(email)
  }

  spooled(): Promise<number> {
    return this.metric('caracal_spool_samples')
  }

  /** NaN: the program does not have it. */
  async metric(name: string): Promise<number> {
    const metrics = await this.request('GET /metrics')
    return Number(new RegExp(`^${name} ([\\d.e+-]+)`, 'm').exec(metrics)?.[1])
  }

  /** Waits until history has everything that was acknowledged; returns how long that took. */
  async settle(): Promise<number> {
    const start = performance.now()
    while ((await this.spooled()) > 0) await wait(100)
    return performance.now() - start
  }

  async countSamples(installations: readonly Installation[]): Promise<number> {
    let total = 0
    for (const { id } of installations) {
      const page = await this.request(`GET /api/v3beta/log/${id}?from=0&limit=1`)
      total += JSON.parse(page).total
    }
    return total
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    return end(this.child, signal)
  }

  async #signIn(email: string): Promise<string> {
    const basic = Buffer.from(`${email}:${admin.password}`).toString('base64')
    const headers = { authorization: `Basic ${basic}` }
    const response = await fetch(`${this.url}/api/v2/auth`, { method: 'POST', headers })
    return ((await response.json()) as { token: string }).token
  }

  async #whenReady(since: number): Promise<void> {
    try {
      this.readyMs = await timeUntilReady(`${this.url}/health/ready`, this.child, since)
    } catch {
      throw new Error(`Caracal did not start: ${this.#printed}`)
    }
  }
}
