import { queryOptions } from '@tanstack/react-query'
import type { Schemas } from '../../../tools/client/client.ts'
import { call } from '../session/session.ts'
import type { Definition, Rule, RuleFields } from './types.ts'

export const rules = (installation_id: number) =>
  queryOptions({
    queryKey: ['rules', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/rule/{installation_id}', { path: { installation_id } })
      )
  })

/** They hold for all installations of the organization and below. */
export const organizationRules = (organization_id: number) =>
  queryOptions({
    queryKey: ['rules of organization', organization_id],
    retry: false,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/rule/organization/{organization_id}', { path: { organization_id } })
      )
  })

const pathOf = ({ id, installation_id }: Pick<Rule, 'id' | 'installation_id'>) => ({
  path: { installation_id, rule_id: id }
})

export const create = (installation_id: number, body: RuleFields): Promise<Rule> =>
  call((caracal) =>
    caracal.post('/api/v2/rule/{installation_id}', { path: { installation_id }, body })
  )

export const update = (rule: Rule, body: RuleFields): Promise<Rule> =>
  call((caracal) =>
    caracal.put('/api/v2/rule/{installation_id}/{rule_id}', { ...pathOf(rule), body })
  )

export const remove = (rule: Rule): Promise<unknown> =>
  call((caracal) => caracal.delete('/api/v2/rule/{installation_id}/{rule_id}', pathOf(rule)))

/** The alarms that the rule would have raised in the last seconds. Nothing is stored. */
export const trial = (
  installation_id: number,
  definition: Definition | undefined,
  seconds: number
) =>
  queryOptions({
    queryKey: ['rule trial', installation_id, definition, seconds],
    enabled: definition !== undefined,
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const body = { rule: definition, from: Math.floor(Date.now() / 1000) - seconds }
      const path = `/api/v2/rule/${installation_id}/try`
      const answer = await call((caracal) => caracal.raw('POST', path, { body }, signal))
      return (await answer.json()) as Schemas['RuleTrial']
    }
  })
