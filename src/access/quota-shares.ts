import { payerName, type QuotaName } from '../lib/quota.ts'
import { type Account, dayOf } from './account.ts'
import type { Accounts } from './accounts.ts'
import type { Quotas } from './quotas.ts'

/** Of 1, which is all of a quota. */
export type Share = { quota: QuotaName; owner: string; share: number }

/** Owners of each quota that are shown: a label for each of them all would be too many. */
const SHOWN = 3

type Use = (account: Account) => number

/** The owners that are nearest to each quota. Files are not among them: the registry counts those. */
export function highestShares(accounts: Accounts, quotas: Quotas, now: number): Share[] {
  const day = dayOf(now)
  const uses: [QuotaName, Use][] = [
    ['messages_per_second', (account) => account.rate(now)],
    ['topics', ({ topics }) => topics],
    ['history_bytes_per_day', (account) => account.dayBytes(day)],
    ['history_bytes', ({ bytes }) => bytes],
    ['connections', (account) => quotas.counted('connections', account)],
    ['filters', (account) => quotas.counted('filters', account)]
  ]
  return uses.flatMap(([quota, use]) => highest(accounts, quota, use))
}

function highest(accounts: Accounts, quota: QuotaName, use: Use): Share[] {
  const found: { account: Account; share: number }[] = []
  for (const account of accounts.all()) {
    const used = use(account)
    if (used <= 0) continue
    const share = used / Math.max(account.limits[quota], 1)
    const last = found.at(-1)
    if (found.length >= SHOWN && last && share <= last.share) continue
    found.push({ account, share })
    found.sort((a, b) => b.share - a.share)
    found.length = Math.min(found.length, SHOWN)
  }
  return found.map(({ account, share }) => ({ quota, owner: payerName(account), share }))
}
