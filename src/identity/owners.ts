import { lastingCertificates } from '../registry/certificates.ts'
import { readInstallationRefs } from '../registry/installations.ts'
import type { Registry } from '../registry/tables.ts'
import { existingTokens } from '../registry/tokens.ts'
import { existingUsers } from '../registry/users.ts'

/**
 * `user:7`, `gateway:3`; or for a key with client ids of its own `user:7 key:12`, for a gateway with
 * a mount `gateway:3 mount:dev`, and for the certificate of a device `gateway:3 certificate:5`.
 */
const OWNER = /^(user|gateway):(\d+)(?: key:(\d+)| certificate:(\d+)| mount:.+)?$/

/** What the name of an owner says. */
export function readOwner(
  owner: string
): { kind: 'user' | 'gateway'; id: number; key?: number; certificate?: number } | undefined {
  const [, kind, id, key, certificate] = OWNER.exec(owner) ?? []
  if (kind !== 'user' && kind !== 'gateway') return undefined
  return {
    ...{ kind, id: Number(id) },
    ...(key !== undefined && { key: Number(key) }),
    ...(certificate !== undefined && { certificate: Number(certificate) })
  }
}

/** The owners that were deleted; ids are never used again. Ignores names it does not understand. */
export async function ownersGone(
  registry: Registry,
  owners: Iterable<string>
): Promise<Set<string>> {
  const asked = [...owners].flatMap((owner) => {
    const [, kind, id, key = 0, certificate = 0] = OWNER.exec(owner) ?? []
    const ids = { id: Number(id), key: Number(key), certificate: Number(certificate) }
    return kind ? [{ owner, kind, ...ids }] : []
  })
  if (asked.length === 0) return new Set()
  const idsOf = (wanted: string) => asked.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  const keys = asked.map(({ key }) => key).filter((key) => key > 0)
  const certificates = asked.map((one) => one.certificate).filter((id) => id > 0)
  const existing = {
    user: new Set(await existingUsers(registry, idsOf('user'))),
    gateway: new Set((await readInstallationRefs(registry, idsOf('gateway'))).map(({ id }) => id)),
    key: new Set(await existingTokens(registry, keys)),
    certificate: new Set(await lastingCertificates(registry, certificates))
  }
  const isThere = ({ kind, id, key, certificate }: (typeof asked)[number]) =>
    existing[kind === 'user' ? 'user' : 'gateway'].has(id) &&
    (key === 0 || existing.key.has(key)) &&
    (certificate === 0 || existing.certificate.has(certificate))
  return new Set(asked.filter((one) => !isThere(one)).map(({ owner }) => owner))
}
