import {
  findInstallation,
  type InstallationRecord,
  insertInstallation,
  listInstallations,
  updateInstallation
} from '../registry/installations.ts'
import {
  findOrganizationByName,
  insertOrganization,
  organizationsBelow
} from '../registry/organizations.ts'
import type { Registry } from '../registry/tables.ts'
import { inTransaction } from '../registry/transaction.ts'
import { findUserByEmail, insertUser, updateUser } from '../registry/users.ts'
import type { DemoActuator } from './actuators.ts'
import type { DemoManaged } from './managed.ts'
import { DEMO_ORGANIZATION, type DemoPlot, type DemoSite, type DemoTopic } from './sites.ts'

export const DEMO_EMAIL = 'demo@localhost'

const HOME_ORGANIZATION_ID = 1
export const USER_ROLE_ID = 3
/** Protected metadata keys of an installation: its demo site, and what of it is made. */
const SITE_KEY = 'demo'
const PAST_KEY = 'demo_history'
const MANAGED_KEY = 'demo_managed'

export type DemoInstallation = InstallationRecord & {
  /** Full topics, with the client id. */
  topics: DemoTopic[]
  actuators: DemoActuator[]
  board: DemoPlot[]
  managed: DemoManaged
  hasPast: boolean
  isManaged: boolean
}

/** Creates what is missing: organizations, installations and the user. Sets the user's password. */
export async function ensureDemo(
  registry: Registry,
  sites: readonly DemoSite[],
  { password_hash, now }: { password_hash: string; now: number }
): Promise<DemoInstallation[]> {
  return inTransaction(registry, async (registry) => {
    const [home = null] = await organizationsBelow(registry, [HOME_ORGANIZATION_ID])
    const organization = await ensureOrganization(registry, DEMO_ORGANIZATION, home, now)
    const userId = await ensureUser(registry, { organization, password_hash, now })
    const known = await knownInstallations(registry, [home ?? organization])
    const installations: DemoInstallation[] = []
    for (const site of sites) {
      const parent = await ensureOrganization(registry, site.organization, organization, now)
      const existing = known.find(({ protected_meta }) => protected_meta[SITE_KEY] === site.key)
      const id = existing?.id ?? (await insertSite(registry, site, parent, now))
      const users = existing?.users ?? []
      if (!users.includes(userId)) {
        await updateInstallation(registry, id, { users: [...users, userId] }, now)
      }
      const record = await findInstallation(registry, id)
      if (!record) throw new Error(`the demo installation ${id} disappeared`)
      installations.push({
        ...record,
        topics: site.topics.map((it) => ({ ...it, topic: `${record.client_id}/${it.topic}` })),
        actuators: site.actuators,
        board: site.board,
        managed: site.managed,
        hasPast: PAST_KEY in record.protected_meta,
        isManaged: MANAGED_KEY in record.protected_meta
      })
    }
    return installations
  })
}

/** Call it after the last batch: the past is never written again. */
export const markPastWritten = (registry: Registry, id: number, now: number): Promise<void> =>
  mark(registry, id, PAST_KEY, now)

export const markManaged = (registry: Registry, id: number, now: number): Promise<void> =>
  mark(registry, id, MANAGED_KEY, now)

async function mark(registry: Registry, id: number, key: string, now: number): Promise<void> {
  await inTransaction(registry, async (registry) => {
    const record = await findInstallation(registry, id)
    const protected_meta = { ...record?.protected_meta, [key]: 'complete' }
    await updateInstallation(registry, id, { protected_meta }, now)
  })
}

async function ensureOrganization(
  registry: Registry,
  name: string,
  parent_id: number | null,
  now: number
): Promise<number> {
  const existing = await findOrganizationByName(registry, name)
  return existing?.id ?? insertOrganization(registry, { name, parent_id }, now)
}

async function ensureUser(
  registry: Registry,
  { organization, password_hash, now }: { organization: number; password_hash: string; now: number }
): Promise<number> {
  const existing = await findUserByEmail(registry, DEMO_EMAIL)
  if (existing) {
    await updateUser(registry, existing.id, { password_hash }, now)
    return existing.id
  }
  const id = await insertUser(
    registry,
    {
      email: DEMO_EMAIL,
      password_hash,
      role_id: USER_ROLE_ID,
      first_name: 'Demo',
      last_name: 'User',
      organisations: [organization]
    },
    now
  )
  if (id === undefined) throw new Error(`${DEMO_EMAIL} was created at the same time`)
  return id
}

async function knownInstallations(registry: Registry, organizationIds: readonly number[]) {
  const scope = {
    organizationIds: await organizationsBelow(registry, organizationIds),
    installationIds: []
  }
  const filter = { meta: [{ key: SITE_KEY, patterns: ['*'] }] }
  const found: InstallationRecord[] = []
  const all = listInstallations(registry, scope, { filter, seesProtected: scope })
  for await (const part of all) found.push(...part)
  return found
}

const insertSite = (registry: Registry, site: DemoSite, organization_id: number, now: number) =>
  insertInstallation(
    registry,
    {
      organization_id,
      name: site.name,
      notes: site.notes,
      timezone: site.timezone,
      meta: site.meta,
      protected_meta: { [SITE_KEY]: site.key }
    },
    now
  )
