import assert from 'node:assert/strict'
import type { IClientOptions } from 'mqtt'
import { insertAlarms } from '../../src/features/alarm/alarms.ts'
import { hashPassword } from '../../src/identity/password.ts'
import { issueToken } from '../../src/identity/tokens.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { recordChange } from '../../src/registry/changes.ts'
import {
  findInstallation,
  type InstallationFields,
  type InstallationRecord,
  insertInstallation
} from '../../src/registry/installations.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import { insertRole } from '../../src/registry/roles.ts'
import { inTransaction } from '../../src/registry/transaction.ts'
import { insertUser, type UserFields } from '../../src/registry/users.ts'
import { eventually } from './eventually.ts'
import { mqttClient, type TestClient } from './mqtt.ts'

export type Account = { id: number; email: string; password: string; token: string }
export type Answer = { status: number; headers: Headers; text: string; json: unknown }
type Grants = readonly string[]

/** All users of a run have the same hash, and a cheap one. Making one is slow on purpose. */
const LOW_COST = 4
let passwordHash: Promise<string> | undefined

type Ear = { listener: TestClient; mark: string }

/** Makes what a scenario needs, and talks to the platform as an account. */
export class World {
  readonly url: string
  readonly admin: { id: number; token: string }
  readonly #platform: Platform
  readonly #clock: Clock
  #count = 0
  #ear: Promise<Ear> | undefined
  readonly #closing: (() => unknown)[] = []
  readonly #closers = { after: (close: () => unknown) => void this.#closing.push(close) }

  constructor(parts: {
    platform: Platform
    url: string
    admin: { id: number; token: string }
    clock: Clock
  }) {
    this.#platform = parts.platform
    this.url = parts.url
    this.admin = parts.admin
    this.#clock = parts.clock
  }

  get #registry() {
    return this.#platform.deps.registry
  }

  unique(word: string): string {
    return `${word}-${process.pid}-${++this.#count}`
  }

  async organization(parent_id = 1): Promise<number> {
    const fields = { name: this.unique('organization'), parent_id }
    const id = await inTransaction(this.#registry, (registry) =>
      insertOrganization(registry, fields, this.#clock())
    )
    // The platform did not write it, so it has to look.
    await this.#platform.deps.directory.catchUp()
    return id
  }

  /** A user with exactly these grants, in these organizations, with these installations assigned. */
  async user({
    grants = [],
    organizations = [],
    assigned = [],
    priority = 100,
    ...more
  }: {
    grants?: Grants
    organizations?: number[]
    assigned?: number[]
    priority?: number
  } & UserFields = {}): Promise<Account> {
    const email = `${this.unique('user')}@example.org`
    const password = 'a long enough password'
    const now = this.#clock()
    passwordHash ??= hashPassword(password, email, LOW_COST)
    const password_hash = await passwordHash
    const id = await inTransaction(this.#registry, async (registry) => {
      const role_id = await insertRole(registry, {
        name: this.unique('role'),
        priority,
        permissions: Object.fromEntries(grants.map((grant) => [grant, true]))
      })
      const fields = {
        email,
        password_hash,
        role_id: role_id ?? 0,
        first_name: 'Test',
        last_name: 'User',
        organisations: organizations,
        assigned_installations: assigned,
        ...more
      }
      return insertUser(registry, fields, now)
    })
    assert(id)
    const token = await issueToken(this.#registry, id, now)
    await this.#platform.deps.directory.catchUp()
    return { id, email, password, token }
  }

  async installation(
    fields: Partial<InstallationFields> & { organization_id?: number } = {}
  ): Promise<InstallationRecord> {
    const organization_id = fields.organization_id ?? (await this.organization())
    const id = await inTransaction(this.#registry, (registry) =>
      insertInstallation(
        registry,
        { name: this.unique('installation'), ...fields, organization_id },
        this.#clock()
      )
    )
    await this.#platform.deps.directory.catchUp()
    const installation = await findInstallation(this.#registry, id)
    if (!installation) throw new Error('the installation is not there')
    return installation
  }

  /** An installation and a user with these grants who belongs to its organization. */
  async site(grants: Grants): Promise<{ installation: InstallationRecord; user: Account }> {
    const installation = await this.installation()
    const user = await this.user({ grants, organizations: [installation.organization_id] })
    return { installation, user }
  }

  /** An open alarm of the installation. */
  async alarm(installation_id: number, message = ''): Promise<number> {
    const [row] = await insertAlarms(this.#registry, [
      {
        ...{ installation_id, rule_id: 1, topic: this.unique('topic'), severity: 'info' },
        ...{ raised_at: Date.now(), value: 1, message, isTold: false }
      }
    ])
    return row?.id ?? 0
  }

  /** Replaces the grants of a user. */
  async setGrants(userId: number, grants: Grants): Promise<void> {
    const permissions = JSON.stringify(Object.fromEntries(grants.map((grant) => [grant, true])))
    await this.#registry.transaction().execute(async (registry) => {
      const { role_id } = await registry
        .selectFrom('users')
        .select('role_id')
        .where('id', '=', userId)
        .executeTakeFirstOrThrow()
      await registry.updateTable('roles').set({ permissions }).where('id', '=', role_id).execute()
      await recordChange(registry, 'role', role_id, this.#clock())
    })
    await this.#platform.deps.directory.catchUp()
  }

  /** `request('GET /api/v2/user/me', { as: user })`. A body that is text is sent unchanged. */
  async request(
    line: string,
    {
      as,
      body,
      headers = {}
    }: { as?: { token: string }; body?: unknown; headers?: Record<string, string> } = {}
  ): Promise<Answer> {
    const [method = 'GET', path = '/'] = line.split(/ (.*)/s)
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(as && { 'x-api-key': as.token }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('application/json') && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined
    }
  }

  /** An MQTT connection of the account, by token. It ends with the platform at the latest. */
  mqtt(account: { token: string }, options: IClientOptions = {}): Promise<TestClient> {
    return mqttClient(this.#closers, this.#platform.mqttPort ?? 0, {
      username: 'token',
      password: account.token,
      ...options
    })
  }

  /** Publishes as the account and waits until it is acknowledged. */
  async publish(account: { token: string }, topic: string, payload: unknown): Promise<void> {
    const client = await this.mqtt(account)
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    await client.publish(topic, text, { qos: 1 })
    await client.mqtt.endAsync()
  }

  /** All messages that were published while `work` ran, as a listener with all rights got them. */
  async published(work: () => Promise<unknown>): Promise<string[]> {
    this.#ear ??= this.#openEar()
    const { listener, mark } = await this.#ear
    // Retained messages of other tests may still arrive after the listener has subscribed.
    const heard = () => listener.messages.filter(({ retain }) => !retain).map(({ topic }) => topic)
    // A last message marks the end: everything before it has been delivered.
    const marked = async () => {
      await listener.publish(mark, '', { qos: 1 })
      await eventually(() => assert(heard().includes(mark)))
    }
    await marked()
    listener.messages.length = 0
    await work()
    await marked()
    return heard().filter((topic) => topic !== mark)
  }

  async #openEar(): Promise<Ear> {
    // The administrator gets messages of organization 1 and below, so everything is made there.
    const { client_id } = await this.installation({ organization_id: 1 })
    const listener = await this.mqtt(this.admin)
    await listener.subscribe('#')
    return { listener, mark: `${client_id}/cmd/mark` }
  }

  close(): void {
    for (const close of this.#closing) close()
  }
}
