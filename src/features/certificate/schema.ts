import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { Mount, MountPrefix } from '../../http/mount.ts'
import { Id, Maybe, UnixTime } from '../../http/schema.ts'

export const MAX_DAYS = 3650
export const DEFAULT_DAYS = 365
export const MAX_PEM_CHARACTERS = 16_384
/** The client's certificate and those between it and the authority. */
export const MAX_CHAIN = 5
const DEFAULT_PAGE = 100
const MAX_PAGE = 500

const Name = Type.String({ minLength: 1, maxLength: 100 })
const NewMount = Maybe(
  Type.Object(
    { prefix: MountPrefix },
    {
      title: 'NewCertificateMount',
      description: 'For a device that uses topics of its own, instead of the gateway'
    }
  )
)

const fields = {
  id: Type.Integer(),
  installation_id: Type.Integer(),
  name: Type.String(),
  fingerprint: Type.String({ description: 'SHA-256 of the certificate, in hexadecimal digits' }),
  subject: Type.String(),
  issued: Type.Boolean({ description: 'By the platform; false: by an authority of the operator' }),
  mount: Type.Optional(Mount),
  not_before: UnixTime,
  not_after: UnixTime,
  created: UnixTime,
  revoked: Type.Union([UnixTime, Type.Null()]),
  status: Type.Union(
    [
      Type.Literal('valid'),
      Type.Literal('expiring'),
      Type.Literal('expired'),
      Type.Literal('revoked'),
      Type.Literal('pending')
    ],
    { description: '`expiring`: it ends within 30 days. `pending`: it is not valid yet' }
  )
}
export const Certificate = Type.Object(fields, { title: 'Certificate' })

export const IssuedCertificate = Type.Object(
  {
    ...fields,
    certificate: Type.String({ description: 'PEM' }),
    authority: Type.String({ description: 'The certificate of the authority, PEM' }),
    private_key: Type.Optional(
      Type.String({ description: 'PEM (PKCS 8). Shown once; missing if there was a request' })
    )
  },
  { title: 'IssuedCertificate' }
)

export const NewCertificate = Type.Object(
  {
    name: Name,
    days: Maybe(Type.Integer({ minimum: 1, maximum: MAX_DAYS })),
    csr: Maybe(
      Type.String({
        minLength: 1,
        maxLength: MAX_PEM_CHARACTERS,
        description:
          'A certificate request (PKCS 10) as PEM, with a key of the curve P-256 or P-384 or an RSA ' +
          'key of 2048 to 4096 bits. Its subject is ignored. Missing: the platform makes the key'
      })
    ),
    mount: NewMount
  },
  { title: 'NewCertificate', ...defaults({ days: DEFAULT_DAYS }) }
)

export const RegisteredCertificate = Type.Object(
  {
    name: Name,
    certificate: Type.String({
      minLength: 1,
      maxLength: MAX_PEM_CHARACTERS,
      description:
        'The certificate of the client as PEM, followed by those between it and an authority of ' +
        `CARACAL_TLS_CLIENT_CA_PATH; at most ${MAX_CHAIN} together`
    }),
    mount: NewMount
  },
  { title: 'RegisteredCertificate' }
)

export const CertificateAuthority = Type.Object(
  { certificate: Type.String({ description: 'PEM' }), fingerprint: Type.String() },
  { title: 'CertificateAuthority' }
)

export const CertificateParams = Type.Object({ installation_id: Id, certificate_id: Id })

export const CertificateQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_PAGE,
      default: DEFAULT_PAGE,
      description: `0 = the default, ${DEFAULT_PAGE}`
    })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }))
})

export const pageOf = ({ limit, offset = 0 }: { limit?: number; offset?: number }) => ({
  limit: limit || DEFAULT_PAGE,
  offset
})
