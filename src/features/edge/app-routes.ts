import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { conflict, forbidden } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { Id, Message } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { onOrganization, permit } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import { reachesEverything } from '../../permission/visibility.ts'
import { findOrganization } from '../../registry/organizations.ts'
import { inTransaction } from '../../registry/transaction.ts'
import {
  deleteEdgeApp,
  type EdgeAppFields,
  type EdgeAppRecord,
  findEdgeApp,
  insertEdgeApp,
  listEdgeApps,
  updateEdgeApp
} from './apps.ts'
import { AppParams, EdgeApp, EdgeAppUpdate, EdgeAppUpdateById, NewEdgeApp } from './schema.ts'
import { appsVisibleTo, ownApp, visibleApp } from './visibility.ts'

export const edgeAppRoutes: Routes = (app, { registry, clock }) => {
  const tags = ['Edge apps']

  app.get(
    '/app',
    {
      schema: {
        tags,
        operationId: 'listEdgeApps',
        summary: 'Apps that the caller can use or publishes',
        response: { 200: Type.Array(EdgeApp) }
      },
      config: { access: permit('edge/app/list') }
    },
    async ({ principal }) =>
      (await listEdgeApps(registry, appsVisibleTo(principal))).map((one) => shown(one))
  )

  app.post(
    '/app',
    {
      schema: {
        tags,
        operationId: 'createEdgeApp',
        summary: 'Create an app',
        body: NewEdgeApp,
        response: { 200: EdgeApp }
      },
      config: { access: permit('edge/app/create'), trace: creates('edge_app') }
    },
    async ({ principal, body }) => {
      const publisher = body.publisher.id
      if (!principal.organizationsBelow.has(publisher)) throw forbidden()
      const fields = { ...nothing, ...givenFields(body), name: body.name }
      checkOfficial(principal, false, fields.official)
      return answer(await insertEdgeApp(registry, publisher, fields, clock()))
    }
  )

  app.get(
    '/app/:app_id',
    {
      schema: {
        tags,
        operationId: 'getEdgeApp',
        summary: 'One app',
        params: AppParams,
        response: { 200: EdgeApp }
      },
      config: { access: permit('edge/app/list') }
    },
    async ({ principal, params }, reply) =>
      tagged(reply, shown(await visibleApp(registry, principal, params.app_id)))
  )

  const put = {
    schema: {
      tags,
      summary: 'Update an app; fields that are missing or null keep their value',
      faults: [412]
    },
    config: { access: permit('edge/app/update'), trace: updates('edge_app', 'app_id') }
  }
  app.put(
    '/app',
    {
      schema: {
        ...put.schema,
        operationId: 'updateEdgeApp',
        body: EdgeAppUpdateById,
        response: { 200: EdgeApp }
      },
      config: { ...put.config, trace: { ...put.config.trace, id: 'body' } }
    },
    (request, reply) => update(request, reply, request.body.id, request.body)
  )
  app.put(
    '/app/:app_id',
    {
      ...put,
      schema: {
        ...put.schema,
        operationId: 'updateEdgeAppById',
        params: AppParams,
        body: EdgeAppUpdate,
        response: { 200: EdgeApp }
      }
    },
    (request, reply) => update(request, reply, request.params.app_id, request.body)
  )

  app.delete(
    '/app/:app_id',
    {
      schema: {
        tags,
        operationId: 'deleteEdgeApp',
        faults: [409],
        summary: 'Delete an app with its versions; 409 while an installation uses it',
        params: AppParams,
        response: { 200: Message }
      },
      config: { access: permit('edge/app/update'), trace: deletes('edge_app', 'app_id') }
    },
    async ({ principal, params }) => {
      const { id, official, publisher } = await ownApp(registry, principal, params.app_id)
      checkOfficial(principal, official, false)
      const outcome = await deleteEdgeApp(registry, publisher.id, id)
      if (outcome === 'missing') throw forbidden()
      if (outcome === 'used') throw conflict('an installation has the app')
      return { message: 'Deleted' }
    }
  )

  app.get(
    '/app/organization/:organization_id',
    {
      schema: {
        tags,
        operationId: 'listOrganizationEdgeApps',
        summary: 'Apps that an organization publishes, or all that it can use',
        params: Type.Object({ organization_id: Id }),
        querystring: Type.Object({
          available: Type.Optional(
            Type.Boolean({ default: false, description: 'true: include public apps of others' })
          )
        }),
        response: { 200: Type.Array(EdgeApp) }
      },
      config: { access: onOrganization('edge/app/list') }
    },
    async ({ params, query }) => {
      const publisherIds = [params.organization_id]
      const scope = { publisherIds, isPublicToo: query.available === true }
      return (await listEdgeApps(registry, scope)).map((one) => shown(one))
    }
  )

  app.get(
    '/publisher/:publisher_id',
    {
      schema: {
        tags,
        operationId: 'getEdgePublisher',
        summary: 'A publisher, and its apps that the caller can see',
        params: Type.Object({ publisher_id: Id }),
        response: {
          200: Type.Object(
            {
              id: Type.Integer(),
              name: Type.String(),
              apps: Type.Array(EdgeApp)
            },
            { title: 'EdgePublisher' }
          )
        }
      },
      config: { access: permit('edge/app/list') }
    },
    async ({ principal, params: { publisher_id } }) => {
      const visible = await listEdgeApps(registry, appsVisibleTo(principal))
      const apps = visible.filter(({ publisher }) => publisher.id === publisher_id)
      const isKnown = apps.length > 0 || principal.organizationsBelow.has(publisher_id)
      const organization = isKnown && (await findOrganization(registry, publisher_id))
      if (!organization) throw forbidden()
      return { id: publisher_id, name: organization.name, apps: apps.map((one) => shown(one)) }
    }
  )

  async function update(
    request: Pick<FastifyRequest, 'principal' | 'headers'>,
    reply: FastifyReply,
    id: number,
    body: Static<typeof EdgeAppUpdate>
  ) {
    const { principal } = request
    const fields = givenFields(body)
    await inTransaction(registry, async (registry) => {
      const current = await ownApp(registry, principal, id)
      checkMatch(request, shown(current))
      checkOfficial(principal, current.official, fields.official ?? current.official)
      await updateEdgeApp(registry, id, fields, clock())
    })
    return tagged(reply, await answer(id))
  }

  async function answer(id: number) {
    const record = await findEdgeApp(registry, id)
    if (!record) throw forbidden()
    return shown(record)
  }
}

const nothing: EdgeAppFields = {
  name: '',
  category: '',
  tags: [],
  short_description: '',
  description: '',
  source_url: '',
  official: false,
  public: false
}

function givenFields(body: Static<typeof EdgeAppUpdate>): Partial<EdgeAppFields> {
  return given(body, [
    'name',
    'category',
    'tags',
    'short_description',
    'description',
    'source_url',
    'official',
    'public'
  ])
}

/** Only an administrator of the whole platform may change whether an app is official. */
function checkOfficial(principal: Principal, was: boolean, now: boolean): void {
  const { grants, limit } = principal
  const isAdministrator = grants.coversPattern('#') && limit === undefined
  if (was !== now && !(isAdministrator && reachesEverything(principal))) throw forbidden()
}

const shown = ({ isPublished: _, ...app }: EdgeAppRecord): Static<typeof EdgeApp> => ({
  ...app,
  tags: [...app.tags],
  created: toWholeSeconds(app.created),
  updated: toWholeSeconds(app.updated)
})
