import { Type } from 'typebox'
import { Id, UnixSeconds } from '../../http/schema.ts'

/** Exactly these names, which clients rely on. */
export const File = Type.Object({
  id: Type.Integer(),
  hash: Type.String({ description: 'SHA-256 of the content, for the download' }),
  name: Type.String(),
  mime: Type.String(),
  installation_id: Type.Integer({ description: '0 = it belongs to an organization' }),
  organization_id: Type.Integer({ description: '0 = it belongs to an installation' }),
  created: UnixSeconds,
  updated: UnixSeconds
})

export const ownerParams = {
  installation: Type.Object({ installation_id: Id }),
  organization: Type.Object({ organization_id: Id })
}
export const fileParams = {
  installation: Type.Object({ installation_id: Id, file_id: Id }),
  organization: Type.Object({ organization_id: Id, file_id: Id })
}
export const HashParams = Type.Object({
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'a SHA-256: 64 hexadecimal digits, in lower case'
  })
})
