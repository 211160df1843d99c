import { type Static, type TObject, Type } from 'typebox'
import type { App, Deps, Routes } from '../../deps.ts'
import { badRequest, notFound } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { creates, deletes, readsOnly, updates } from '../../http/traced.ts'
import { everyBrokerTakes } from '../../lib/topic.ts'
import { toSeconds } from '../../lib/unix-time.ts'
import { onInstallation, withinOrganization } from '../../permission/guard.ts'
import type { RouteAccess } from '../../permission/route-access.ts'
import type { MappingDeps } from './deps.ts'
import { compile, fieldsOf } from './fields.ts'
import { type ActiveMapping, readMessage } from './reading.ts'
import {
  changeMapping,
  deleteMapping,
  type Full,
  findMapping,
  insertMapping,
  listMappings,
  MAX_CHARACTERS_TOGETHER,
  MAX_MAPPINGS,
  type MappingRecord,
  type Owner
} from './rows.ts'
import {
  LastMessage,
  Mapping,
  MappingParams,
  MappingTrial,
  MappingTry,
  MappingUpdate,
  NewMapping,
  OrganizationMapping,
  OrganizationMappingParams,
  OrganizationParams
} from './schema.ts'

const tags = ['Mapping']

export const mappingRoutes: Routes<MappingDeps> = (app, deps) => {
  const { mappings, lastMessages, clock } = deps
  ownerRoutes(app, deps, {
    kind: 'installation',
    url: '/:installation_id',
    names: { one: 'Mapping', many: 'Mappings' },
    params: { all: InstallationParams, one: MappingParams },
    schema: Mapping,
    access: onInstallation
  })
  ownerRoutes(app, deps, {
    kind: 'organization',
    url: '/organization/:organization_id',
    names: { one: 'OrganizationMapping', many: 'OrganizationMappings' },
    params: { all: OrganizationParams, one: OrganizationMappingParams },
    schema: OrganizationMapping,
    access: withinOrganization
  })

  app.get(
    '/:installation_id/message',
    {
      schema: {
        tags,
        operationId: 'listLastMessages',
        summary: 'The newest messages of an installation that a mapping may read',
        params: InstallationParams,
        response: { 200: Type.Array(LastMessage) }
      },
      config: { access: onInstallation('mqtt/subscribe') }
    },
    ({ installation }) =>
      lastMessages
        .of(installation.id)
        .map(({ timestamp, ...message }) => ({ ...message, timestamp: toSeconds(timestamp) }))
  )

  app.post(
    '/:installation_id/try',
    {
      schema: {
        tags,
        operationId: 'tryMappings',
        summary: 'What the mappings of an installation, or the given one, make of a message',
        params: InstallationParams,
        body: MappingTry,
        response: { 200: MappingTrial }
      },
      config: { access: onInstallation('mapping/list'), trace: readsOnly }
    },
    async ({ installation, body: { topic, payload, mapping } }) => {
      if (!everyBrokerTakes(`${installation.client_id}/${topic}`)) {
        throw badRequest('topic must be an MQTT topic without wildcards')
      }
      const of = mapping
        ? {
            zone: await mappings.zoneOf(installation.id),
            active: [givenMapping(mapping)],
            hasMake: false
          }
        : await mappings.read(installation.id)
      const message = { topic, payload: Buffer.from(payload) }
      const read = of ? readMessage(of, message, clock()).outcomes : []
      return {
        values: read.flatMap(({ by, outcome }) =>
          outcome.values.map(({ topic, value, timestamp }) => {
            return { topic, value, timestamp: toSeconds(timestamp), mapping_id: by.id }
          })
        ),
        refused: read.flatMap(({ by, outcome }) =>
          outcome.refused.map((refused) => ({ mapping_id: by.id, ...refused }))
        )
      }
    }
  )
}

const givenMapping = (mapping: Static<typeof NewMapping>): ActiveMapping => {
  const fields = fieldsOf(mapping)
  return { ...fields, id: mapping.id ?? 0, mapping: compile(fields, 'mapping/') }
}

type OwnerKind = {
  kind: Owner['kind']
  url: string
  names: { one: string; many: string }
  params: { all: TObject; one: TObject }
  schema: typeof Mapping | typeof OrganizationMapping
  access: (action: 'mapping/list' | 'mapping/create_delete' | 'mapping/update') => RouteAccess
}

/** Mappings of an installation, or of an organization for all installations in it and below. */
function ownerRoutes(app: App, deps: Deps, owned: OwnerKind): void {
  const { registry, clock } = deps
  const { kind, url, names, params, schema, access } = owned
  const ownerOf = (params: unknown): Owner => ({
    kind,
    id: (params as Record<string, number>)[`${kind}_id`] ?? 0
  })
  const idOf = (params: unknown): number => (params as { mapping_id: number }).mapping_id
  const shown = (owner: Owner, { id, ...fields }: MappingRecord) =>
    ({ id, [`${kind}_id`]: owner.id, ...fields }) as unknown as Static<typeof Mapping>

  const requireRoom = (mapping: MappingRecord | Full): MappingRecord => {
    if (typeof mapping !== 'string') return mapping
    throw badRequest(
      mapping === 'too many'
        ? `an ${kind} has at most ${MAX_MAPPINGS} mappings`
        : `the values of all mappings of an ${kind} have at most ${MAX_CHARACTERS_TOGETHER} characters as JSON`
    )
  }

  app.get(
    url,
    {
      schema: {
        tags,
        operationId: `list${names.many}`,
        summary: `Mappings of an ${kind}`,
        params: params.all,
        response: { 200: Type.Array(schema) }
      },
      config: { access: access('mapping/list') }
    },
    async ({ params }) => {
      const owner = ownerOf(params)
      return (await listMappings(registry, owner)).map((one) => shown(owner, one))
    }
  )

  app.post(
    url,
    {
      schema: {
        tags,
        operationId: `create${names.one}`,
        summary: `Create a mapping of an ${kind}`,
        params: params.all,
        body: NewMapping,
        response: { 200: schema }
      },
      config: { access: access('mapping/create_delete'), trace: creates('mapping') }
    },
    async ({ params, body }) => {
      const owner = ownerOf(params)
      const fields = fieldsOf(body)
      compile(fields)
      return shown(owner, requireRoom(await insertMapping(registry, owner, fields, clock())))
    }
  )

  app.get(
    `${url}/:mapping_id`,
    {
      schema: {
        tags,
        operationId: `get${names.one}`,
        summary: `One mapping of an ${kind}`,
        faults: [404],
        params: params.one,
        response: { 200: schema }
      },
      config: { access: access('mapping/list') }
    },
    async ({ params }, reply) => {
      const owner = ownerOf(params)
      const mapping = await findMapping(registry, owner, idOf(params))
      if (!mapping) throw notFound()
      return tagged(reply, shown(owner, mapping))
    }
  )

  app.put(
    `${url}/:mapping_id`,
    {
      schema: {
        tags,
        operationId: `update${names.one}`,
        summary: `Update a mapping of an ${kind}; fields that are missing or null keep their value`,
        faults: [404, 412],
        params: params.one,
        body: MappingUpdate,
        response: { 200: schema }
      },
      config: { access: access('mapping/update'), trace: updates('mapping', 'mapping_id') }
    },
    async (request, reply) => {
      const { params, body } = request
      const owner = ownerOf(params)
      const change = (current: MappingRecord) => {
        checkMatch(request, shown(owner, current))
        const fields = fieldsOf(body, current)
        compile(fields)
        return fields
      }
      const mapping = await changeMapping(registry, owner, idOf(params), { change, now: clock() })
      if (!mapping) throw notFound()
      return tagged(reply, shown(owner, requireRoom(mapping)))
    }
  )

  app.delete(
    `${url}/:mapping_id`,
    {
      schema: {
        tags,
        operationId: `delete${names.one}`,
        summary: `Delete a mapping of an ${kind}`,
        faults: [404],
        params: params.one,
        response: { 200: Message }
      },
      config: { access: access('mapping/create_delete'), trace: deletes('mapping', 'mapping_id') }
    },
    async ({ params }) => {
      const isDeleted = await deleteMapping(registry, ownerOf(params), idOf(params), clock())
      if (!isDeleted) throw notFound()
      return { message: 'Deleted' }
    }
  )
}
