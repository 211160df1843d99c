import type { TraceReach } from '../registry/trace.ts'
import { holds, holdsName, type Principal, scopeOf } from './principal.ts'
import { reachesEverything, usersVisibleTo } from './visibility.ts'

/** [ADR-0023] Entries about what the caller can see now, and its own. */
export function traceReach(principal: Principal): TraceReach {
  if (holds(principal, 'trace/list/system') && reachesEverything(principal)) return 'everything'
  const organizationIds = [...principal.organizationsBelow]
  return {
    userId: principal.userId,
    organizationIds,
    installations: scopeOf(principal, 'installation/list'),
    goneInstallations: holdsName(principal, 'installation/list/all') ? organizationIds : [],
    users: usersVisibleTo(principal)
  }
}
