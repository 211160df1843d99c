import { useQuery } from '@tanstack/react-query'
import { grants, holds, rights } from '../queries.ts'
import { type Place, words } from './api.ts'

const actions = { edit: 'update', delete: 'create_delete' } as const

/** Whether the caller may use the verb on objects of the type. Some grants name a type. */
export function useMay({ kind, installation_id }: Place, verb: 'edit' | 'delete', type: string) {
  const { resource, byType } = words[kind]
  const known = useQuery(rights(installation_id)).data
  const isAllowed = known?.[`${resource}/${actions[verb]}`]
  const one = useQuery({
    ...holds(installation_id, `${byType}/${type}/${verb}`),
    enabled: isAllowed === false
  })
  return isAllowed || one.data || false
}

/** Which type will be created is not known yet, so any grant that names one counts. */
export function useMayAdd({ kind, installation_id }: Place): boolean {
  const { resource, byType } = words[kind]
  const known = useQuery(rights(installation_id)).data
  const isAllowed = known?.[`${resource}/create_delete`]
  const { data = {} } = useQuery({ ...grants, enabled: isAllowed === false })
  const ofType = new RegExp(`^(${installation_id}/)?${byType}/[^/]+/(add|\\+)$`)
  return isAllowed || Object.keys(data).some((name) => data[name] && ofType.test(name))
}

export function useMayProtect({ kind, installation_id }: Place): boolean {
  const known = useQuery(rights(installation_id)).data
  return known?.[`${words[kind].resource}/edit/protected_meta`] ?? false
}
