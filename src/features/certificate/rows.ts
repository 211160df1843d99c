import { type CertificateRow, findCertificate } from '../../registry/certificates.ts'
import { recordChange } from '../../registry/changes.ts'
import { flag } from '../../registry/meta.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'

/** Of an installation, that are neither revoked nor expired. */
export const MAX_IN_USE = 200
/** Of an installation, with those that have ended. */
export const MAX_TOGETHER = 500

export type NewCertificate = Pick<
  CertificateRow,
  | 'installation_id'
  | 'name'
  | 'fingerprint'
  | 'subject'
  | 'mount_prefix'
  | 'not_before'
  | 'not_after'
> & { isIssued: boolean }

/** Why a certificate is not stored. */
export type NotStored = 'too many in use' | 'too many' | 'registered' | 'revoked'

export const insertCertificate = (
  registry: Registry,
  { isIssued, ...fields }: NewCertificate,
  now: number
): Promise<CertificateRow | NotStored> =>
  inTransaction(registry, async (registry) => {
    const { installation_id, fingerprint } = fields
    const known = await findCertificate(registry, fingerprint)
    if (known) {
      const isOurs = known.installation_id === installation_id
      return isOurs && known.revoked !== null ? 'revoked' : 'registered'
    }
    const full = await makeRoom(registry, installation_id, now)
    if (full) return full
    const row = await registry
      .insertInto('certificates')
      .values({ ...fields, is_issued: flag(isIssued), created: now, revoked: null })
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordChange(registry, 'gateway', installation_id, now)
    return row
  })

/**
 * Forgets the oldest certificate that can never be used again, if there are too many. A revoked one
 * of another authority is remembered until it expires: it could be registered again.
 */
async function makeRoom(
  registry: Registry,
  installationId: number,
  now: number
): Promise<NotStored | undefined> {
  const rows = await registry
    .selectFrom('certificates')
    .select(['id', 'is_issued', 'not_after', 'revoked'])
    .where('installation_id', '=', installationId)
    .orderBy('id')
    .execute()
  const isInUse = (row: (typeof rows)[number]) => row.revoked === null && row.not_after > now
  if (rows.filter(isInUse).length >= MAX_IN_USE) return 'too many in use'
  if (rows.length < MAX_TOGETHER) return undefined
  const over = rows.find((row) => !isInUse(row) && (row.is_issued === 1 || row.not_after <= now))
  if (!over) return 'too many'
  await registry.deleteFrom('certificates').where('id', '=', over.id).execute()
  return undefined
}

/** Newest first. */
export const listCertificates = (
  registry: Registry,
  installationId: number,
  { limit, offset }: { limit: number; offset: number }
): Promise<CertificateRow[]> =>
  registry
    .selectFrom('certificates')
    .selectAll()
    .where('installation_id', '=', installationId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

/** Undefined when there is no such certificate. Its connections end on every node. */
export const revokeCertificate = (
  registry: Registry,
  { installationId, id }: { installationId: number; id: number },
  now: number
): Promise<{ row: CertificateRow; isNew: boolean } | undefined> =>
  inTransaction(registry, async (registry) => {
    const row = await registry
      .selectFrom('certificates')
      .selectAll()
      .where('id', '=', id)
      .where('installation_id', '=', installationId)
      .executeTakeFirst()
    if (!row) return undefined
    if (row.revoked !== null) return { row, isNew: false }
    await registry.updateTable('certificates').set({ revoked: now }).where('id', '=', id).execute()
    await recordChange(registry, 'gateway', installationId, now)
    return { row: { ...row, revoked: now }, isNew: true }
  })
