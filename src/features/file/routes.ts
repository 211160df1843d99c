import { create } from 'content-disposition'
import { type Static, Type } from 'typebox'
import type { App, Deps, Routes } from '../../deps.ts'
import { badRequest, forbidden, notFound } from '../../http/errors.ts'
import { dropIfStalled, stopping } from '../../http/hung-up.ts'
import { Message } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import {
  onInstallation,
  onOrganization,
  signedIn,
  withinOrganization
} from '../../permission/guard.ts'
import { type Principal, scopeOf } from '../../permission/principal.ts'
import { organizationsWithin } from '../../permission/visibility.ts'
import { claimContent, releaseContents } from './contents.ts'
import type { FileDeps } from './deps.ts'
import { FileQuotas } from './file-quotas.ts'
import {
  deleteFile,
  type FileFields,
  type FileOwner,
  type FileReach,
  type FileRow,
  findByHash,
  findFile,
  insertFiles,
  listFiles,
  replaceFile
} from './files.ts'
import { DownloadHeaders, File, fileOwnerParams, fileParams, HashParams } from './schema.ts'
import { MAX_FILES, type Upload, Uploads } from './uploads.ts'

type Kind = FileOwner['kind']

/** A caller who may change an organization's files may also see them. */
const editOrganization = onOrganization('file/update/organization')
const accesses = {
  installation: {
    list: onInstallation('file/list'),
    create_delete: onInstallation('file/create_delete'),
    update: onInstallation('file/update')
  },
  organization: {
    list: withinOrganization('file/list', 'file/update/organization'),
    create_delete: editOrganization,
    update: editOrganization
  }
}

/** [ADR-0022] Files of installations and of organizations, and their contents by hash. */
export const fileRoutes: Routes<FileDeps> = (app, deps) => {
  const { registry, files } = deps
  const tags = ['File']

  app.get(
    '/download/:hash',
    {
      schema: {
        tags,
        operationId: 'downloadFile',
        produces: ['application/octet-stream'],
        faults: [403],
        summary: 'The content of a file that the caller may download',
        params: HashParams,
        headers: DownloadHeaders
      },
      config: { access: signedIn, bodiless: [304] }
    },
    async ({ principal, params, headers }, reply) => {
      const { hash } = params
      const file = await findByHash(registry, hash, reachOf(principal))
      // Missing and invisible files get the same answer, so that nobody can learn what others have.
      if (!file) throw forbidden()
      const etag = `"${hash}"`
      reply.headers({ etag, 'cache-control': 'private, no-cache' })
      if (headers['if-none-match'] === etag) return reply.code(304).send()
      const { size, content } = await files.read(hash)
      dropIfStalled(reply.raw)
      return reply
        .headers({
          'content-type': file.mime,
          'content-length': size,
          'content-disposition': create(file.name),
          // A browser must never run the content as a page of this origin.
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff'
        })
        .send(content)
    }
  )

  for (const kind of ['installation', 'organization'] as const) {
    readingRoutes(app, deps, kind)
  }
  // In this scope a body is a stream; no parser holds it in memory.
  app.register(async (plain) => {
    const scope = plain as App
    const uploads = new Uploads(deps, stopping(scope))
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    for (const kind of ['installation', 'organization'] as const) {
      uploadRoutes(scope, deps, kind, uploads)
    }
  })
}

function readingRoutes(app: App, { registry, clock }: Deps, kind: Kind): void {
  const tags = ['File']
  const name = kind === 'installation' ? 'Installation' : 'Organization'
  const access = accesses[kind]
  const path = `/${kind}/:${kind}_id`

  app.get(
    path,
    {
      schema: {
        tags,
        operationId: `list${name}Files`,
        summary: `Files of an ${kind}`,
        params: fileOwnerParams[kind],
        response: { 200: Type.Array(File) }
      },
      config: { access: access.list }
    },
    async ({ params }) => (await listFiles(registry, ownerIn(kind, params))).map(shown)
  )

  app.get(
    `${path}/:file_id`,
    {
      schema: {
        tags,
        operationId: `get${name}File`,
        summary: 'One file',
        faults: [404],
        params: fileParams[kind],
        response: { 200: File }
      },
      config: { access: access.list }
    },
    async ({ params }) => {
      const file = await findFile(registry, ownerIn(kind, params), params.file_id)
      if (!file) throw notFound()
      return shown(file)
    }
  )

  app.delete(
    `${path}/:file_id`,
    {
      schema: {
        tags,
        operationId: `delete${name}File`,
        faults: [404],
        summary: 'Delete a file; the content is removed with the last file that has it',
        params: fileParams[kind],
        response: { 200: Message }
      },
      config: { access: access.create_delete, trace: deletes('file', 'file_id') }
    },
    async ({ params }) => {
      const owner = ownerIn(kind, params)
      if (!(await deleteFile(registry, owner, params.file_id, clock()))) throw notFound()
      return { message: 'Deleted' }
    }
  )
}

function uploadRoutes(app: App, deps: Deps & FileDeps, kind: Kind, uploads: Uploads): void {
  const { registry, files, clock } = deps
  const tags = ['File']
  const name = kind === 'installation' ? 'Installation' : 'Organization'
  const access = accesses[kind]
  const path = `/${kind}/:${kind}_id`
  const quotas = new FileQuotas(deps)
  const consumes = ['multipart/form-data']
  const body = Type.Object({ file: Type.String({ format: 'binary' }) })

  app.post(
    path,
    {
      schema: {
        tags,
        operationId: `upload${name}Files`,
        faults: [409],
        summary: `Upload up to ${MAX_FILES} files of at most 30 MiB each; every part with a filename is a file`,
        consumes,
        params: fileOwnerParams[kind],
        response: { 200: Type.Array(File) }
      },
      config: { access: access.create_delete, trace: creates('file'), body }
    },
    async (request, reply) => {
      const owner = ownerIn(kind, request.params)
      const bounds = quotas.boundsOf(owner)
      return uploads.receive(request, reply, quotas.share(owner, bounds), async (received) => {
        const rows = await withContents(received, (stored) =>
          insertFiles(registry, owner, stored, { bounds, now: clock() })
        )
        if ('bound' in rows) throw quotas.full(owner, rows)
        return rows.map(shown)
      })
    }
  )

  // One client replaces a file with PUT, another with POST.
  const replace = (method: 'PUT' | 'POST', operationId: string) =>
    app.route({
      method,
      url: `${path}/:file_id`,
      schema: {
        tags,
        operationId,
        summary: 'Replace a file by one of at most 30 MiB',
        faults: [404, 409],
        consumes,
        params: fileParams[kind],
        response: { 200: File }
      },
      config: { access: access.update, trace: updates('file', 'file_id'), body },
      handler: async (request, reply) => {
        const owner = ownerIn(kind, request.params)
        const { file_id: id } = request.params
        if (!(await findFile(registry, owner, id))) throw notFound()
        const bounds = quotas.boundsOf(owner)
        return uploads.receive(
          request,
          reply,
          quotas.share(owner, bounds, id),
          async (received) => {
            if (received.length !== 1) throw badRequest('exactly one file is required')
            const row = await withContents(
              received,
              async ([file]) =>
                file && replaceFile(registry, owner, { ...file, id }, { bounds, now: clock() })
            )
            if (!row) throw notFound()
            if ('bound' in row) throw quotas.full(owner, row)
            return shown(row)
          }
        )
      }
    })

  replace('PUT', `replace${name}File`)
  replace('POST', `replace${name}FileByPost`)

  /** Writes the file rows only after their contents are safe on disk. */
  async function withContents<T>(
    received: readonly Upload[],
    write: (stored: FileFields[]) => Promise<T>
  ): Promise<T> {
    const claimed = clock()
    const hashes = new Set<string>()
    try {
      for (const { incoming } of received) {
        if (hashes.has(incoming.hash)) continue
        hashes.add(incoming.hash)
        await claimContent(registry, incoming.hash, claimed)
        await files.place(incoming)
      }
      return await write(
        received.map(({ name, mime, incoming: { hash, size } }) => ({ hash, name, mime, size }))
      )
    } finally {
      // If this fails, the claim ends by itself later.
      await releaseContents(registry, [...hashes], { claimed, now: clock() }).catch(() => {})
    }
  }
}

/** The guard has already checked this id. */
const ownerIn = (kind: Kind, params: object): FileOwner => ({
  kind,
  id: (params as Record<string, number>)[`${kind}_id`] ?? 0
})

const reachOf = (principal: Principal): FileReach => ({
  installations: scopeOf(principal, 'file/download'),
  organizationIds: [
    ...organizationsWithin(principal, {
      action: 'file/download',
      permissions: ['file/update/organization']
    })
  ]
})

const shown = (file: FileRow): Static<typeof File> => ({
  id: file.id,
  hash: file.hash,
  name: file.name,
  mime: file.mime,
  installation_id: file.installation_id ?? 0,
  organization_id: file.organization_id ?? 0,
  created: toWholeSeconds(file.created),
  updated: toWholeSeconds(file.updated)
})
