import { queryOptions } from '@tanstack/react-query'
import { mappings } from '../mapping/api.ts'
import { devices, functions, queryClient } from '../queries.ts'
import { rulesOf } from '../rule/api.ts'
import { call } from '../session/session.ts'
import { usage } from './api.ts'

type May = Readonly<Record<string, boolean>>
export type Count = keyof ReturnType<typeof countersOf>

const pathOf = (installation_id: number) => ({ path: { installation_id } })

/** What goes with an installation, and the permission to see it. */
const countersOf = (id: number) =>
  ({
    functions: ['functionx/list', () => queryClient.fetchQuery(functions(id))],
    devices: ['devicex/list', () => queryClient.fetchQuery(devices(id))],
    rules: [
      'rule/list',
      () => queryClient.fetchQuery({ ...rulesOf({ kind: 'installation', id }), staleTime: 0 })
    ],
    mappings: [
      'mapping/list',
      () => queryClient.fetchQuery({ ...mappings({ kind: 'installation', id: id }), staleTime: 0 })
    ],
    schedules: [
      'schedule/list',
      () => call((caracal) => caracal.get('/api/v2/schedule/{installation_id}', pathOf(id)))
    ],
    apps: [
      'edge/app/configured/list',
      () =>
        call((caracal) => caracal.get('/api/v2/edge/app/configured/{installation_id}', pathOf(id)))
    ],
    messages: [
      'notification/message/list',
      () =>
        call((caracal) => caracal.get('/api/v2/notification/{installation_id}/message', pathOf(id)))
    ],
    outputs: [
      'notification/output/list',
      () =>
        call((caracal) => caracal.get('/api/v2/notification/{installation_id}/output', pathOf(id)))
    ]
  }) satisfies Record<string, [permission: string, list: () => Promise<readonly unknown[]>]>

/** How many of each kind the caller sees, and what is stored. */
export const goingWith = (id: number, may: May) =>
  queryOptions({
    queryKey: ['going with', id],
    staleTime: 0,
    queryFn: async () => {
      const counters = Object.entries(countersOf(id)) as [
        Count,
        [permission: string, list: () => Promise<readonly unknown[]>]
      ][]
      const seen = counters.filter(([, [permission]]) => may[permission])
      const [stored, ...counts] = await Promise.all([
        queryClient.fetchQuery({ ...usage(id), staleTime: 0 }),
        ...seen.map(async ([kind, [, list]]) => ({ kind, n: (await list()).length }))
      ])
      return { stored, counts: counts.filter(({ n }) => n > 0) }
    }
  })
