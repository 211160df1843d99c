import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { forbidden } from '../../http/errors.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { each, sendList } from '../../http/json-text.ts'
import { Id } from '../../http/schema.ts'
import { signedIn } from '../../permission/guard.ts'
import { may, type Principal, scopeOf } from '../../permission/principal.ts'
import {
  findInstallation,
  type InstallationRecord,
  listInstallations
} from '../../registry/installations.ts'
import { AssignedQuery, InstallationInfo, InstallationInfoQuery } from './schema.ts'

export const installationInfoRoutes: Routes = (app, { registry, directory, shares }) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['InstallationInfo'],
        operationId: 'listInstallationInfo',
        summary: 'Installations that the caller can see',
        querystring: InstallationInfoQuery,
        response: { 200: Type.Array(InstallationInfo) }
      },
      config: { access: signedIn }
    },
    async (request, reply) => {
      const { principal, query } = request
      const seesAll = principal.grants.covers('installation/list/all')
      const assigned = query.assigned ?? query.assigned_only ?? !seesAll
      const scope = scopeOf(principal, 'installation/list')
      const filter = { organizationIds: query.organization_id, meta: [] }
      const found = listInstallations(registry, scope, { filter, seesProtected: nothing })
      await shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      return sendList(
        reply,
        each(found, (installation) => {
          const info = infoOf(installation, principal)
          return assigned && !info.assigned ? undefined : info
        })
      )
    }
  )

  app.get(
    '/:client_id',
    {
      schema: {
        tags: ['InstallationInfo'],
        operationId: 'getInstallationInfo',
        faults: [403],
        summary: 'One installation by its MQTT identifier',
        params: Type.Object({ client_id: Id }),
        querystring: AssignedQuery,
        response: { 200: InstallationInfo }
      },
      config: { access: signedIn }
    },
    async ({ principal, params, query }) => {
      const ref = directory.installationByClientId(params.client_id)
      if (!ref || !may(principal, 'installation/list', ref)) throw forbidden()
      const isAssignedOnly = query.assigned ?? query.assigned_only ?? false
      if (isAssignedOnly && !principal.assigned.has(ref.id)) throw forbidden()
      const installation = await findInstallation(registry, ref.id)
      if (!installation) throw forbidden()
      return infoOf(installation, principal)
    }
  )
}

const nothing = { organizationIds: [], installationIds: [] }

const infoOf = (
  { id, name, client_id, organization_id, capabilities }: InstallationRecord,
  principal: Principal
): Static<typeof InstallationInfo> => ({
  id,
  name,
  client_id,
  organization_id,
  capabilities,
  assigned: principal.assigned.has(id)
})
