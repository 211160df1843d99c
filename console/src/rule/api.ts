import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import type { Owner } from '../frame/owner.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { AnyRule, Definition, RuleFields } from './types.ts'

export const rulesOf = ({ kind, id }: Owner) =>
  queryOptions({
    queryKey: ['rules', kind, id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call<AnyRule[]>((caracal) =>
        kind === 'installation'
          ? caracal.get('/api/v2/rule/{installation_id}', { path: { installation_id: id } })
          : caracal.get('/api/v2/rule/organization/{organization_id}', {
              path: { organization_id: id }
            })
      )
  })

export const create = ({ kind, id }: Owner, body: RuleFields): Promise<AnyRule> =>
  call<AnyRule>((caracal) =>
    kind === 'installation'
      ? caracal.post('/api/v2/rule/{installation_id}', { path: { installation_id: id }, body })
      : caracal.post('/api/v2/rule/organization/{organization_id}', {
          path: { organization_id: id },
          body
        })
  )

/** One rule, with the tag for its change. */
export const read = ({ kind, id }: Owner, rule_id: number): Promise<Tagged<AnyRule>> =>
  call<Tagged<AnyRule>>((caracal) =>
    kind === 'installation'
      ? caracal.tagged('/api/v2/rule/{installation_id}/{rule_id}', {
          path: { installation_id: id, rule_id }
        })
      : caracal.tagged('/api/v2/rule/organization/{organization_id}/{rule_id}', {
          path: { organization_id: id, rule_id }
        })
  )

type Change = { body: RuleFields; etag: string }

export const update = (
  { kind, id }: Owner,
  rule_id: number,
  { body, etag }: Change
): Promise<AnyRule> =>
  call<AnyRule>((caracal) =>
    kind === 'installation'
      ? caracal.put('/api/v2/rule/{installation_id}/{rule_id}', {
          path: { installation_id: id, rule_id },
          header: { 'If-Match': etag },
          body
        })
      : caracal.put('/api/v2/rule/organization/{organization_id}/{rule_id}', {
          path: { organization_id: id, rule_id },
          header: { 'If-Match': etag },
          body
        })
  )

export const remove = ({ kind, id }: Owner, rule_id: number): Promise<unknown> =>
  call((caracal) =>
    kind === 'installation'
      ? caracal.delete('/api/v2/rule/{installation_id}/{rule_id}', {
          path: { installation_id: id, rule_id }
        })
      : caracal.delete('/api/v2/rule/organization/{organization_id}/{rule_id}', {
          path: { organization_id: id, rule_id }
        })
  )

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
      const answer = await call((caracal) =>
        caracal.raw('POST', `/api/v2/rule/${installation_id}/try`, { body }, signal)
      )
      return (await answer.json()) as Schemas['RuleTrial']
    }
  })
