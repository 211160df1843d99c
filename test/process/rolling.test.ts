import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync, type MqttClient } from 'mqtt'
import pg from 'pg'
import { migrations } from '../../src/registry/migrate.ts'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { startPostgres } from '../support/postgres.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'

const root = new URL('../..', import.meta.url).pathname
const NEWER = '99.0.0'
const TIMEOUT_MS = 60_000

/** The same program as a newer version with one more migration. */
function newerProgram(): string {
  const directory = temporaryDirectory()
  for (const part of ['caracal.js', 'package.json', 'src']) {
    cpSync(join(root, part), join(directory, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const change = (file: string, from: RegExp, to: string) => {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    assert.match(text, from)
    writeFileSync(path, text.replace(from, to))
  }
  change('package.json', /"version": "[^"]+"/, `"version": "${NEWER}"`)
  const migration = `{
    name: 'drill',
    isAdditive: true,
    async up(registry) {
      await registry.schema.createTable('drills').addColumn('id', 'integer').execute()
      await registry.schema.alterTable('installations')
        .addColumn('drill', 'text', (c) => c.notNull().defaultTo('')).execute()
    }
  }`
  change('src/registry/migrate.ts', /,\n {2}(\w+)\n\]/, `,\n  $1,\n  ${migration}\n]`)
  return directory
}

/** Asks one node after the other until one answers. Only what none of them serves is a failure. */
class Callers {
  readonly #nodes: () => readonly Caracal[]
  readonly #token: string
  #isOver = false
  #working: Promise<unknown> | undefined
  /** Requests that a node answered, and tries that went to another one. */
  served = 0
  retried = 0
  /** The last value that was written. */
  written = 0

  constructor(nodes: () => readonly Caracal[], token: string) {
    this.#nodes = nodes
    this.#token = token
  }

  start(reads: readonly string[], write: string): void {
    const reading = async () => {
      for (let i = 0; !this.#isOver; i++) await this.#ask('GET', reads[i % reads.length] ?? '')
    }
    const writing = async () => {
      while (!this.#isOver) {
        const value = String(this.written + 1)
        await this.#ask('PUT', write, { value, protected: false })
        this.written++
      }
    }
    this.#working = Promise.all([reading(), reading(), writing()])
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
  }

  async #ask(method: string, path: string, body?: object): Promise<void> {
    const failures: string[] = []
    const begin = this.served
    const { length } = this.#nodes()
    for (let i = begin; i < begin + length; i++) {
      const node = this.#nodes()[i % length]
      const failure = await this.#try(node, { method, path, body })
      if (failure === undefined) {
        this.served++
        return void (await wait(10))
      }
      this.retried++
      failures.push(failure)
    }
    assert.fail(`${method} ${path}: ${failures.join('; ')}`)
  }

  async #try(
    node: Caracal | undefined,
    { method, path, body }: { method: string; path: string; body: object | undefined }
  ): Promise<string | undefined> {
    try {
      const answer = await fetch(node?.url + path, {
        method,
        headers: { 'x-api-key': this.#token },
        ...(body && { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      if (answer.status === 200) return undefined
      assert.equal(answer.status, 503, `${method} ${path}: ${answer.status} ${text}`)
      return text
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return String((error as Error).cause ?? error)
    }
  }
}

test('three nodes under load: one is lost with its disk, one drains, one becomes a newer version; nothing is lost, nothing is there twice, and every request is served', {
  skip: withoutClickhouse || withoutMosquitto
}, async (t) => {
  const postgres = await startPostgres()
  assert(postgres, 'PostgreSQL is not installed')
  t.after(() => postgres.stop())
  const [mosquitto, history, files] = [
    await startMosquitto(t),
    await newDatabase(),
    temporaryDirectory()
  ]
  const newer = newerProgram()
  const start = async (directory: string, program?: string) => {
    const settings = {
      CARACAL_ACK: 'history',
      CARACAL_DATA_DIR: directory,
      CARACAL_REGISTRY_URL: postgres.url,
      CARACAL_HISTORY_URL: history,
      CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
      CARACAL_BUS_SLOTS: '6',
      CARACAL_DRAIN_SECONDS: '1',
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery',
      CARACAL_FILES_DIR: files,
      CARACAL_DISK_RESERVE_MB: '1'
    }
    const node = await startCaracal(settings, [], program)
    t.after(() => node.child.kill('SIGKILL'))
    return node
  }
  const directories = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()] as const
  const first = await start(directories[0])
  const nodes: [Caracal, Caracal, Caracal] = [
    first,
    ...(await Promise.all([start(directories[1]), start(directories[2])]))
  ]
  const site = await createInstallation(first, 'Rolling')
  const headers = { 'x-api-key': site.token }
  const meta = `/api/v2/installation/${site.id}/meta/round`
  const made = await fetch(first.url + meta, {
    method: 'POST',
    headers,
    body: JSON.stringify({ value: '0', protected: false })
  })
  assert.equal(made.status, 200, await made.text())

  const callers = new Callers(() => nodes, site.token)
  t.after(() => callers.stop().catch(() => {}))
  callers.start([`/api/v2/status/${site.id}`, '/api/v2/user/me', '/api/v2/installation'], meta)
  const load = new Load(await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`), site.client_id)
  t.after(() => load.end())
  load.start()
  await load.goOn()

  // One is lost with its disk, and comes back with an empty one.
  await nodes[0].kill('SIGKILL')
  rmSync(directories[0], { recursive: true })
  await load.goOn()
  nodes[0] = await start(directories[0])
  await load.goOn()

  // One drains, and a newer version takes its place and changes the schema.
  assert.equal(await nodes[1].kill('SIGTERM'), 0)
  nodes[1] = await start(directories[1], newer)
  assert.match(
    nodes[1].printed(),
    new RegExp(`schema ${migrations.length} -> ${migrations.length + 1}`)
  )
  await load.goOn()

  // One drains, and starts again as it was.
  assert.equal(await nodes[2].kill('SIGTERM'), 0)
  nodes[2] = await start(directories[2])
  assert.match(nodes[2].printed(), /a newer version has changed the registry/)
  await load.goOn()

  await load.end()
  await callers.stop()
  const read = async ({ url }: Caracal, path: string) => {
    const answer = await fetch(url + path, { headers })
    assert.equal(answer.status, 200)
    return JSON.parse(await answer.text())
  }
  for (const node of nodes) {
    await eventually(async () => {
      const page = await read(node, `/api/v3beta/log/${site.id}?from=0&limit=100000`)
      const values = new Set((page.data as { value: number }[]).map(({ value }) => value))
      assert.deepEqual([values.size, page.total], [load.taken, load.taken])
      const [latest] = await read(node, `/api/v2/status/${site.id}`)
      assert.equal(latest.value, load.taken - 1)
    }, TIMEOUT_MS)
    assert.equal((await read(node, meta)).value, String(callers.written))
  }
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query('select is_additive from schema_migrations where name = $1', [
    'drill'
  ])
  await client.end()
  assert.deepEqual(
    rows.map(({ is_additive }) => Number(is_additive)),
    [1]
  )
  const { version } = await read(nodes[1], '/health/ready')
  assert.equal(version, NEWER)
  t.diagnostic(
    `${load.taken} messages, ${callers.served} requests, ${callers.retried} of them tried at another node`
  )
  assert.deepEqual(await Promise.all(nodes.map((node) => node.kill('SIGTERM'))), [0, 0, 0])
})

/** Publishes growing numbers, each with its own timestamp. */
class Load {
  readonly #client: MqttClient
  readonly #topic: string
  #isOver = false
  #sending: Promise<void> | undefined
  /** Messages that the broker has taken. */
  taken = 0

  constructor(client: MqttClient, client_id: number) {
    this.#client = client
    this.#topic = `${client_id}/obj/t`
  }

  start(): void {
    this.#sending = this.#send()
  }

  async goOn(): Promise<void> {
    const before = this.taken
    await eventually(() => assert(this.taken > before + 300), TIMEOUT_MS)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#sending
    await this.#client.endAsync(true)
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      const values = Array.from({ length: 10 }, (_, i) => this.taken + i)
      await Promise.all(
        values.map((value) => {
          const payload = JSON.stringify({ value, timestamp: 1_700_000_000 + value })
          return this.#client.publishAsync(this.#topic, payload, { qos: 1 })
        })
      )
      this.taken += values.length
      await wait(5)
    }
  }
}
