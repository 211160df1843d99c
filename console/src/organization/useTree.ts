import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { installations, me, permissions } from '../queries.ts'
import { organizationTree, users } from '../user/api.ts'
import { idsBelow } from '../user/rows.ts'
import type { ParentChoice } from './Fields.tsx'
import { insideOf, pathOf, rootOf } from './tree.ts'

const none: never[] = []

/** The organizations that the caller sees, what is in them, and what the caller may do. */
export function useTree() {
  const { data: may = {} as Readonly<Record<string, boolean>> } = useQuery(permissions)
  const own = useQuery(me).data
  const maySeeUsers = may['user/list'] === true
  const { data: all = none } = useQuery(organizationTree)
  const { data: sites } = useQuery(installations)
  const { data: people } = useQuery({ ...users, enabled: maySeeUsers })
  return useMemo(() => {
    const byId = new Map(all.map((one) => [one.id, one]))
    return {
      may,
      own,
      all,
      byId,
      installations: sites,
      users: maySeeUsers ? people : undefined,
      pathOf: (id: number) => pathOf(byId, id),
      rootOf: (id: number) => rootOf(byId, id),
      inside: (id: number) => insideOf(idsBelow(all, id), sites ?? [], people ?? []),
      /** Whether it is the other one or below it. */
      isWithin: (id: number, other: number) => idsBelow(all, other).has(id),
      /** It cannot be moved to itself or below itself. */
      parentsFor: (id?: number): ParentChoice[] => {
        const below = id === undefined ? new Set<number>() : idsBelow(all, id)
        return all
          .flatMap((one) => (below.has(one.id) ? [] : [one.id]))
          .map((one) => ({ value: String(one), label: pathOf(byId, one) }))
          .sort((a, b) => a.label.localeCompare(b.label))
      }
    }
  }, [all, sites, people, may, own, maySeeUsers])
}

export type TreeOf = ReturnType<typeof useTree>
