import type { TraceObject } from '../../lib/trace.ts'
import type { PlainPermission, ScopedAction } from '../../permission/catalogue.ts'
import { holds, holdsName, type Principal, scopeOf } from '../../permission/principal.ts'
import {
  organizationsWithin,
  reachesEverything,
  usersVisibleTo
} from '../../permission/visibility.ts'
import type { TraceReach } from './entries.ts'

/** Kinds of objects in organizations, and the permissions to list them. */
const listed: readonly { kind: TraceObject; by: readonly PlainPermission[] }[] = [
  { kind: 'organization', by: ['organization/list', 'organization/list/all'] },
  { kind: 'edge_app', by: ['edge/app/list'] },
  { kind: 'user_registration_policy', by: ['registration/policy/list'] },
  { kind: 'role', by: ['role/list'] },
  { kind: 'mqtt', by: ['mqtt/blacklist/topic/manage'] }
]

/** [ADR-0023] Entries about objects that the caller can see now, and the caller's own actions. */
export function traceReach(principal: Principal): TraceReach {
  if (holds(principal, 'trace/list/system') && reachesEverything(principal)) return 'everything'
  const organizationIds = [...principal.organizationsBelow]
  const kinds = listed.filter(({ by }) => by.some((name) => holds(principal, name)))
  return {
    userId: principal.userId,
    installations: scopeOf(principal, 'installation/list'),
    goneInstallations: holdsName(principal, 'installation/list/all') ? organizationIds : [],
    users: usersVisibleTo(principal),
    others: [
      { kinds: kinds.map(({ kind }) => kind), organizationIds },
      { kinds: ['file'], organizationIds: within('file/list', 'file/update/organization') },
      {
        kinds: ['output_executor'],
        organizationIds: within('notification/executor/list', 'notification/executor/manage')
      }
    ]
  }

  function within(action: ScopedAction, permission: PlainPermission): number[] {
    return [...organizationsWithin(principal, { action, permissions: [permission] })]
  }
}
