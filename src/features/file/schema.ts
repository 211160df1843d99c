import { Type } from 'typebox'
import { Id, UnixSeconds } from '../../http/schema.ts'

/** Clients rely on these names. */
export const File = Type.Object(
  {
    id: Type.Integer(),
    hash: Type.String({ description: 'SHA-256 of the content, for the download' }),
    name: Type.String(),
    mime: Type.String(),
    installation_id: Type.Integer({ description: '0 = the file belongs to an organization' }),
    organization_id: Type.Integer({ description: '0 = the file belongs to an installation' }),
    created: UnixSeconds,
    updated: UnixSeconds
  },
  { title: 'File' }
)

export const fileOwnerParams = {
  installation: Type.Object({ installation_id: Id }),
  organization: Type.Object({ organization_id: Id })
}
export const fileParams = {
  installation: Type.Object({ installation_id: Id, file_id: Id }),
  organization: Type.Object({ organization_id: Id, file_id: Id })
}
export const DownloadHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'The ETag of an earlier download; the answer may then be 304' })
  )
})
export const HashParams = Type.Object({
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'a SHA-256: 64 hexadecimal digits, in lower case'
  })
})
