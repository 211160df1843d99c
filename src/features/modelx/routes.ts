import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App, Deps, Routes } from '../../deps.ts'
import { forbidden, notFound } from '../../http/errors.ts'
import { checkMatch, sendTag, tagged, tagOf } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { sendJsonParts, sendJsonText } from '../../http/json-text.ts'
import { readMetaFilters } from '../../http/meta-filters.ts'
import { Id, InstallationParams, Message, SilentQuery } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
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
import { onModelx } from '../../permission/guard.ts'
import { allows, type ModelxResource, typesAllowed } from '../../permission/modelx-types.ts'
import { may, type Principal } from '../../permission/principal.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import {
  changeModelx,
  findModelx,
  insertModelx,
  listModelx,
  type ModelxRef,
  type ModelxRow,
  removeModelx
} from '../../registry/modelx.ts'
import { mapsOf, metaTexts, modelxMeta } from '../../registry/modelx-meta.ts'
import type { ModelxKind } from '../../registry/tables.ts'
import { ModelXQuery, schemas } from './schema.ts'

type Model = {
  name: 'Function' | 'Device'
  resource: ModelxResource
  kind: ModelxKind
  param: string
}

export const functionxRoutes: Routes = (app, deps) =>
  modelRoutes(app, deps, {
    name: 'Function',
    resource: 'functionx',
    kind: 'function',
    param: 'functionx_id'
  })

export const devicexRoutes: Routes = (app, deps) =>
  modelRoutes(app, deps, {
    name: 'Device',
    resource: 'devicex',
    kind: 'device',
    param: 'devicex_id'
  })

/** [contract: ModelX] Functions and devices differ only in their names. */
function modelRoutes(app: App, deps: Deps, { name, resource, kind, param }: Model): void {
  const { registry, clock } = deps
  const tag = `${name}X`
  const tags = [tag]
  const { ModelX, NewModelX, ModelXUpdate } = schemas[name]
  const params = { installation_id: Id, [param]: Id }
  const one = { tags, params: Type.Object(params) }
  const url = `/:installation_id/:${param}`

  app.get(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: `list${name}s`,
        summary: `Every ${kind} of an installation, filtered by type and metadata`,
        params: InstallationParams,
        querystring: ModelXQuery,
        response: { 200: Type.Array(ModelX) }
      },
      config: { access: onModelx(resource, 'view') }
    },
    async (request, reply) => {
      const { principal, installation, types, query } = request
      const { type: typePatterns, ...others } = query
      const filters = readMetaFilters(others)
      const { sees } = rights(principal, installation)
      await deps.shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      const found = listModelx(
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
        operationId: `create${name}`,
        summary: `Create a ${kind}`,
        params: InstallationParams,
        querystring: SilentQuery,
        body: NewModelX,
        response: { 200: ModelX }
      },
      config: { access: onModelx(resource, 'add'), trace: creates(kind) }
    },
    async ({ principal, installation, types, body, query }, reply) => {
      const { sees, edits } = rights(principal, installation)
      if (!allows(types, body.type)) throw forbidden()
      const maps = given(body, ['meta', 'protected_meta'])
      checkNewMeta(maps, { sees, edits })
      const meta = metaTexts(replacedMeta({ meta: {}, protected_meta: {} }, maps))
      const fields = { type: body.type, ...meta }
      const object = await insertModelx(registry, kind, installation.id, fields, clock())
      if (!object) throw forbidden()
      await tell(installation, query.silent)
      return sendJsonText(reply, jsonOf(object, sees))
    }
  )

  app.get(
    url,
    {
      schema: {
        ...one,
        operationId: `get${name}`,
        faults: [404],
        summary: `One ${kind}`,
        response: { 200: ModelX }
      },
      config: { access: onModelx(resource, 'view') }
    },
    async (request, reply) => {
      const object = await requireModelx(request)
      const { text, tag } = answerOf(
        object,
        maySeeProtected(request.principal, request.installation)
      )
      sendTag(reply, tag)
      return sendJsonText(reply, text)
    }
  )

  app.put(
    url,
    {
      schema: {
        ...one,
        operationId: `update${name}`,
        faults: [404, 412],
        summary: `Update a ${kind}; fields that are missing or null keep their value`,
        querystring: SilentQuery,
        body: ModelXUpdate,
        response: { 200: ModelX }
      },
      config: { access: onModelx(resource, 'edit'), trace: updates(kind, param) }
    },
    async (request, reply) => {
      const { principal, installation, body, query } = request
      const { sees, edits } = rights(principal, installation)
      const change = (current: ModelxRow) => {
        const type = body.type ?? current.type
        checkType(request, current.type)
        if (!allows(request.types, type)) throw forbidden()
        checkMatch(request, jsonOf(current, sees))
        const maps = given(body, ['meta', 'protected_meta'])
        const old = mapsOf(current)
        leaveProtected(maps, (key) => Object.hasOwn(old.protected_meta, key), { sees, edits })
        return { type, ...metaTexts(replacedMeta(old, maps)) }
      }
      const object = await changeModelx(registry, refOf(request), change, clock())
      if (!object) throw notFound()
      await tell(installation, query.silent)
      return sendJsonText(reply, tagged(reply, jsonOf(object, sees)))
    }
  )

  app.delete(
    url,
    {
      schema: {
        ...one,
        operationId: `delete${name}`,
        faults: [404],
        summary: `Delete a ${kind}`,
        querystring: SilentQuery,
        response: { 200: Message }
      },
      config: { access: onModelx(resource, 'delete'), trace: deletes(kind, param) }
    },
    async (request) => {
      const check = ({ type }: ModelxRow) => checkType(request, type)
      if (!(await removeModelx(registry, refOf(request), check, clock()))) throw notFound()
      await tell(request.installation, request.query.silent)
      return { message: 'Deleted' }
    }
  )

  metaKeyRoutes(app, {
    tag,
    path: url,
    params,
    view: onModelx(resource, 'view'),
    edit: onModelx(resource, 'edit'),
    owner: { object: kind, param },
    find: async (request) => {
      await requireModelx(request)
      return {
        keys: modelxMeta(registry, refOf(request), clock),
        rights: rights(request.principal, request.installation)
      }
    },
    changed: ({ installation }) => tell(installation)
  })

  const tell = ({ client_id }: InstallationRef, silent?: boolean) =>
    tellChange(deps, { kind: resource, client_id }, silent)

  const viewProtected = `${resource}/view/protected_meta` as const
  const editProtected = `${resource}/edit/protected_meta` as const
  const maySeeProtected = (principal: Principal, installation: InstallationRef): boolean =>
    may(principal, viewProtected, installation)
  const rights = (principal: Principal, installation: InstallationRef): MetaRights => ({
    sees: maySeeProtected(principal, installation),
    edits: may(principal, editProtected, installation)
  })

  function refOf({ installation, params }: Pick<FastifyRequest, 'installation' | 'params'>) {
    const { [param]: id = 0 } = params as Record<string, number>
    return { kind, installation_id: installation.id, id } satisfies ModelxRef
  }

  async function requireModelx(request: Caller): Promise<ModelxRow> {
    const object = await findModelx(registry, refOf(request))
    if (!object) throw notFound()
    checkType(request, object.type)
    return object
  }

  /** An object of a type that the caller may not view is answered like a missing one. */
  function checkType({ principal, installation, types }: Caller, type: string): void {
    if (allows(types, type)) return
    throw allows(typesAllowed(principal, resource, 'view', installation), type)
      ? forbidden()
      : notFound()
  }
}

type Caller = Pick<FastifyRequest, 'principal' | 'installation' | 'types' | 'params'>
/** The registry stores metadata as JSON, so they are copied as text. */
const jsonOf = (object: ModelxRow, seesProtected: boolean): string =>
  `{"id":${object.id},"installation_id":${object.installation_id},"type":${JSON.stringify(object.type)},"meta":${object.meta}` +
  (seesProtected ? `,"protected_meta":${object.protected_meta}` : '') +
  `,"created":${toWholeSeconds(object.created)},"updated":${toWholeSeconds(object.updated)}}`

type Answer = { text: string; tag: string }
/** The registry answers the same row until something changes, and a row never changes. */
const answers = { whole: new WeakMap<ModelxRow, Answer>(), open: new WeakMap<ModelxRow, Answer>() }

function answerOf(object: ModelxRow, seesProtected: boolean): Answer {
  const known = seesProtected ? answers.whole : answers.open
  let answer = known.get(object)
  if (!answer) {
    const text = jsonOf(object, seesProtected)
    answer = { text, tag: tagOf(text) }
    known.set(object, answer)
  }
  return answer
}
