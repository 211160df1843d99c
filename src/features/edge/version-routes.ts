import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App, Routes } from '../../deps.ts'
import {
  badRequest,
  duplicateKey,
  forbidden,
  notFound,
  payloadTooLarge
} from '../../http/errors.ts'
import { JSON_TYPE } from '../../http/json-text.ts'
import { boundaryOf, readMultipart } from '../../http/multipart.ts'
import { updates } from '../../http/traced.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { permit } from '../../permission/guard.ts'
import { reachesEverything } from '../../permission/visibility.ts'
import { MAX_FILE_BYTES, versionOf } from './package.ts'
import { AppParams, EdgeAppVersion, NamedVersion, VersionQuery } from './schema.ts'
import {
  type EdgeAppFiles,
  findVersion,
  latestVersion,
  listVersions,
  nameVersion,
  uploadVersion
} from './versions.ts'
import { isPublisher, ownApp, visibleApp, visibleVersion } from './visibility.ts'

const FilePart = Type.String({ format: 'binary' })
const MAX_PARTS = 20
/** Both files and the multipart headers. */
const MAX_UPLOAD_BYTES = 2 * MAX_FILE_BYTES + 64 * 1024

export const edgeVersionRoutes: Routes = (app, { registry, clock }) => {
  const tags = ['Edge apps']
  const params = AppParams
  const list = permit('edge/app/list')
  const edit = permit('edge/app/update')

  app.get(
    '/app/:app_id/download',
    {
      schema: {
        tags,
        operationId: 'downloadEdgeApp',
        produces: ['text/plain'],
        faults: [404],
        summary: 'The script of a version',
        params,
        querystring: VersionQuery
      },
      config: { access: list }
    },
    async ({ principal, params, query }, reply) => {
      const edgeApp = await visibleApp(registry, principal, params.app_id)
      const { app_lua, hash } = await visibleVersion(registry, principal, edgeApp, query.version)
      return reply.type('text/plain; charset=utf-8').header('etag', `"${hash}"`).send(app_lua)
    }
  )

  app.get(
    '/app/:app_id/configure',
    {
      schema: {
        tags,
        operationId: 'getEdgeAppConfiguration',
        faults: [404],
        summary:
          'The app.json of a version as uploaded; without `version` the latest published one',
        params,
        querystring: Type.Partial(VersionQuery)
      },
      config: { access: list }
    },
    async ({ principal, params, query }, reply) => {
      const edgeApp = await visibleApp(registry, principal, params.app_id)
      const version = query.version
        ? await visibleVersion(registry, principal, edgeApp, query.version)
        : await latestVersion(registry, edgeApp.id, { isNamed: true })
      if (!version) throw notFound()
      return reply.type(JSON_TYPE).send(version.app_json)
    }
  )

  app.get(
    '/app/:app_id/version',
    {
      schema: {
        tags,
        operationId: 'listEdgeAppVersions',
        summary: 'Versions, newest first',
        params,
        querystring: Type.Object({
          untagged: Type.Optional(
            Type.Boolean({
              default: false,
              description: 'true: also versions without a name; only for the publisher'
            })
          )
        }),
        response: { 200: Type.Array(EdgeAppVersion) }
      },
      config: { access: list }
    },
    async ({ principal, params, query }) => {
      const edgeApp = await visibleApp(registry, principal, params.app_id)
      const withUnnamed = query.untagged === true && isPublisher(principal, edgeApp)
      return (await listVersions(registry, edgeApp.id, withUnnamed)).map(shown)
    }
  )

  app.post(
    '/app/:app_id/publish',
    {
      schema: {
        tags,
        operationId: 'publishEdgeAppVersion',
        faults: [404, 409],
        summary: 'Publish a version: give it a name',
        params,
        body: NamedVersion,
        response: { 200: EdgeAppVersion }
      },
      config: { access: edit, trace: updates('edge_app', 'app_id', 'published a version of') }
    },
    async ({ principal, params, body: { hash, ...body } }) => {
      // The database stores half a character as U+FFFD, and names are compared with what it stores.
      const name = body.name.toWellFormed()
      const { id, official } = await ownApp(registry, principal, params.app_id)
      // An official app reaches every tenant, so a caller who lost that reach may not publish it.
      if (official && !reachesEverything(principal)) throw forbidden()
      const version = await findVersion(registry, id, hash)
      if (version?.hash !== hash) throw notFound()
      if (!(await nameVersion(registry, id, { name, hash }))) throw duplicateKey()
      return shown({ ...version, name })
    }
  )

  // In this room only this route takes a body that is not JSON.
  app.register(async (plain) => {
    const scope = plain as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_UPLOAD_BYTES },
      (_, body, done) => done(null, body)
    )
    scope.post(
      '/app/:app_id/version',
      {
        schema: {
          tags,
          operationId: 'uploadEdgeAppVersion',
          summary:
            'Upload `app_json` and `app_lua`, of at most 1 MiB each; a missing part is copied from the latest version',
          consumes: ['multipart/form-data'],
          params,
          response: {
            200: Type.Object({ hash: Type.String() }, { title: 'EdgeAppHash' }),
            204: Type.Null({ description: 'The files are the same as in the latest version' })
          }
        },
        config: {
          access: edit,
          trace: updates('edge_app', 'app_id', 'uploaded a version of'),
          body: Type.Object({ app_json: Type.Optional(FilePart), app_lua: Type.Optional(FilePart) })
        }
      },
      async (request, reply) => {
        const { principal, params } = request
        const { id } = await ownApp(registry, principal, params.app_id)
        const parts = await partsOf(request)
        const make = (latest: EdgeAppFiles | undefined) => versionOf({ ...latest, ...parts })
        const hash = await uploadVersion(registry, id, make, clock())
        request.changedNothing = hash === undefined
        return hash === undefined ? reply.code(204).send(null) : { hash }
      }
    )
  })
}

const shown = (version: { name: string | null; hash: string; uploaded: number }) => ({
  name: version.name ?? '',
  hash: version.hash,
  timestamp: toWholeSeconds(version.uploaded)
})

/** Parts may come in any order, as files or plain fields. Of two with one name the first counts. */
async function partsOf({ body, headers }: FastifyRequest): Promise<Partial<EdgeAppFiles>> {
  const boundary = boundaryOf(headers['content-type'])
  const input = Buffer.isBuffer(body) ? [body] : []
  const parts: Partial<EdgeAppFiles> = {}
  for await (const { name, content } of readMultipart(input, { boundary, maxParts: MAX_PARTS })) {
    if (name !== 'app_json' && name !== 'app_lua') continue
    parts[name] ??= await textOf(name, content)
  }
  if (Object.keys(parts).length === 0) throw badRequest('app_json or app_lua is required')
  return parts
}

async function textOf(name: string, content: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length > MAX_FILE_BYTES) throw payloadTooLarge()
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Text that is not UTF-8 is refused below, as text with NUL is.
  }
  throw badRequest(`${name} must be UTF-8 text`)
}
