import type { Static } from 'typebox'
import { dayOf } from '../../access/account.ts'
import type { Deps } from '../../deps.ts'
import type { Payer, QuotaName } from '../../lib/quota.ts'
import { filesOf } from '../../registry/files.ts'
import type { Usage } from './schema.ts'

/** What an owner uses of each quota. The top organization has no account: it has what all have. */
export async function usageOf(deps: Deps, payer: Payer): Promise<Static<typeof Usage>> {
  const { registry, quotas, accounts, clock } = deps
  const now = clock()
  const account = accounts.find(payer)
  const all = account ? [account] : [...accounts.installations()]
  const sum = (of: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one) => total + of(one), 0)
  const reach = payer.kind === 'organization' ? 'below' : 'own'
  const { files, bytes } = await filesOf(registry, payer, { reach })
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
    files: shown('files', files),
    file_bytes: shown('file_bytes', bytes),
    connections: shown('connections', quotas.counted('connections', payer)),
    filters: shown('filters', quotas.counted('filters', payer))
  }
}
