import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Deps, Routes } from '../../deps.ts'
import { removeInstallations } from '../../holding.ts'
import { badRequest, forbidden } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { each, sendList } from '../../http/json-text.ts'
import { readMetaFilters } from '../../http/meta-filters.ts'
import { Id, InstallationParams, Message, SilentQuery } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { isTimeZone } from '../../lib/calendar.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { metaKeyRoutes } from '../../metadata/key-routes.ts'
import { checkNewMeta, keepProtected, type MetaRights } from '../../metadata/protected.ts'
import { tellChange } from '../../notify/change.ts'
import { removeAndTell } from '../../notify/removed.ts'
import { mayHandOut } from '../../permission/delegation.ts'
import { onInstallation, permit, signedIn } from '../../permission/guard.ts'
import { holdsName, may, type Principal, scopeOf } from '../../permission/principal.ts'
import { usersVisibleTo } from '../../permission/visibility.ts'
import {
  findInstallation,
  type InstallationFields,
  type InstallationRecord,
  type InstallationRef,
  insertInstallation,
  listInstallations,
  readInstallationRefs,
  updateInstallation
} from '../../registry/installations.ts'
import { metaRows } from '../../registry/meta.ts'
import { rolesOf } from '../../registry/roles.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { visibleUsers } from '../../registry/users.ts'
import { Installation, InstallationUpdate, NewInstallation } from './schema.ts'

export const installationRoutes: Routes = (app, deps) => {
  const { registry, holdings, clock } = deps

  app.get(
    '/',
    {
      schema: {
        tags: ['Installation'],
        operationId: 'listInstallations',
        summary: 'Installations that the caller can see, filtered by metadata',
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
        operationId: 'createInstallation',
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
        operationId: 'getInstallation',
        summary: 'One installation',
        params: InstallationParams,
        response: { 200: Installation }
      },
      config: { access: onInstallation('installation/list') }
    },
    async ({ principal, params }, reply) => {
      const installation = await findInstallation(registry, params.installation_id)
      if (!installation) throw forbidden()
      return tagged(reply, shown(installation, principal))
    }
  )

  app.put(
    '/:installation_id',
    {
      schema: {
        tags: ['Installation'],
        operationId: 'updateInstallation',
        faults: [412],
        summary: 'Update an installation; fields that are missing or null keep their value',
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
    async (request, reply) => {
      const { principal, installation, body, query } = request
      const now = clock()
      await inTransaction(registry, async (registry) => {
        const current = await findInstallation(registry, installation.id)
        if (current) checkMatch(request, shown(current, principal))
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
        for (const { zoneChanged } of holdings) await zoneChanged?.(registry, installation.id, now)
      }
      return tagged(reply, await answerChanged(installation.id, principal, query.silent))
    }
  )

  app.delete(
    '/:installation_id',
    {
      schema: {
        tags: ['Installation'],
        operationId: 'deleteInstallation',
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
      const remove = async (registry: Registry) => {
        // Another request may have deleted it since this one was let in.
        const found = await readInstallationRefs(registry, [installation.id])
        if (found.length === 0) throw forbidden()
        await removeInstallations(holdings, registry, [installation.id], clock())
        return found
      }
      await removeAndTell(deps, remove, query.silent)
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
    // The MQTT rules must know the installation before its notification is sent.
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

/** Returns the given fields after checking them. Ids and times in the body are ignored. */
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
 * A new user must be visible to the caller and have no more rights than the caller, because the
 * assignment gives access to the installation. Assigned users that the caller cannot see stay.
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
