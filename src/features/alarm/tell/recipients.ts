import { sql } from 'kysely'
import type { Identity } from '../../../identity/identity.ts'
import type { Directory } from '../../../permission/directory.ts'
import { may } from '../../../permission/principal.ts'
import { isOneOf } from '../../../registry/dialect.ts'
import type { InstallationRef } from '../../../registry/installations.ts'
import { organizationsAbove } from '../../../registry/organizations.ts'
import type { Registry } from '../../../registry/tables.ts'
import { type AlarmSettings, settingsFrom } from './settings.ts'

/** So many users are told of the alarms of an installation. */
export const MAX_RECIPIENTS = 1000
/** Users who may have the right, read at once. */
const MAX_CANDIDATES = 2 * MAX_RECIPIENTS

/** A user who wants to be told. */
export type Person = { id: number; email: string; mobile: string; settings: AlarmSettings }

type Parts = { registry: Registry; identity: Identity; directory: Directory }

/** Who is told of the alarms of an installation. It remembers what it has read: make a new one. */
export class Recipients {
  readonly #parts: Parts
  readonly #ofOrganizations = new Map<number, Promise<Person[]>>()
  readonly #ofInstallations = new Map<number, Promise<Person[]>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Users who stored settings and may list the alarms of the installation. By id. */
  async of(installation: InstallationRef): Promise<Person[]> {
    const { id, organization_id } = installation
    const [ofOrganization, ofInstallation] = [
      await remembered(this.#ofOrganizations, organization_id, () =>
        this.#inOrganizations(organization_id)
      ),
      await remembered(this.#ofInstallations, id, () => this.#namedBy(id))
    ]
    const all = new Map([...ofOrganization, ...ofInstallation].map((one) => [one.id, one]))
    const found: Person[] = []
    for (const person of [...all.values()].sort((a, b) => a.id - b.id)) {
      if (found.length >= MAX_RECIPIENTS) break
      if (await this.mayList(person.id, installation)) found.push(person)
    }
    return found
  }

  /** Those of the users who stored settings. */
  async find(userIds: readonly number[]): Promise<Person[]> {
    return userIds.length === 0
      ? []
      : this.#read(isOneOf(this.#parts.registry, sql.ref('users.id'), userIds))
  }

  async mayList(userId: number, installation: InstallationRef): Promise<boolean> {
    const principal = await this.#parts.identity.ofUser(userId)
    return principal !== undefined && may(principal, 'alarm/list', installation)
  }

  async #inOrganizations(organizationId: number): Promise<Person[]> {
    const { registry } = this.#parts
    const above = await organizationsAbove(registry, [organizationId])
    return this.#read(
      sql`users.id in (select user_id from user_organizations
        where ${isOneOf(registry, sql.ref('organization_id'), above)})`
    )
  }

  /** Users to whom the installation is assigned, or whose role names it: `12/alarm/#`. */
  #namedBy(installationId: number): Promise<Person[]> {
    return this.#read(
      sql`(users.id in (select user_id from user_installations
          where installation_id = ${installationId})
        or users.role_id in (select id from roles
          where permissions like ${`%"${installationId}/%`}))`
    )
  }

  async #read(isWanted: ReturnType<typeof sql>): Promise<Person[]> {
    const { rows } = await sql<{ id: number; email: string; mobile: string; settings: string }>`
      select users.id, users.email, users.mobile, alarm_settings.settings
      from alarm_settings join users on users.id = alarm_settings.user_id
      where ${isWanted} order by users.id limit ${sql.lit(MAX_CANDIDATES)}`.execute(
      this.#parts.registry
    )
    return rows
      .map(({ settings, ...user }) => ({ ...user, settings: settingsFrom(settings) }))
      .filter(({ settings }) => settings.channels.length > 0)
  }
}

function remembered<T>(
  known: Map<number, Promise<T>>,
  key: number,
  read: () => Promise<T>
): Promise<T> {
  const found = known.get(key) ?? read()
  known.set(key, found)
  return found
}
