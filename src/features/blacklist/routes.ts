import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, conflict, forbidden } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { Message } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { clientIdOf, isTopicFilter } from '../../lib/topic.ts'
import { permit } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import { reachesEverything } from '../../permission/visibility.ts'
import { tenantsOf } from '../../registry/organizations.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import type { BlacklistDeps } from './deps.ts'
import {
  deleteBlacklistEntry,
  type BlacklistEntry as EntryRecord,
  findBlacklistEntry,
  insertBlacklistEntry,
  listBlacklist,
  updateBlacklistEntry
} from './entries.ts'
import { BlacklistEntry, EntryParams, EntryUpdate, NewEntry } from './schema.ts'

/** Entries for all installations of a tenant together. */
const MAX_ENTRIES_PER_TENANT = 100
/** Entries with a wildcard or an unknown client id; only platform administrators write these. */
const MAX_ENTRIES_OF_PLATFORM = 1000

export const blacklistRoutes: Routes<BlacklistDeps> = (
  app,
  { registry, directory, blacklist, clock }
) => {
  const tags = ['Blacklist']
  const access = permit('mqtt/blacklist/topic/manage')

  app.get(
    '/topic',
    {
      schema: {
        tags,
        operationId: 'listBlacklistEntries',
        summary: 'Blacklist entries in the organizations of the caller',
        response: { 200: Type.Array(BlacklistEntry) }
      },
      config: { access }
    },
    async ({ principal }) =>
      (await listBlacklist(registry)).filter(({ topic }) => reaches(principal, topic)).map(shown)
  )

  app.post(
    '/topic',
    {
      schema: {
        tags,
        operationId: 'createBlacklistEntry',
        faults: [409],
        summary: 'Refuse messages on a topic, or do not store them',
        body: NewEntry,
        response: { 200: BlacklistEntry }
      },
      config: { access, trace: creates('mqtt') }
    },
    async ({ principal, body }) => {
      const entry = {
        topic: body.topic,
        mode: body.mode || ('block' as const),
        enabled: body.enabled ?? true,
        reason: body.reason ?? ''
      }
      check(principal, entry.topic)
      const id = await inTransaction(registry, async (registry) => {
        await checkPlace(registry, entry)
        return insertBlacklistEntry(registry, entry, clock())
      })
      return shown({ ...entry, id, count: 0 })
    }
  )

  app.get(
    '/topic/:entry_id',
    {
      schema: {
        tags,
        operationId: 'getBlacklistEntry',
        summary: 'One entry of the blacklist',
        params: EntryParams,
        response: { 200: BlacklistEntry }
      },
      config: { access }
    },
    async ({ principal, params }, reply) => {
      const entry = await find(registry, principal, params.entry_id)
      return tagged(reply, shown(entry), lasting(entry))
    }
  )

  app.put(
    '/topic/:entry_id',
    {
      schema: {
        tags,
        operationId: 'updateBlacklistEntry',
        faults: [409, 412],
        summary:
          'Update an entry; fields that are missing or null keep their value; so does the count',
        params: EntryParams,
        body: EntryUpdate,
        response: { 200: BlacklistEntry }
      },
      config: { access, trace: updates('mqtt', 'entry_id') }
    },
    async (request, reply) => {
      const { principal, params, body } = request
      return inTransaction(registry, async (registry) => {
        const current = await find(registry, principal, params.entry_id)
        checkMatch(request, lasting(current))
        const entry = {
          ...current,
          topic: body.topic ?? current.topic,
          mode: body.mode || current.mode,
          enabled: body.enabled ?? current.enabled,
          reason: body.reason ?? current.reason
        }
        check(principal, entry.topic)
        await checkPlace(registry, entry)
        await updateBlacklistEntry(registry, entry, clock())
        return tagged(reply, shown(entry), lasting(entry))
      })
    }
  )

  app.delete(
    '/topic/:entry_id',
    {
      schema: {
        tags,
        operationId: 'deleteBlacklistEntry',
        summary: 'Delete an entry of the blacklist',
        params: EntryParams,
        response: { 200: Message }
      },
      config: { access, trace: deletes('mqtt', 'entry_id') }
    },
    async ({ principal, params }) => {
      await inTransaction(registry, async (registry) => {
        const { id } = await find(registry, principal, params.entry_id)
        await deleteBlacklistEntry(registry, id, clock())
      })
      return { message: 'Deleted' }
    }
  )

  /** The caller may only block topics of installations that they reach. */
  function reaches(principal: Principal, topic: string): boolean {
    if (reachesEverything(principal)) return true
    return principal.organizationsBelow.has(organizationOf(topic) ?? 0)
  }

  const organizationOf = (topic: string): number | undefined =>
    directory.installationByTopic(topic)?.organization_id

  function check(principal: Principal, topic: string): void {
    if (!isTopicFilter(topic)) throw badRequest('topic is not an MQTT topic filter')
    // Nobody can publish on other topics, so the entry would have no effect [ADR-0025].
    if (!/^[+#]/.test(topic) && clientIdOf(topic) === undefined) {
      throw badRequest('topic must begin with <client_id>/ or a wildcard')
    }
    if (!reaches(principal, topic)) throw forbidden()
  }

  /** Each tenant has its own limit, so that no tenant can fill the list of another. */
  async function checkPlace(
    registry: Registry,
    { id, topic, mode }: Pick<EntryRecord, 'topic' | 'mode'> & { id?: number }
  ): Promise<void> {
    const others = (await listBlacklist(registry)).filter((entry) => entry.id !== id)
    if (others.some((entry) => entry.topic === topic && entry.mode === mode)) {
      throw conflict('topic already has an entry with this mode')
    }
    const organizations = new Set(
      [topic, ...others.map((entry) => entry.topic)].map(organizationOf)
    )
    const known = [...organizations].filter((id) => id !== undefined)
    const tenants = await tenantsOf(registry, known)
    const tenantOf = (topic: string) => tenants.get(organizationOf(topic) ?? 0)
    const tenant = tenantOf(topic)
    const taken = others.filter((entry) => tenantOf(entry.topic) === tenant).length
    const most = tenant === undefined ? MAX_ENTRIES_OF_PLATFORM : MAX_ENTRIES_PER_TENANT
    if (taken >= most) {
      const whose = tenant === undefined ? 'the platform' : 'the organization with all below it'
      throw conflict(`${whose} has ${most} entries already`)
    }
  }

  /** A missing entry and an invisible one get the same answer. */
  async function find(registry: Registry, principal: Principal, id: number): Promise<EntryRecord> {
    const entry = await findBlacklistEntry(registry, id)
    if (!entry || !reaches(principal, entry.topic)) throw forbidden()
    return entry
  }

  const shown = (entry: EntryRecord): Static<typeof BlacklistEntry> => ({
    ...entry,
    count: entry.count + blacklist.counted(entry.id)
  })
}

/** Messages change the count. */
const lasting = ({ count: _, ...entry }: EntryRecord) => entry
