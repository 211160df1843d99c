import { payerName, type QuotaName } from '../lib/quota.ts'
import { Turns } from '../lib/turns.ts'
import { type Account, dayOf } from './account.ts'
import type { Accounts } from './accounts.ts'
import type { Quotas } from './quotas.ts'

/** `share` is the used part of the quota; 1 is all of it. */
export type QuotaShare = { quota: QuotaName; tenant: string; share: number }

/**
 * Tenants that are shown for each quota. They are named, and not their installations: otherwise a
 * tenant could make any number of series.
 */
const TENANTS_PER_QUOTA = 3

type Use = (account: Account) => number
type TenantShare = { tenant: string; share: number }

/**
 * The tenants that have used the largest part of each quota, by themselves or in one of their
 * organizations and installations. Files are not included, because the registry counts them.
 */
export async function highestShares(
  accounts: Accounts,
  quotas: Quotas,
  now: number
): Promise<QuotaShare[]> {
  const day = dayOf(now)
  const uses: [QuotaName, Use][] = [
    ['messages_per_second', (account) => account.rate(now)],
    ['topics', ({ topics }) => topics],
    ['history_bytes_per_day', (account) => account.dayBytes(day)],
    ['history_bytes', ({ bytes }) => bytes],
    ['connections', (account) => quotas.counted('connections', account)],
    ['filters', (account) => quotas.counted('filters', account)]
  ]
  const found = uses.map(() => [] as TenantShare[])
  const turns = new Turns()
  for (const account of accounts.all()) {
    if (turns.isOver(uses.length)) await turns.next()
    for (const [place, [quota, use]] of uses.entries()) {
      const used = use(account)
      if (used === 0) continue
      const share = used / Math.max(account.limits[quota], 1)
      enter(found[place], share, () => tenantOf(account))
    }
  }
  return uses.flatMap(([quota], place) => (found[place] ?? []).map((one) => ({ quota, ...one })))

  function tenantOf({ kind, id }: Account): string {
    if (kind === 'installation') return accounts.known(id)?.tenant ?? payerName({ kind, id })
    return payerName(quotas.organizationsOf(id).at(-1) ?? { kind, id })
  }
}

/** Adds the tenant to the highest, if it is one of them. */
function enter(highest: TenantShare[] = [], share: number, tenantOf: () => string): void {
  const last = highest.at(-1)
  if (highest.length >= TENANTS_PER_QUOTA && last && share <= last.share) return
  const tenant = tenantOf()
  const known = highest.find((one) => one.tenant === tenant)
  if (known) known.share = Math.max(known.share, share)
  else highest.push({ tenant, share })
  highest.sort((a, b) => b.share - a.share)
  highest.length = Math.min(highest.length, TENANTS_PER_QUOTA)
}
