import { clientIdOf } from '../lib/topic.ts'
import { administratorsOnly } from './catalogue.ts'
import type { Directory } from './directory.ts'
import { Grants } from './permission.ts'
import type { Principal } from './principal.ts'

type Installations = Pick<Directory, 'installation'>

/** A grant opens nothing that whoever gives it does not have. */
export function mayGrant(principal: Principal, directory: Installations, pattern: string): boolean {
  const { grants, limit, organizationsBelow } = principal
  const held = limit ? [grants, limit] : [grants]
  const id = clientIdOf(pattern)
  if (id === undefined) return held.every((own) => own.coversPattern(pattern))
  const installation = directory.installation(id)
  const isInReach = installation && organizationsBelow.has(installation.organization_id)
  // On one installation of the caller's organizations: what the caller may on all of them.
  const onAll = pattern.slice(pattern.indexOf('/') + 1).replace(/\/assigned$/, '/all')
  return held.every(
    (own) => own.coversPatternIn(id, pattern) || (isInReach && own.coversPattern(onAll))
  )
}

/**
 * Nobody handles a role, or whoever has it, above their own priority or with wider grants. The
 * limits of the key in use count too. [ADR-0035]
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

/** Whether some of what only administrators may is among it, by whatever pattern. */
export function isForAdministrators(permissions: Readonly<Record<string, boolean>>): boolean {
  const grants = new Grants(permissions)
  return administratorsOnly.some((name) => grants.covers(name))
}
