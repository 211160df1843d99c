import { badRequest } from '../../http/errors.ts'
import { DAY, momentOr, type UnixMs, unixMs } from '../../lib/unix-time.ts'

const DEFAULT_LIMIT = 10_000

type WindowQuery = {
  from?: number
  to?: number
  limit?: number
  offset?: number
  order?: 'asc' | 'desc'
}

/** [contract: Limits] Defaults: the last 24 hours, newest first, 10 000 entries. */
export function windowOf(query: WindowQuery, now: UnixMs) {
  const from = momentOr(unixMs(now - DAY), query.from)
  const to = momentOr(now, query.to)
  if (from > to) throw badRequest('from must not be later than to')
  return {
    from,
    to,
    limit: query.limit || DEFAULT_LIMIT,
    offset: query.offset ?? 0,
    order: query.order ?? 'desc'
  }
}
