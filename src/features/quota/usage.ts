import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import type { Payer, QuotaName } from '../../lib/quota.ts'
import { dayOf } from '../../quota/account.ts'
import type { Usage } from './schema.ts'

/**
 * How much of each quota an owner uses. The top organization has no account, so all are added up.
 */
export async function usageOf(deps: Deps, payer: Payer): Promise<Static<typeof Usage>> {
  const { registry, holdings, quotas, accounts, clock } = deps
  const now = clock()
  const account = accounts.find(payer)
  if (account) await accounts.countTopicsOf(account)
  const all = account ? [account] : [...accounts.installations()]
  const sum = (of: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one) => total + of(one), 0)
  const kept: Partial<Record<QuotaName, number>> = {}
  for (const { used } of holdings) Object.assign(kept, await used?.(registry, payer))
  const shown = (name: QuotaName, used: number) => {
    const quota = quotas.limit(payer.kind, payer.id, name)
    return { used, quota: Number.isFinite(quota) ? quota : null }
  }
  const rate = sum((one) => one.rate(now))
  const today = sum((one) => one.dayBytes(dayOf(now)))
  return {
    messages_per_second: shown('messages_per_second', Math.round(rate * 100) / 100),
    topics: shown(
      'topics',
      sum(({ topics }) => topics)
    ),
    history_bytes_per_day: shown('history_bytes_per_day', today),
    history_bytes: shown(
      'history_bytes',
      sum(({ bytes }) => bytes)
    ),
    files: shown('files', kept.files ?? 0),
    file_bytes: shown('file_bytes', kept.file_bytes ?? 0),
    connections: shown('connections', quotas.counted('connections', payer)),
    filters: shown('filters', quotas.counted('filters', payer))
  }
}
