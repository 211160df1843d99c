import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { onObjects } from '../../access/guard.ts'
import { allows, type ObjectResource, typesAllowed } from '../../access/object-types.ts'
import { may, type Principal } from '../../access/principal.ts'
import { creates, deletes, updates } from '../../access/trace.ts'
import type { App, Deps, Routes } from '../../deps.ts'
import { forbidden, notFound } from '../../http/errors.ts'
import { given } from '../../http/given.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { sendJsonParts, sendJsonText } from '../../http/json-text.ts'
import { readMetaFilters } from '../../http/meta-filters.ts'
import { Id, InstallationParams, Message, SilentQuery } from '../../http/schema.ts'
import { mayMatch, metaMatcher } from '../../lib/meta-filter.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { metaKeyRoutes } from '../../metadata/key-routes.ts'
import {
  checkNewMeta,
  leaveProtected,
  type MetaRights,
  replacedMeta
} from '../../metadata/protected.ts'
import { tellChange } from '../../notify/change.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { mapsOf, metaTexts, objectMeta } from '../../registry/object-meta.ts'
import {
  changeObject,
  findObject,
  insertObject,
  listObjects,
  type ObjectRef,
  removeObject,
  type StoredObject
} from '../../registry/objects.ts'
import type { ObjectKind } from '../../registry/tables.ts'
import { ModelX, ModelXQuery, ModelXUpdate, NewModelX } from './schema.ts'

type Model = { tag: string; resource: ObjectResource; kind: ObjectKind; param: string }

export const functionxRoutes: Routes = (app, deps) =>
  modelRoutes(app, deps, {
    tag: 'FunctionX',
    resource: 'functionx',
    kind: 'function',
    param: 'functionx_id'
  })

export const devicexRoutes: Routes = (app, deps) =>
  modelRoutes(app, deps, {
    tag: 'DeviceX',
    resource: 'devicex',
    kind: 'device',
    param: 'devicex_id'
  })

/** [contract: ModelX] Functions and devices differ in their names alone. */
function modelRoutes(app: App, deps: Deps, { tag, resource, kind, param }: Model): void {
  const { registry, clock } = deps
  const tags = [tag]
  const params = { installation_id: Id, [param]: Id }
  const one = { tags, params: Type.Object(params) }
  const url = `/:installation_id/:${param}`

  app.get(
    '/:installation_id',
    {
      schema: {
        tags,
        summary: `Every ${kind} of an installation, filtered by type and metadata`,
        params: InstallationParams,
        querystring: ModelXQuery,
        response: { 200: Type.Array(ModelX) }
      },
      config: { access: onObjects(resource, 'view') }
    },
    async (request, reply) => {
      const { principal, installation, types, query } = request
      const { type: typePatterns, ...others } = query
      const filters = readMetaFilters(others)
      const { sees } = rights(principal, installation)
      await deps.shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      const found = listObjects(
        registry,
        { kind, installation_id: installation.id },
        { typePatterns, types: types === 'all' ? undefined : [...types] }
      )
      const matches = metaMatcher(filters)
      const mayBe = mayMatch(filters)
      return sendJsonParts(reply, found, (object) => {
        if (filters.length === 0) return jsonOf(object, sees)
        if (!mayBe(sees ? object.meta + object.protected_meta : object.meta)) return undefined
        const { meta, protected_meta } = mapsOf(object)
        const isWanted = sees ? matches(meta, protected_meta) : matches(meta)
        return isWanted ? jsonOf(object, sees) : undefined
      })
    }
  )

  app.post(
    '/:installation_id',
    {
      schema: {
        tags,
        summary: `Create a ${kind}`,
        params: InstallationParams,
        querystring: SilentQuery,
        body: NewModelX,
        response: { 200: ModelX }
      },
      config: { access: onObjects(resource, 'add'), trace: creates(kind) }
    },
    async ({ principal, installation, types, body, query }, reply) => {
      const { sees, edits } = rights(principal, installation)
      if (!allows(types, body.type)) throw forbidden()
      const maps = given(body, ['meta', 'protected_meta'])
      checkNewMeta(maps, { sees, edits })
      const meta = metaTexts(replacedMeta({ meta: {}, protected_meta: {} }, maps))
      const fields = { type: body.type, ...meta }
      const object = await insertObject(registry, kind, installation.id, fields, clock())
      if (!object) throw forbidden()
      await tell(installation, query.silent)
      return sendJsonText(reply, jsonOf(object, sees))
    }
  )

  app.get(
    url,
    {
      schema: { ...one, summary: `One ${kind}`, response: { 200: ModelX } },
      config: { access: onObjects(resource, 'view') }
    },
    async (request, reply) => {
      const object = await requireObject(request)
      return sendJsonText(
        reply,
        jsonOf(object, rights(request.principal, request.installation).sees)
      )
    }
  )

  app.put(
    url,
    {
      schema: {
        ...one,
        summary: `Update a ${kind}; what is missing or null is kept`,
        querystring: SilentQuery,
        body: ModelXUpdate,
        response: { 200: ModelX }
      },
      config: { access: onObjects(resource, 'edit'), trace: updates(kind, param) }
    },
    async (request, reply) => {
      const { principal, installation, body, query } = request
      const { sees, edits } = rights(principal, installation)
      const change = (current: StoredObject) => {
        const type = body.type ?? current.type
        checkType(request, current.type)
        if (!allows(request.types, type)) throw forbidden()
        const maps = given(body, ['meta', 'protected_meta'])
        const old = mapsOf(current)
        leaveProtected(maps, (key) => Object.hasOwn(old.protected_meta, key), { sees, edits })
        return { type, ...metaTexts(replacedMeta(old, maps)) }
      }
      const object = await changeObject(registry, refOf(request), change, clock())
      if (!object) throw notFound()
      await tell(installation, query.silent)
      return sendJsonText(reply, jsonOf(object, sees))
    }
  )

  app.delete(
    url,
    {
      schema: {
        ...one,
        summary: `Delete a ${kind}`,
        querystring: SilentQuery,
        response: { 200: Message }
      },
      config: { access: onObjects(resource, 'delete'), trace: deletes(kind, param) }
    },
    async (request) => {
      const check = ({ type }: StoredObject) => checkType(request, type)
      if (!(await removeObject(registry, refOf(request), check))) throw notFound()
      await tell(request.installation, request.query.silent)
      return { message: 'Deleted' }
    }
  )

  metaKeyRoutes(app, {
    tag,
    path: url,
    params,
    view: onObjects(resource, 'view'),
    edit: onObjects(resource, 'edit'),
    owner: { object: kind, param },
    find: async (request) => {
      await requireObject(request)
      return {
        keys: objectMeta(registry, refOf(request), clock),
        rights: rights(request.principal, request.installation)
      }
    },
    changed: ({ installation }) => tell(installation)
  })

  const tell = ({ client_id }: InstallationRef, silent?: boolean) =>
    tellChange(deps, { kind: resource, client_id }, silent)

  const rights = (principal: Principal, installation: InstallationRef): MetaRights => ({
    sees: may(principal, `${resource}/view/protected_meta`, installation),
    edits: may(principal, `${resource}/edit/protected_meta`, installation)
  })

  function refOf({ installation, params }: Pick<FastifyRequest, 'installation' | 'params'>) {
    const { [param]: id = 0 } = params as Record<string, number>
    return { kind, installation_id: installation.id, id } satisfies ObjectRef
  }

  async function requireObject(request: Caller): Promise<StoredObject> {
    const object = await findObject(registry, refOf(request))
    if (!object) throw notFound()
    checkType(request, object.type)
    return object
  }

  /** An object of a type that the caller may not even look at is not there. */
  function checkType({ principal, installation, types }: Caller, type: string): void {
    if (allows(types, type)) return
    throw allows(typesAllowed(principal, resource, 'view', installation), type)
      ? forbidden()
      : notFound()
  }
}

type Caller = Pick<FastifyRequest, 'principal' | 'installation' | 'types' | 'params'>
/** Metadata are JSON in the registry already. */
const jsonOf = (object: StoredObject, seesProtected: boolean): string =>
  `{"id":${object.id},"installation_id":${object.installation_id},"type":${JSON.stringify(object.type)},"meta":${object.meta}` +
  (seesProtected ? `,"protected_meta":${object.protected_meta}` : '') +
  `,"created":${toWholeSeconds(object.created)},"updated":${toWholeSeconds(object.updated)}}`
