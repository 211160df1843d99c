import { topicMatches } from '../lib/topic.ts'
import { type ScopedAction, scopedActions } from './catalogue.ts'
import type { Directory } from './directory.ts'
import { holdsName, may, type Principal } from './principal.ts'

export type Explanation = { granted: boolean; grant: string | null; reason: string }

const no = (reason: string): Explanation => ({ granted: false, grant: null, reason })

/** Why a permission holds for the caller or does not, in words; on one installation when it is named. */
export function explain(
  principal: Principal,
  directory: Directory,
  permission: string,
  installationId?: number
): Explanation {
  const grant = principal.grants.patterns.find((pattern) => topicMatches(pattern, permission))
  if (installationId === undefined) {
    if (holdsName(principal, permission) && grant)
      return { granted: true, grant, reason: 'granted' }
    return no(grant ? 'the key is restricted and does not list it' : 'no grant covers it')
  }
  const action = scopedActions.find((name) => permission.replace(/\/(all|assigned)$/, '') === name)
  if (!action) return no('it is not about installations')
  const installation = directory.installation(installationId)
  // Missing and invisible look the same, here too.
  if (!installation || !may(principal, action, installation)) {
    return no('no grant of the caller covers it on that installation')
  }
  return { granted: true, ...byWhich(principal, action, installation) }
}

function byWhich(
  { grants, organizationsBelow, assigned }: Principal,
  action: ScopedAction,
  { id, organization_id }: { id: number; organization_id: number }
): { grant: string; reason: string } {
  const find = (name: string) => grants.patterns.find((pattern) => topicMatches(pattern, name))
  const byAll = organizationsBelow.has(organization_id) && find(`${action}/all`)
  if (byAll) return { grant: byAll, reason: 'it is in an organization of the caller or below' }
  const byAssigned = assigned.has(id) && find(`${action}/assigned`)
  if (byAssigned) return { grant: byAssigned, reason: 'it is assigned to the caller' }
  const byId = find(`${id}/${action}/all`) ?? find(`${id}/${action}/assigned`)
  return { grant: byId ?? '', reason: 'the grant names the installation' }
}
