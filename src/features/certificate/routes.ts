import { X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import {
  badRequest,
  certificatesBusy,
  conflict,
  forbidden,
  notFound,
  tooManyCertificates
} from '../../http/errors.ts'
import { prefixIn } from '../../http/mount.ts'
import { InstallationParams } from '../../http/schema.ts'
import { creates, updates } from '../../http/traced.ts'
import { hasAllGatewayRights } from '../../identity/gateway.ts'
import {
  certificatesIn,
  fingerprintOf,
  isForClients,
  isSignedBy
} from '../../lib/certificate-chain.ts'
import { DAY, toSeconds, unixMs } from '../../lib/unix-time.ts'
import { onInstallation, signedIn } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import { type CertificateRow, EXPIRING_MS } from '../../registry/certificates.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { BACKDATED_MS } from './authority.ts'
import type { CertificateDeps } from './deps.ts'
import {
  insertCertificate,
  listCertificates,
  MAX_IN_USE,
  MAX_TOGETHER,
  type NotStored,
  revokeCertificate
} from './rows.ts'
import {
  Certificate,
  CertificateAuthority,
  CertificateParams,
  CertificateQuery,
  DEFAULT_DAYS,
  IssuedCertificate,
  MAX_CHAIN,
  NewCertificate,
  pageOf,
  RegisteredCertificate
} from './schema.ts'

const tags = ['Certificate']

export const certificateRoutes: Routes<CertificateDeps> = (app, deps) => {
  const { registry, clock, certificateAuthority, certificateThread, clientAuthorities } = deps

  app.get(
    '/authority',
    {
      schema: {
        tags,
        operationId: 'getCertificateAuthority',
        summary: 'The authority of the platform; 404 until the first certificate is issued',
        faults: [404],
        response: { 200: CertificateAuthority }
      },
      config: { access: signedIn }
    },
    async () => {
      const known = await certificateAuthority.catchUp()
      if (!known) throw notFound()
      const fingerprint = fingerprintOf(new X509Certificate(known.certificate))
      return { certificate: known.certificate, fingerprint }
    }
  )

  app.get(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: 'listCertificates',
        summary: 'The client certificates of an installation, newest first',
        params: InstallationParams,
        querystring: CertificateQuery,
        response: { 200: Type.Array(Certificate) }
      },
      config: { access: onInstallation('certificate/issue', 'certificate/revoke') }
    },
    async ({ installation, query }) => {
      const rows = await listCertificates(registry, installation.id, pageOf(query))
      return rows.map((row) => shown(row, clock()))
    }
  )

  app.post(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: 'issueCertificate',
        summary: 'Issue a client certificate for MQTT; a private key is shown once',
        faults: [409, 503],
        params: InstallationParams,
        body: NewCertificate,
        response: { 200: IssuedCertificate }
      },
      config: {
        access: onInstallation('certificate/issue'),
        trace: creates('certificate')
      }
    },
    async ({ principal, installation, body }) => {
      const { name, days, csr, mount } = body
      requireUse(principal, installation)
      const mount_prefix = mount ? prefixIn(mount, deps) : null
      if (certificateThread.isFull) throw certificatesBusy()
      const authority = await certificateAuthority.get()
      const now = clock()
      const end = now + (days ?? DEFAULT_DAYS) * DAY
      const issued = await certificateThread.call('issue', [
        {
          ...{ authority, request: csr ?? undefined, name: String(installation.client_id) },
          not_before: now - BACKDATED_MS,
          not_after: Math.min(end, new X509Certificate(authority.certificate).validToDate.getTime())
        }
      ])
      if (typeof issued === 'string') throw badRequest(`csr ${issued}`)
      const certificate = new X509Certificate(issued.certificate)
      const row = await insertCertificate(
        registry,
        {
          ...{ installation_id: installation.id, name, mount_prefix, isIssued: true },
          ...factsOf(certificate)
        },
        now
      )
      return {
        ...shown(stored(row), now),
        certificate: issued.certificate,
        authority: authority.certificate,
        ...(issued.private_key !== undefined && { private_key: issued.private_key })
      }
    }
  )

  app.post(
    '/:installation_id/register',
    {
      schema: {
        tags,
        operationId: 'registerCertificate',
        summary: 'Register a client certificate that an authority of the operator has issued',
        faults: [409],
        params: InstallationParams,
        body: RegisteredCertificate,
        response: { 200: Certificate }
      },
      config: {
        access: onInstallation('certificate/issue'),
        trace: { ...creates('certificate'), text: 'registered' }
      }
    },
    async ({ principal, installation, body }) => {
      requireUse(principal, installation)
      const mount_prefix = body.mount ? prefixIn(body.mount, deps) : null
      const now = clock()
      const facts = factsOf(requireTrusted(body.certificate, now))
      const row = await insertCertificate(
        registry,
        {
          ...{ installation_id: installation.id, name: body.name, mount_prefix, isIssued: false },
          ...facts
        },
        now
      )
      return shown(stored(row), now)
    }
  )

  app.post(
    '/:installation_id/:certificate_id/revoke',
    {
      schema: {
        tags,
        operationId: 'revokeCertificate',
        summary: 'Revoke a client certificate and end its connections',
        faults: [404],
        params: CertificateParams,
        response: { 200: Certificate }
      },
      config: {
        access: onInstallation('certificate/revoke'),
        trace: updates('certificate', 'certificate_id', 'revoked'),
        evenWhenFull: 'writes little'
      }
    },
    async (request) => {
      const { installation, params } = request
      const place = { installationId: installation.id, id: params.certificate_id }
      const revoked = await revokeCertificate(registry, place, clock())
      if (!revoked) throw notFound()
      request.changedNothing = !revoked.isNew
      return shown(revoked.row, clock())
    }
  )

  function requireUse(principal: Principal, installation: InstallationRef): void {
    if (!deps.hasMounts) {
      throw badRequest(
        'an external broker does not ask here about certificates, see docs/brokers.md'
      )
    }
    // A restricted key must have all rights that the certificate gives.
    if (principal.limit && !hasAllGatewayRights(principal, installation)) throw forbidden()
  }

  function requireTrusted(pem: string, now: number): X509Certificate {
    const chain = certificatesIn(pem, MAX_CHAIN)
    const [first] = chain ?? []
    if (!chain || !first)
      throw badRequest(`certificate must have 1 to ${MAX_CHAIN} certificates as PEM`)
    if (!isForClients(first))
      throw badRequest('certificate must be for a client, and not of an authority')
    if (first.validToDate.getTime() <= now) throw badRequest('certificate must not be expired')
    if (!isSignedBy(clientAuthorities(), chain)) {
      throw badRequest('certificate must be signed by an authority of CARACAL_TLS_CLIENT_CA_PATH')
    }
    return first
  }
}

const factsOf = (certificate: X509Certificate) => ({
  fingerprint: fingerprintOf(certificate),
  subject: subjectOf(certificate),
  not_before: certificate.validFromDate.getTime(),
  not_after: certificate.validToDate.getTime()
})

const MAX_SUBJECT_CHARACTERS = 500

/** One line. PostgreSQL cannot store NUL. */
const subjectOf = ({ subject }: X509Certificate): string =>
  (subject ?? '').replaceAll('\n', ', ').replaceAll('\0', '').slice(0, MAX_SUBJECT_CHARACTERS)

function stored(row: CertificateRow | NotStored): CertificateRow {
  if (typeof row !== 'string') return row
  if (row === 'too many in use') throw tooManyCertificates(MAX_IN_USE)
  if (row === 'too many')
    throw conflict(`none of the ${MAX_TOGETHER} certificates can be forgotten yet`)
  throw conflict(
    row === 'revoked' ? 'this certificate was revoked' : 'this certificate is registered already'
  )
}

function shown({ is_issued, mount_prefix, ...row }: CertificateRow, now: number) {
  const { installation_id, not_before, not_after, created, revoked } = row
  const seconds = (ms: number) => toSeconds(unixMs(ms))
  return {
    ...row,
    issued: is_issued === 1,
    ...(mount_prefix !== null && { mount: { installation_id, prefix: mount_prefix } }),
    not_before: seconds(not_before),
    not_after: seconds(not_after),
    created: seconds(created),
    revoked: revoked === null ? null : seconds(revoked),
    status: statusOf(row, now)
  }
}

function statusOf(
  { not_before, not_after, revoked }: Pick<CertificateRow, 'not_before' | 'not_after' | 'revoked'>,
  now: number
): Static<typeof Certificate>['status'] {
  if (revoked !== null) return 'revoked'
  if (not_after <= now) return 'expired'
  if (not_before > now) return 'pending'
  return not_after <= now + EXPIRING_MS ? 'expiring' : 'valid'
}
