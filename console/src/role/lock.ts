import { useQuery } from '@tanstack/react-query'
import { grants, me, permissions } from '../queries.ts'
import type { Texts } from '../texts/texts.ts'
import { type Role, roles } from './api.ts'
import { mayGive } from './patterns.ts'

const ADMINISTRATOR_ROLE_ID = 1
/** The first ones come with the platform. */
const ROLES_THAT_STAY = 3
/** It is made first, and nothing is above it. */
const TOP_ORGANIZATION_ID = 1
const MOST_NAMED = 5

export const staysForever = ({ id }: Pick<Role, 'id'>): boolean => id <= ROLES_THAT_STAY

/** What the caller may do with roles. */
export function useRights() {
  const may = useQuery(permissions).data ?? {}
  const own = useQuery(grants).data ?? {}
  const user = useQuery(me).data
  const role = useQuery(roles).data?.find(({ id }) => id === user?.role)
  return {
    own,
    roleId: user?.role,
    /** Undefined until it is known, or if the caller may not see it. */
    priority: role?.priority,
    isTop: user?.organisations.includes(TOP_ORGANIZATION_ID) ?? false,
    firstOrganization: user?.organisations[0] ?? 0,
    mayCreate: may['role/create_delete'] === true,
    mayUpdate: may['role/update'] === true,
    mayExplain: may['permission/explain'] === true
  }
}

export type Rights = ReturnType<typeof useRights>

/** Why the caller cannot change the role; undefined: they can. */
export function lockOf(role: Role, rights: Rights, { roles: t }: Texts): string | undefined {
  const { own, priority = Number.POSITIVE_INFINITY, isTop } = rights
  if (!rights.mayUpdate && !rights.mayCreate) return t.locked.permission
  if (role.id === ADMINISTRATOR_ROLE_ID) return t.locked.administrator
  if (role.organization_id === 0 && !isTop) return t.locked.top
  if (role.priority > priority) return t.locked.priority
  const beyond = Object.keys(role.permissions).filter(
    (one) => role.permissions[one] && !mayGive(own, one)
  )
  if (beyond.length === 0) return rights.mayUpdate ? undefined : t.locked.permission
  const more = beyond.length - MOST_NAMED
  const named = beyond.slice(0, MOST_NAMED)
  return t.locked.beyond([...named, ...(more > 0 ? [t.andMore(more)] : [])].join(', '))
}
