import { clientIdOf } from '../lib/topic.ts'
import { administratorsOnly } from './catalogue.ts'
import type { Directory } from './directory.ts'
import { Grants } from './grants.ts'
import type { Principal } from './principal.ts'

type Installations = Pick<Directory, 'installation'>

/** Whether the caller has everything that the pattern grants, and so may give it to others. */
export function mayGrant(principal: Principal, directory: Installations, pattern: string): boolean {
  const { grants, limit, organizationsBelow } = principal
  const held = limit ? [grants, limit] : [grants]
  const id = clientIdOf(pattern)
  if (id === undefined) return held.every((own) => own.coversPattern(pattern))
  const installation = directory.installation(id)
  const isInReach = installation && organizationsBelow.has(installation.organization_id)
  // On an installation of their organizations, the caller may grant what they have on all of them.
  const onAll = pattern.slice(pattern.indexOf('/') + 1).replace(/\/assigned$/, '/all')
  return held.every(
    (own) => own.coversPatternIn(id, pattern) || (isInReach && own.coversPattern(onAll))
  )
}

/**
 * Whether the caller may give this role to a user, or change a user who has it. The role must not
 * have a higher priority or wider grants than the caller and the key in use. [ADR-0035]
 */
export const mayHandOut = (
  principal: Principal,
  directory: Installations,
  role: { priority: number; permissions: Readonly<Record<string, boolean>> }
): boolean =>
  role.priority <= principal.priority &&
  Object.entries(role.permissions).every(
    ([pattern, granted]) => granted !== true || mayGrant(principal, directory, pattern)
  )

/** Whether any pattern covers a permission that only administrators may have. */
export function isForAdministrators(permissions: Readonly<Record<string, boolean>>): boolean {
  const grants = new Grants(permissions)
  return administratorsOnly.some((name) => grants.covers(name))
}
