import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { permit } from '../../access/guard.ts'
import { updates } from '../../access/trace.ts'
import { reachesEverything } from '../../access/visibility.ts'
import type { App, Routes } from '../../deps.ts'
import {
  ApiError,
  badRequest,
  duplicateKey,
  forbidden,
  notFound,
  payloadTooLarge
} from '../../http/errors.ts'
import { JSON_TYPE } from '../../http/json-text.ts'
import { boundaryOf, readMultipart } from '../../http/multipart.ts'
import { appJsonFault } from '../../lib/edge-config.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import {
  type EdgeAppFiles,
  findVersion,
  latestVersion,
  listVersions,
  nameVersion,
  uploadVersion
} from '../../registry/edge-app-versions.ts'
import { AppParams, EdgeAppVersion, NamedVersion, VersionQuery } from './schema.ts'
import { isPublisher, ownApp, visibleApp, visibleVersion } from './visibility.ts'

const FilePart = Type.String({ format: 'binary' })
const MAX_FILE = 1024 * 1024
const MAX_PARTS = 20
/** Both files and what multipart puts around them. */
const MAX_UPLOAD = 2 * MAX_FILE + 64 * 1024

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
        summary: 'The app.json of a version, as it was uploaded; without `version` the latest',
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
        summary: 'Versions, newest first',
        params,
        querystring: Type.Object({
          untagged: Type.Optional(
            Type.Boolean({ description: 'true: also those without a name, for the publisher' })
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
        summary: 'Give a version a name, which makes it available',
        params,
        body: NamedVersion,
        response: { 200: EdgeAppVersion }
      },
      config: { access: edit, trace: updates('edge_app', 'app_id', 'published a version of') }
    },
    async ({ principal, params, body: { name, hash } }) => {
      const { id, official } = await ownApp(registry, principal, params.app_id)
      // It reaches every tenant, so whoever lost the reach no longer sends anything there.
      if (official && !reachesEverything(principal)) throw forbidden()
      const version = await findVersion(registry, id, hash)
      if (version?.hash !== hash) throw notFound()
      if (!(await nameVersion(registry, id, { name, hash }))) throw duplicateKey()
      return shown({ ...version, name })
    }
  )

  // Only here a body is anything but JSON.
  app.register(async (plain) => {
    const scope = plain as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_UPLOAD }, (_, body, done) =>
      done(null, body)
    )
    scope.post(
      '/app/:app_id/version',
      {
        schema: {
          tags,
          summary: 'Upload `app_json` and `app_lua`; a part not sent is that of the latest version',
          consumes: ['multipart/form-data'],
          params,
          response: {
            200: Type.Object({ hash: Type.String() }),
            204: Type.Null({ description: 'The files are those of the latest version' })
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

/** In any order, each as a file or a plain field; of two with one name the first counts. */
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
  if (bytes.length > MAX_FILE) throw payloadTooLarge()
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Said below, as for NUL.
  }
  throw badRequest(`${name} must be UTF-8 text`)
}

function versionOf({ app_json, app_lua }: Partial<EdgeAppFiles>): EdgeAppFiles & { hash: string } {
  if (app_json === undefined) throw badRequest('app_json is required in the first version')
  if (app_lua === undefined) throw badRequest('app_lua is required in the first version')
  const fault = appJsonFault(app_json)
  if (fault) throw new ApiError(400, fault)
  return { app_json, app_lua, hash: hashOf([app_json, app_lua]) }
}

/** Over the files with their lengths, so that no text can move from one to the other unseen. */
function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${Buffer.byteLength(file)}\n`).update(file)
  return hash.digest('hex')
}
