import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { whatIsNeeded } from '../frame/refused.ts'
import { withoutScope } from '../frame/scope.ts'
import { me, permissions } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { organizationTree, rolesOfUsers, users } from './api.ts'
import { isRoleFor, mayGive, nameOf } from './rows.ts'
import type { Organization, Role, User } from './types.ts'

export type May = Readonly<Record<string, boolean>>
export type RoleChoice = { value: string; label: string; disabled: boolean }

const none: never[] = []

/** Roles and organizations by name, and what the caller may do with people. */
export function usePeople() {
  const { users: t } = useTexts()
  const may: May | undefined = useQuery(permissions).data
  const own = useQuery(me).data
  const mayListRoles = may?.['role/list'] === true
  const { data: roles = none, isLoading: areRolesLoading } = useQuery({
    ...rolesOfUsers,
    enabled: mayListRoles
  })
  const { data: tree = none, isLoading: isTreeLoading } = useQuery({
    ...organizationTree,
    enabled: maySeeOrganizations(may)
  })
  const { data: all = none } = useQuery(users)
  return useMemo(() => {
    const roleById = new Map(roles.map((one) => [one.id, one]))
    const nameById = new Map(tree.map((one) => [one.id, one.name]))
    const holders = Map.groupBy(own ? [own, ...all] : all, ({ role }) => role)
    const roleName = (id: number) =>
      roleById.get(id)?.name ??
      (areRolesLoading ? '' : t.roleOf(id, nameOf(holders.get(id)?.[0] ?? nobody)))
    return {
      may: may ?? {},
      own,
      tree,
      roleName,
      organizationName: (id: number) =>
        nameById.get(id) ?? (isTreeLoading ? '' : t.organizationOf(id)),
      roleChoices: (organisations: readonly number[], current: number): RoleChoice[] =>
        roles.length > 0
          ? choicesOf(roles, { organisations, current, tree, t }, (role) =>
              mayGive(role, { may: may ?? {}, role: roleById.get(own?.role ?? 0) })
            )
          : [...new Set([...holders.keys(), current])]
              .filter((id) => id > 0)
              .sort((a, b) => a - b)
              .map((id) => ({ value: String(id), label: roleName(id), disabled: false }))
    }
  }, [roles, tree, all, own, may, t, areRolesLoading, isTreeLoading])
}

export type People = ReturnType<typeof usePeople>

const nobody = { first_name: '', last_name: '', email: '' } as User

export const maySeeOrganizations = (may: May | undefined): boolean =>
  may?.['organization/list'] === true || may?.['organization/list/all'] === true

type For = {
  organisations: readonly number[]
  current: number
  tree: readonly Organization[]
  t: Texts['users']
}

/** The role that the user has is always there. */
function choicesOf(
  roles: readonly Role[],
  { organisations, current, tree, t }: For,
  isGiven: (role: Role) => boolean
): RoleChoice[] {
  return roles.flatMap((role) => {
    const isCurrent = role.id === current
    if (!isCurrent && !isRoleFor(role, organisations, tree)) return []
    const place = tree.find(({ id }) => id === role.organization_id)
    const label = place ? `${role.name} (${place.name})` : role.name
    const isTooMuch = !isCurrent && !isGiven(role)
    return {
      value: String(role.id),
      label: isTooMuch ? t.tooMuch(label) : label,
      disabled: isTooMuch
    }
  })
}

/**
 * What a refused request says. Who has the permission was refused for another reason: the user is
 * above the caller, or out of reach.
 */
export function told(error: Error, permission: string, may: May, texts: Texts): string {
  const { error: t, users } = texts
  if (!(error instanceof CaracalError)) return t.offline
  if (error.status !== 403) return error.message
  const names = error.permissions.length > 0 ? error.permissions : [permission]
  if (names.some((name) => may[name])) return users.refused
  return whatIsNeeded(error, texts) ?? t.needs(withoutScope(permission))
}
