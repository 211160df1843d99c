import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, forbidden, notFound, usedByOutput } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import type { Executors } from '../../outbound/executors.ts'
import { onInstallation, permit } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import { inTransaction } from '../../registry/transaction.ts'
import type { NotificationDeps } from './deps.ts'
import {
  deleteExecutor,
  type ExecutorRecord,
  findExecutor,
  findInstallationExecutor,
  insertExecutor,
  listExecutors,
  listInstallationExecutors,
  updateExecutor
} from './executors.ts'
import { checkSize } from './rendering.ts'
import {
  ExecutorParams,
  ExecutorUpdate,
  InstallationExecutorParams,
  NewExecutor,
  NotificationExecutor
} from './schema.ts'

const MAX_EXECUTORS = 100
const tags = ['Notification']

/** The executors that an installation may send to. */
export const installationExecutorRoutes: Routes = (app, { registry }) => {
  app.get(
    '/:installation_id/executor',
    {
      schema: {
        tags,
        operationId: 'listInstallationExecutors',
        summary: "Executors of the installation's organization and those above it",
        params: InstallationParams,
        response: { 200: Type.Array(NotificationExecutor) }
      },
      config: { access: onInstallation('notification/executor/list') }
    },
    async ({ installation }) =>
      (await listInstallationExecutors(registry, installation.id)).map(forSenders)
  )

  app.get(
    '/:installation_id/executor/:executor_id',
    {
      schema: {
        tags,
        operationId: 'getInstallationExecutor',
        summary: 'One executor that an installation can use',
        faults: [404],
        params: InstallationExecutorParams,
        response: { 200: NotificationExecutor }
      },
      config: { access: onInstallation('notification/executor/list') }
    },
    async ({ installation, params }) => {
      const executor = await findInstallationExecutor(registry, installation.id, params.executor_id)
      if (!executor) throw notFound()
      return forSenders(executor)
    }
  )
}

/** For callers who manage the executors of their organizations and below. */
export const executorRoutes: Routes<NotificationDeps> = (app, { registry, clock, executors }) => {
  const manage = permit('notification/executor/manage')

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: 'listExecutors',
        summary: 'Executors of the organizations that the caller can see',
        response: { 200: Type.Array(NotificationExecutor) }
      },
      config: { access: manage }
    },
    async ({ principal }) => (await listExecutors(registry, reach(principal))).map(forManagers)
  )

  app.post(
    '/',
    {
      schema: {
        tags,
        operationId: 'createExecutor',
        summary: 'Create an executor; the platform calls `config.url`',
        body: NewExecutor,
        response: { 200: NotificationExecutor }
      },
      config: { access: manage, trace: creates('output_executor') }
    },
    async ({ principal, body: { name, type, config, secret, ...body } }) => {
      const organization_id = body.organization_id || principal.organizationIds[0]
      if (!organization_id || !principal.organizationsBelow.has(organization_id)) throw forbidden()
      checkConfig(config, executors)
      const executor = await insertExecutor(
        registry,
        { name, type: type || 'http', organization_id, config, secret: secret ?? '' },
        { most: MAX_EXECUTORS, now: clock() }
      )
      if (!executor) throw badRequest(`an organization has at most ${MAX_EXECUTORS} executors`)
      return forManagers(executor)
    }
  )

  app.get(
    '/:executor_id',
    {
      schema: {
        tags,
        operationId: 'getExecutor',
        summary: 'One executor',
        params: ExecutorParams,
        response: { 200: NotificationExecutor }
      },
      config: { access: manage }
    },
    async ({ principal, params }, reply) => {
      const executor = await findExecutor(registry, reach(principal), params.executor_id)
      if (!executor) throw forbidden()
      return tagged(reply, forManagers(executor))
    }
  )

  app.put(
    '/:executor_id',
    {
      schema: {
        tags,
        operationId: 'updateExecutor',
        faults: [412],
        summary: 'Update an executor; fields that are missing or null keep their value',
        params: ExecutorParams,
        body: ExecutorUpdate,
        response: { 200: NotificationExecutor }
      },
      config: { access: manage, trace: updates('output_executor', 'executor_id') }
    },
    async (request, reply) => {
      const { principal, params, body } = request
      const fields = given(body, ['name', 'type', 'organization_id', 'config', 'secret'])
      const { organization_id, type, ...others } = fields
      if (organization_id && !principal.organizationsBelow.has(organization_id)) throw forbidden()
      if (others.config) checkConfig(others.config, executors)
      const changes = {
        ...others,
        ...(type && { type }),
        ...(organization_id && { organization_id }),
        updated: clock()
      }
      const executor = await inTransaction(registry, async (registry) => {
        const current = await findExecutor(registry, reach(principal), params.executor_id)
        if (current) checkMatch(request, forManagers(current))
        return updateExecutor(registry, reach(principal), params.executor_id, changes)
      })
      if (!executor) throw forbidden()
      return tagged(reply, forManagers(executor))
    }
  )

  app.delete(
    '/:executor_id',
    {
      schema: {
        tags,
        operationId: 'deleteExecutor',
        faults: [409],
        summary: 'Delete an executor that no output uses',
        params: ExecutorParams,
        response: { 200: Message }
      },
      config: { access: manage, trace: deletes('output_executor', 'executor_id') }
    },
    async ({ principal, params }) => {
      const outcome = await deleteExecutor(registry, reach(principal), params.executor_id)
      if (outcome === 'missing') throw forbidden()
      if (outcome === 'used') throw usedByOutput()
      return { message: 'Deleted' }
    }
  )
}

const reach = ({ organizationsBelow }: Principal): number[] => [...organizationsBelow]

/** An address in the URL is checked here. A name is checked at every call. */
function checkConfig(config: Readonly<Record<string, string>>, executors: Executors): void {
  checkSize(config)
  const written = Object.hasOwn(config, 'url') ? config['url'] : undefined
  if (!written) throw badRequest('config.url is required')
  const fault = executors.urlFault(written)
  if (fault) throw badRequest(`config.url ${fault}`)
}

const forManagers = ({
  created: _,
  updated: __,
  ...executor
}: ExecutorRecord): Static<typeof NotificationExecutor> => executor

/** Senders do not see the URL and the secret. */
function forSenders(executor: ExecutorRecord): Static<typeof NotificationExecutor> {
  const { secret: _, config, ...visible } = forManagers(executor)
  const { url: __, ...others } = config
  return { ...visible, config: others }
}
