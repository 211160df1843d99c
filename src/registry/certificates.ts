import { type Selectable, sql } from 'kysely'
import { DAY } from '../lib/unix-time.ts'
import { isOneOf } from './dialect.ts'
import type { Registry, Tables } from './tables.ts'

/** A certificate that ends within this time is reported. */
export const EXPIRING_MS = 30 * DAY

export type CertificateRow = Selectable<Tables['certificates']>

/** The certificate with this SHA-256, revoked or not. */
export const findCertificate = (
  registry: Registry,
  fingerprint: string
): Promise<CertificateRow | undefined> =>
  registry
    .selectFrom('certificates')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()

/** Certificates that are not revoked: how many are there, how many end soon or have ended. */
export type CertificateCounts = {
  valid: number
  expiring: number
  expired: number
  /** When the next one ends, in Unix milliseconds. */
  next: number | undefined
}

export async function countCertificates(
  registry: Registry,
  now: number
): Promise<CertificateCounts> {
  const inUse = registry.selectFrom('certificates').where('revoked', 'is', null)
  const countOf = async (query: typeof inUse) => {
    const { count } = await query
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const soon = now + EXPIRING_MS
  const all = await countOf(inUse)
  const expired = await countOf(inUse.where('not_after', '<=', now))
  const expiring = await countOf(inUse.where('not_after', '>', now).where('not_after', '<=', soon))
  const { next } = await inUse
    .select((eb) => eb.fn.min('not_after').as('next'))
    .where('not_after', '>', now)
    .executeTakeFirstOrThrow()
  return { valid: all - expired - expiring, expiring, expired, next: next ?? undefined }
}

/** Installations with a certificate of their gateway that can be used; among `ids`, if given. */
export async function installationsWithCertificate(
  registry: Registry,
  now: number,
  ids?: readonly number[]
): Promise<number[]> {
  const rows = await registry
    .selectFrom('certificates')
    .select('installation_id')
    .distinct()
    .where('mount_prefix', 'is', null)
    .where('revoked', 'is', null)
    .where('not_after', '>', now)
    .$if(ids !== undefined, (query) => query.where('installation_id', 'in', ids ?? []))
    .execute()
  return rows.map(({ installation_id }) => installation_id)
}

/** Those of these that are there and not revoked. */
export async function lastingCertificates(
  registry: Registry,
  ids: readonly number[]
): Promise<number[]> {
  const rows = await registry
    .selectFrom('certificates')
    .select('id')
    .where('revoked', 'is', null)
    .where(isOneOf(registry, sql.ref('certificates.id'), ids))
    .execute()
  return rows.map(({ id }) => id)
}
