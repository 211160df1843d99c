import { scopeTest } from '../../lib/scope.ts'
import type { Directory } from '../../permission/directory.ts'
import { type Principal, scopeOf } from '../../permission/principal.ts'
import { type AlarmReach, MAX_FEW } from './list.ts'

/** The installations whose alarms the caller may list. */
export function alarmReach(principal: Principal, directory: Directory): AlarmReach {
  const scope = scopeOf(principal, 'alarm/list')
  if (!scope.within && directory.isWithin(new Set(scope.organizationIds))) return 'everything'
  const isWithin = scopeTest(scope)
  const found = new Set<number>()
  for (const id of scope.installationIds) {
    const installation = directory.installation(id)
    if (installation && isWithin(installation)) found.add(id)
    if (found.size > MAX_FEW) return { many: scope }
  }
  for (const installation of directory.inOrganizations(scope.organizationIds)) {
    if (isWithin(installation)) found.add(installation.id)
    if (found.size > MAX_FEW) return { many: scope }
  }
  return { few: [...found] }
}
