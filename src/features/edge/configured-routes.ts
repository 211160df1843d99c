import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, notFound } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { InstallationParams, Message, SilentQuery } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { configFault } from '../../lib/edge-config.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { tellChange } from '../../notify/change.ts'
import { onInstallation } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import {
  deleteInstance,
  type EdgeAppInstanceFields,
  type EdgeAppInstance as EdgeAppInstanceRow,
  findInstance,
  insertInstance,
  listInstances,
  updateInstance
} from './instances.ts'
import { EdgeAppInstance, EdgeAppInstanceBody, InstanceParams } from './schema.ts'
import { visibleApp, visibleVersion } from './visibility.ts'

export const edgeConfiguredRoutes: Routes = (app, deps) => {
  const { registry, clock } = deps
  const tags = ['Edge apps']
  const one = '/app/configured/:installation_id/:instance_id'

  app.get(
    '/app/configured/:installation_id',
    {
      schema: {
        tags,
        operationId: 'listEdgeAppInstances',
        summary: 'Apps configured on an installation',
        params: InstallationParams,
        response: { 200: Type.Array(EdgeAppInstance) }
      },
      config: { access: onInstallation('edge/app/configured/list') }
    },
    async ({ installation }) => (await listInstances(registry, installation.id)).map(shown)
  )

  app.post(
    '/app/configured/:installation_id',
    {
      schema: {
        tags,
        operationId: 'createEdgeAppInstance',
        summary: 'Configure an app on an installation',
        params: InstallationParams,
        querystring: SilentQuery,
        body: EdgeAppInstanceBody,
        response: { 200: EdgeAppInstance }
      },
      config: {
        access: onInstallation('edge/app/configured/create_delete'),
        trace: creates('edge_app_instance')
      }
    },
    async ({ principal, installation, body, query }) => {
      const fields = await checked(registry, principal, body)
      const instance = await insertInstance(registry, installation.id, fields, clock())
      await tell(installation, query.silent)
      return shown(instance)
    }
  )

  app.get(
    one,
    {
      schema: {
        tags,
        operationId: 'getEdgeAppInstance',
        summary: 'One app configured on an installation',
        faults: [404],
        params: InstanceParams,
        response: { 200: EdgeAppInstance }
      },
      config: { access: onInstallation('edge/app/configured/list') }
    },
    async ({ installation, params }, reply) => {
      const instance = await findInstance(registry, installation.id, params.instance_id)
      if (!instance) throw notFound()
      return tagged(reply, shown(instance))
    }
  )

  app.put(
    one,
    {
      schema: {
        tags,
        operationId: 'updateEdgeAppInstance',
        faults: [404, 412],
        summary: 'Change version, name or configuration of an app on an installation',
        params: InstanceParams,
        querystring: SilentQuery,
        body: EdgeAppInstanceBody,
        response: { 200: EdgeAppInstance }
      },
      config: {
        access: onInstallation('edge/app/configured/update'),
        trace: updates('edge_app_instance', 'instance_id')
      }
    },
    async (request, reply) => {
      const { principal, installation, params, body, query } = request
      const id = params.instance_id
      const instance = await inTransaction(registry, async (registry) => {
        const current = await findInstance(registry, installation.id, id)
        if (!current) throw notFound()
        checkMatch(request, shown(current))
        const fields = await checked(registry, principal, body, current)
        return updateInstance(registry, installation.id, id, fields, clock())
      })
      if (!instance) throw notFound()
      await tell(installation, query.silent)
      return tagged(reply, shown(instance))
    }
  )

  app.delete(
    one,
    {
      schema: {
        tags,
        operationId: 'deleteEdgeAppInstance',
        faults: [404],
        summary: 'Remove an app from an installation',
        params: InstanceParams,
        querystring: SilentQuery,
        response: { 200: Message }
      },
      config: {
        access: onInstallation('edge/app/configured/create_delete'),
        trace: deletes('edge_app_instance', 'instance_id')
      }
    },
    async ({ installation, params, query }) => {
      if (!(await deleteInstance(registry, installation.id, params.instance_id))) throw notFound()
      await tell(installation, query.silent)
      return { message: 'Deleted' }
    }
  )

  const tell = ({ client_id }: InstallationRef, silent?: boolean) =>
    tellChange(deps, { kind: 'edge_app', client_id }, silent)

  /** Checks that the caller can use the app and the version, and that `config` fits the inputs. */
  async function checked(
    registry: Registry,
    principal: Principal,
    { app_id, version, name, config }: Static<typeof EdgeAppInstanceBody>,
    current?: EdgeAppInstanceRow
  ): Promise<EdgeAppInstanceFields> {
    if (current && current.app_id !== app_id) throw badRequest('app_id cannot be changed')
    const edgeApp = await visibleApp(registry, principal, app_id)
    const found = await visibleVersion(registry, principal, edgeApp, version).catch(() => {
      throw badRequest('version must be the name or the hash of a version of the app')
    })
    const values = config ?? (current ? JSON.parse(current.config) : {})
    const fault = configFault(found.app_json, values)
    if (fault) throw badRequest(fault)
    return { app_id, version, name, config: JSON.stringify(values) }
  }
}

const shown = (row: EdgeAppInstanceRow): Static<typeof EdgeAppInstance> => ({
  ...row,
  config: JSON.parse(row.config),
  created: toWholeSeconds(row.created),
  updated: toWholeSeconds(row.updated)
})
