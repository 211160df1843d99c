import type { FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { App } from '../deps.ts'
import { badRequest, duplicateKey, forbidden, notFound } from '../http/errors.ts'
import { Maybe, Message, MetaValue, SilentQuery } from '../http/schema.ts'
import { updates } from '../http/traced.ts'
import type { TraceObject } from '../lib/trace.ts'
import type { RouteAccess } from '../permission/route-access.ts'
import type { MetaKey, MetaStore } from '../registry/meta.ts'
import type { MetaRights } from './protected.ts'

const MetaX = Type.Object({ value: Type.String(), protected: Type.Boolean() }, { title: 'MetaX' })
const MetaXBody = Type.Object(
  {
    value: MetaValue,
    protected: Maybe(
      Type.Boolean({ description: 'Missing: false in a new key; an old one keeps it' })
    )
  },
  { title: 'MetaXUpdate' }
)
const MAX_KEY_LENGTH = 255
const MAX_TRIES = 5

type PutRequest = FastifyRequest<{
  Body: Static<typeof MetaXBody>
  Querystring: { create_missing?: boolean }
}>

type Mount = {
  tag: string
  /** The path before `/meta/`, and the schemas of its parameters. */
  path: string
  params: Record<string, TSchema>
  view: RouteAccess
  edit: RouteAccess
  /** The owner of the keys, and the path parameter with its id. */
  owner: { object: TraceObject; param: string }
  /** Finds the keys of the owner that the path names, and the caller's rights on them. */
  find: (request: FastifyRequest) => Promise<{ keys: MetaStore; rights: MetaRights }>
  /** Sends the update notification; not called for `silent`. */
  changed?: (request: FastifyRequest) => Promise<void>
}

/**
 * [contract: FunctionX] GET, POST, PUT and DELETE of one metadata key, the same for every owner.
 */
export function metaKeyRoutes(app: App, mount: Mount): void {
  const { view, edit, owner } = mount
  const name = owner.object.replace(/^./, (letter) => letter.toUpperCase())
  const trace = updates(owner.object, owner.param, 'changed metadata of')
  // Everything after /meta/ is the key: some clients do not encode its slashes.
  const url = `${mount.path}/meta/*`
  const schema = {
    tags: [mount.tag],
    params: Type.Object({ ...mount.params, '*': Type.String() })
  }

  app.get(
    url,
    {
      schema: {
        ...schema,
        operationId: `get${name}Meta`,
        summary: 'One metadata key',
        faults: [404],
        response: { 200: MetaX }
      },
      config: { access: view }
    },
    async (request) => {
      const { keys, rights } = await mount.find(request)
      return visible(await keys.find(keyOf(request)), rights.sees)
    }
  )

  app.post(
    url,
    {
      schema: {
        ...schema,
        operationId: `create${name}Meta`,
        summary: 'Create a metadata key',
        faults: [404, 409],
        querystring: SilentQuery,
        body: MetaXBody,
        response: { 200: MetaX }
      },
      config: { access: edit, trace }
    },
    async (request) => {
      const { keys, rights } = await mount.find(request)
      const meta = { value: request.body.value, protected: request.body.protected ?? false }
      if (meta.protected && !rights.edits) throw forbidden()
      if (!(await keys.insert(keyOf(request), meta))) {
        visible(await keys.find(keyOf(request)), rights.sees)
        throw duplicateKey()
      }
      await tell(request, request.query.silent)
      return meta
    }
  )

  app.put(
    url,
    {
      schema: {
        ...schema,
        operationId: `update${name}Meta`,
        summary: 'Update a metadata key; with `create_missing` it may be new',
        faults: [404, 409],
        querystring: Type.Object({
          ...SilentQuery.properties,
          create_missing: Type.Optional(
            Type.Boolean({ default: false, description: 'true creates a key that is missing' })
          )
        }),
        body: MetaXBody,
        response: { 200: MetaX }
      },
      config: { access: edit, trace }
    },
    async (request) => {
      const now = await put(request)
      await tell(request, request.query.silent)
      return now
    }
  )

  app.delete(
    url,
    {
      schema: {
        ...schema,
        operationId: `delete${name}Meta`,
        summary: 'Delete a metadata key',
        faults: [404],
        querystring: SilentQuery,
        response: { 200: Message }
      },
      config: { access: edit, trace }
    },
    async (request) => {
      const { keys, rights } = await mount.find(request)
      const key = keyOf(request)
      const was = visible(await keys.find(key), rights.edits)
      if (!(await keys.remove(key, was))) throw notFound()
      await tell(request, request.query.silent)
      return { message: 'Deleted' }
    }
  )

  /** Tries again when someone else created, moved or deleted the key or its owner meanwhile. */
  async function put(request: PutRequest): Promise<MetaKey> {
    const { body, query } = request
    const key = keyOf(request)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { keys, rights } = await mount.find(request)
      const was = await keys.find(key)
      const now = { value: body.value, protected: body.protected ?? was?.protected ?? false }
      if ((was?.protected || now.protected) && !rights.edits) throw forbidden()
      if (!was && !query.create_missing) throw notFound()
      const isWritten = await (was ? keys.update(key, { was, now }) : keys.insert(key, now))
      if (isWritten) return now
    }
    throw duplicateKey()
  }

  async function tell(request: FastifyRequest, silent: boolean | undefined): Promise<void> {
    if (!silent) await mount.changed?.(request)
  }
}

/** Throws 404 if the key is missing, 403 if it is protected and the caller has no right to it. */
function visible(meta: MetaKey | undefined, mayProtected: boolean): MetaKey {
  if (!meta) throw notFound()
  if (meta.protected && !mayProtected) throw forbidden()
  return meta
}

function keyOf({ params }: { params: unknown }): string {
  const key = (params as { '*': string })['*']
  if (key.length === 0 || key.length > MAX_KEY_LENGTH)
    throw badRequest('meta_key must have 1 to 255 characters')
  return key
}
