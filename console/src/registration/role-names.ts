import { useQuery } from '@tanstack/react-query'
import { permissions } from '../queries.ts'
import { roles } from '../role/api.ts'
import { useTexts } from '../texts/texts.ts'
import { USER_ROLE_ID } from './draft.ts'

/** How roles are called. Who may not list them sees ids. */
export function useRoleNames() {
  const { registration: t } = useTexts()
  const mayList = useQuery(permissions).data?.['role/list'] === true
  const { data = [] } = useQuery({ ...roles, enabled: mayList })
  const nameOf = (id: number) => data.find((role) => role.id === id)?.name ?? t.roleOf(id)
  const choices = (chosen: number) => {
    const ids = new Set([...data.map(({ id }) => id), USER_ROLE_ID, chosen])
    return [...ids].map((id) => ({ value: String(id), label: nameOf(id) }))
  }
  return { nameOf, choices }
}
