import { queryOptions, useQuery } from '@tanstack/react-query'
import { permissions } from '../queries.ts'
import { call } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'

/** Id, name and parent of the organizations that the caller sees. */
export const organizationNames = queryOptions({
  queryKey: ['organization names'],
  queryFn: () =>
    call((caracal) => caracal.get('/api/v2/organization', { query: { minimal: true } }))
})

/** The organizations to choose from, and how one is called. Who may not list them sees ids. */
export function useOrganizations() {
  const { roles: t } = useTexts()
  const may = useQuery(permissions).data
  const mayList = may?.['organization/list'] || may?.['organization/list/all'] || false
  const { data = [] } = useQuery({ ...organizationNames, enabled: mayList })
  const names = new Map(data.map(({ id, name }) => [id, name]))
  return {
    choices: data
      .map(({ id, name }) => ({ value: String(id), label: names.get(id) ? name : String(id) }))
      .sort((a, b) => a.label.localeCompare(b.label)),
    nameOf: (id: number) => names.get(id) ?? t.organization(id)
  }
}
