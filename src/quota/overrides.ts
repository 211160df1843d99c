import { sql } from 'kysely'
import { type Overrides, type Payer, type PayerKind, payerName } from '../lib/quota.ts'
import { recordChange } from '../registry/changes.ts'
import { isOneOf } from '../registry/dialect.ts'
import type { Registry } from '../registry/tables.ts'

/** The quotas of every owner that has its own, by the name of the owner. */
export async function readQuotas(registry: Registry): Promise<Map<string, Overrides>> {
  const rows = await registry.selectFrom('quotas').selectAll().execute()
  const byPayer = Map.groupBy(rows, (row) => payerName(row))
  return new Map(
    [...byPayer].map(([payer, own]) => [
      payer,
      Object.fromEntries(own.map(({ name, quota }) => [name, quota]))
    ])
  )
}

export async function quotasOf(registry: Registry, { kind, id }: Payer): Promise<Overrides> {
  const rows = await registry
    .selectFrom('quotas')
    .select(['name', 'quota'])
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
  return Object.fromEntries(rows.map(({ name, quota }) => [name, quota]))
}

/** Replaces all own quotas of the owner. */
export async function writeQuotas(
  registry: Registry,
  { kind, id }: Payer,
  overrides: Overrides,
  now: number
): Promise<void> {
  await deleteQuotas(registry, kind, [id])
  const rows = Object.entries(overrides).map(([name, quota]) => ({ kind, id, name, quota }))
  if (rows.length > 0) {
    await registry
      .insertInto('quotas')
      .values(rows as { kind: PayerKind; id: number; name: keyof Overrides; quota: number }[])
      .execute()
  }
  await recordChange(registry, 'quota', id, now)
}

export async function deleteQuotas(
  registry: Registry,
  kind: PayerKind,
  ids: readonly number[]
): Promise<void> {
  await registry
    .deleteFrom('quotas')
    .where('kind', '=', kind)
    .where(isOneOf(registry, sql.ref('id'), ids))
    .execute()
}
