import { useQuery } from '@tanstack/react-query'
import { permissions } from '../queries.ts'
import { type Alarm, type Raised, raised, type Severity, worstOf } from './api.ts'

/** More are `99+`. */
export const MOST_COUNTED = 99
/** The installations page tells where they are, so it reads more of them. */
const MOST_PLACED = 2000

/** [contract: Permissions] A grant on one installation begins with its id. */
const ON_ONE = /^\d+\/(#|\+\/(\+|list)|alarm\/(#|\+|list))$/

/** Whether the caller may list the alarms of some installation. Undefined: not known yet. */
export function useMayList(): boolean | undefined {
  const { data } = useQuery(permissions)
  if (!data) return undefined
  const isCovered = data['alarm/list/all'] ?? data['alarm/list/assigned'] ?? false
  return isCovered || Object.keys(data).some((name) => ON_ONE.test(name))
}

/** The alarms that nobody has acknowledged, on every page. */
export function useGlance(): Raised | undefined {
  const enabled = useMayList() === true
  return useQuery({ ...raised(MOST_COUNTED + 1), enabled }).data
}

/** A number of alarms. `isFull`: there may be more. */
export type Count = { count: number; isFull: boolean; worst: Severity | undefined }

export const countOf = ({ alarms, worst, isFull }: Raised): Count => ({
  count: Math.min(alarms.length, MOST_COUNTED),
  ...{ isFull, worst }
})

/** How many each installation has. */
export function useAlarmsByInstallation(): ReadonlyMap<number, Count> {
  const few = useGlance()
  const many = useQuery({ ...raised(MOST_PLACED), enabled: few?.isFull === true }).data
  const { alarms = [] } = (few?.isFull ? many : few) ?? few ?? {}
  const byInstallation = Map.groupBy<number, Alarm>(alarms, (one) => one.installation_id)
  return new Map(
    [...byInstallation].map(([id, own]) => {
      const isFull = own.length > MOST_COUNTED
      return [id, countOf({ alarms: own, worst: worstOf(own), isFull })]
    })
  )
}
