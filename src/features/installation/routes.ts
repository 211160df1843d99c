import type { Static } from 'typebox'
import { Type } from 'typebox'
import { mayHandOut } from '../../access/delegation.ts'
import { onInstallation, permit, signedIn } from '../../access/guard.ts'
import { holdsName, may, type Principal, scopeOf } from '../../access/principal.ts'
import { creates, deletes, updates } from '../../access/trace.ts'
import { usersVisibleTo } from '../../access/visibility.ts'
import type { Deps, Routes } from '../../deps.ts'
import { badRequest, forbidden } from '../../http/errors.ts'
import { given } from '../../http/given.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { each, sendList } from '../../http/json-text.ts'
import { readMetaFilters } from '../../http/meta-filters.ts'
import { Id, InstallationParams, Message, SilentQuery } from '../../http/schema.ts'
import { isTimeZone } from '../../lib/calendar.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { metaKeyRoutes } from '../../metadata/key-routes.ts'
import { checkNewMeta, keepProtected, type MetaRights } from '../../metadata/protected.ts'
import { tellChange } from '../../notify/change.ts'
import { tellRemoved } from '../../notify/removed.ts'
import {
  findInstallation,
  type InstallationFields,
  type InstallationRecord,
  type InstallationRef,
  insertInstallation,
  listInstallations,
  removeInstallations,
  updateInstallation
} from '../../registry/installations.ts'
import { metaRows } from '../../registry/meta.ts'
import { rolesOf } from '../../registry/roles.ts'
import { replanSchedules } from '../../registry/schedules.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { visibleUsers } from '../../registry/users.ts'
import { Installation, InstallationUpdate, NewInstallation } from './schema.ts'

export const installationRoutes: Routes = (app, deps) => {
  const { registry, clock } = deps

  app.get(
    '/',
    {
      schema: {
        tags: ['Installation'],
        summary: 'Installations the caller can see, filtered by metadata',
        querystring: Type.Object({}, { additionalProperties: true }),
        response: { 200: Type.Array(Installation) }
      },
      config: { access: signedIn }
    },
    async (request, reply) => {
      const { principal, query } = request
      const found = listInstallations(registry, scopeOf(principal, 'installation/list'), {
        filter: { meta: readMetaFilters(query) },
        seesProtected: scopeOf(principal, 'installation/view/protected_meta')
      })
      await deps.shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      return sendList(
        reply,
        each(found, (installation) => shown(installation, principal))
      )
    }
  )

  app.post(
    '/',
    {
      schema: {
        tags: ['Installation'],
        summary: 'Create an installation',
        querystring: SilentQuery,
        body: NewInstallation,
        response: { 200: Installation }
      },
      config: { access: permit('installation/create'), trace: creates('installation') }
    },
    async ({ principal, body, query }) => {
      const [firstOrganization] = principal.organizationIds
      const organization_id = body.organization_id || firstOrganization
      if (organization_id === undefined) throw badRequest('organization_id is required')
      if (!principal.organizationsBelow.has(organization_id)) throw forbidden()
      const fields = await checked(deps, principal, body, [])
      const edits = holdsName(principal, 'installation/edit/protected_meta/all')
      checkNewMeta(fields, { sees: edits, edits })
      const now = clock()
      const id = await inTransaction(registry, (registry) =>
        insertInstallation(registry, { ...fields, name: body.name, organization_id }, now)
      )
      return answerChanged(id, principal, query.silent)
    }
  )

  app.get(
    '/:installation_id',
    {
      schema: {
        tags: ['Installation'],
        params: InstallationParams,
        response: { 200: Installation }
      },
      config: { access: onInstallation('installation/list') }
    },
    async ({ principal, params }) => {
      const installation = await findInstallation(registry, params.installation_id)
      if (!installation) throw forbidden()
      return shown(installation, principal)
    }
  )

  app.put(
    '/:installation_id',
    {
      schema: {
        tags: ['Installation'],
        summary: 'Update an installation; what is missing or null is kept',
        params: InstallationParams,
        querystring: SilentQuery,
        body: InstallationUpdate,
        response: { 200: Installation }
      },
      config: {
        access: onInstallation('installation/update'),
        trace: updates('installation', 'installation_id')
      }
    },
    async ({ principal, installation, body, query }) => {
      const now = clock()
      await inTransaction(registry, async (registry) => {
        const current = await findInstallation(registry, installation.id)
        const scope = { ...deps, registry }
        const fields = await checked(scope, principal, body, current?.users ?? [])
        if (body.organization_id) {
          const moves = body.organization_id !== installation.organization_id
          const ends = [body.organization_id, installation.organization_id]
          if (moves && !ends.every((id) => principal.organizationsBelow.has(id))) throw forbidden()
          fields.organization_id = body.organization_id
        }
        const owner = { kind: 'installation', id: installation.id } as const
        await keepProtected(registry, owner, fields, rights(principal, installation))
        await updateInstallation(registry, installation.id, fields, now)
      })
      if (typeof body.timezone === 'string') {
        await replanSchedules(registry, deps.timezone, now, installation.id)
      }
      return answerChanged(installation.id, principal, query.silent)
    }
  )

  app.delete(
    '/:installation_id',
    {
      schema: {
        tags: ['Installation'],
        summary: 'Delete an installation, its objects and its history',
        params: InstallationParams,
        querystring: SilentQuery,
        response: { 200: Message }
      },
      config: {
        access: onInstallation('installation/delete'),
        trace: deletes('installation', 'installation_id')
      }
    },
    async ({ installation, query }) => {
      await inTransaction(registry, (registry) =>
        removeInstallations(registry, [installation.id], clock())
      )
      await tellRemoved(deps, [installation], query.silent)
      return { message: 'Deleted' }
    }
  )

  metaKeyRoutes(app, {
    tag: 'Installation',
    path: '/:installation_id',
    params: { installation_id: Id },
    view: onInstallation('installation/list'),
    edit: onInstallation('installation/update'),
    owner: { object: 'installation', param: 'installation_id' },
    find: async ({ principal, installation }) => ({
      keys: metaRows(registry, 'installation', installation.id),
      rights: rights(principal, installation)
    }),
    changed: ({ installation: { client_id } }) =>
      tellChange(deps, { kind: 'installation', client_id })
  })

  async function answerChanged(id: number, principal: Principal, silent: boolean | undefined) {
    // The rules of MQTT must know the installation before its news goes out.
    await deps.directory.catchUp()
    const installation = await findInstallation(registry, id)
    if (!installation) throw forbidden()
    await tellChange(deps, { kind: 'installation', client_id: installation.client_id }, silent)
    return shown(installation, principal)
  }
}

const shown = (
  { protected_meta, capabilities: _, ...installation }: InstallationRecord & { updated?: number },
  principal: Principal
): Static<typeof Installation> => ({
  ...installation,
  created: toWholeSeconds(installation.created),
  ...(rights(principal, installation).sees && { protected_meta })
})

/** The fields that were given, each one allowed and sound; ids and times in the body are noise. */
async function checked(
  deps: Deps,
  principal: Principal,
  body: Static<typeof InstallationUpdate>,
  assigned: readonly number[]
): Promise<InstallationFields> {
  const fields: InstallationFields = given(body, [
    'name',
    'notes',
    'timezone',
    'meta',
    'protected_meta'
  ])
  if (fields.timezone && !isTimeZone(fields.timezone)) {
    throw badRequest('timezone must be an IANA time zone')
  }
  if (body.users) {
    fields.users = await assignments(deps, principal, body.users, assigned)
  }
  return fields
}

/**
 * Who is added must be visible to the caller, with a role that the caller holds: it opens the
 * installation. Who is assigned and is not visible stays.
 */
async function assignments(
  { registry, directory }: Deps,
  principal: Principal,
  given: readonly number[],
  current: readonly number[]
): Promise<number[]> {
  const scope = usersVisibleTo(principal)
  const visible = await visibleUsers(registry, [...given, ...current], scope)
  const added = given.filter((id) => !current.includes(id))
  if (!added.every((id) => visible.has(id))) throw forbidden()
  const roles = await rolesOf(registry, added)
  if (!roles.every((role) => mayHandOut(principal, directory, role))) throw forbidden()
  return [...new Set([...given, ...current.filter((id) => !visible.has(id))])]
}

const rights = (principal: Principal, installation: InstallationRef): MetaRights => ({
  sees: may(principal, 'installation/view/protected_meta', installation),
  edits: may(principal, 'installation/edit/protected_meta', installation)
})
