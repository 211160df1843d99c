import { payerName, type QuotaName } from '../lib/quota.ts'
import { type Account, dayOf } from './account.ts'
import type { Accounts } from './accounts.ts'
import type { Quotas } from './quotas.ts'

/** Of 1, which is all of a quota. */
export type Share = { quota: QuotaName; owner: string; share: number }

/** Owners of each quota that are shown: a label for each of them all would be too many. */
const SHOWN = 3

type Use = (account: Account) => number
type Found = { account: Account; share: number }

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
  const found = uses.map(() => [] as Found[])
  for (const account of accounts.all()) {
    for (const [place, [quota, use]] of uses.entries()) {
      const used = use(account)
      if (used > 0) enter(found[place], account, used / Math.max(account.limits[quota], 1))
    }
  }
  return uses.flatMap(([quota], place) =>
    (found[place] ?? []).map(({ account, share }) => ({ quota, owner: payerName(account), share }))
  )
}

/** Among the highest, if it is one of them. */
function enter(highest: Found[] = [], account: Account, share: number): void {
  const last = highest.at(-1)
  if (highest.length >= SHOWN && last && share <= last.share) return
  highest.push({ account, share })
  highest.sort((a, b) => b.share - a.share)
  highest.length = Math.min(highest.length, SHOWN)
}
