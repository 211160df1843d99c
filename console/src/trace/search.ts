import { readWallText } from '../plot/zone.ts'

export const kinds = [
  ...(['installation', 'function', 'device', 'rule', 'alarm', 'mapping', 'schedule'] as const),
  ...(['gateway', 'certificate', 'edge_app_instance', 'file', 'mqtt'] as const),
  ...(['notification_message', 'notification_output'] as const)
] as const
export const actions = ['create', 'update', 'delete', 'execute', 'failed'] as const
export const times = ['day', 'week', 'month', 'year', 'days'] as const

export type Kind = (typeof kinds)[number]
export type Action = (typeof actions)[number]
export type Time = (typeof times)[number]

/** What the address of the trace holds. */
export type TraceSearch = {
  /** A user; 0: a gateway, or somebody who was not signed in. */
  who?: number
  kind?: Kind
  action?: Action
  /** The last month if it is missing. */
  time?: Time
  /** With some days: the first and the last one, such as 2026-11-18. */
  from?: string
  to?: string
  page?: number
  /** The entry that is open. */
  id?: number
}

const isCount = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least
const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && Number.isFinite(Date.parse(value))
    ? value
    : undefined

export const readTraceSearch = (search: Record<string, unknown>): TraceSearch => ({
  who: isCount(search.who, 0) ? search.who : undefined,
  kind: kinds.find((one) => one === search.kind),
  action: actions.find((one) => one === search.action),
  time: times.find((one) => one !== 'month' && one === search.time),
  from: dayOf(search.from),
  to: dayOf(search.to),
  page: isCount(search.page, 2) ? search.page : undefined,
  id: isCount(search.id, 0) ? search.id : undefined
})

export const hasFilter = ({ who, kind, action }: TraceSearch): boolean =>
  who !== undefined || kind !== undefined || action !== undefined

export const isBackwards = ({ time, from, to }: TraceSearch): boolean =>
  time === 'days' && from !== undefined && to !== undefined && from > to

const DAY_MS = 86_400_000
const lengths = { day: 1, week: 7, month: 30, year: 365 }
/** The last moment of a day, in seconds. */
const END_S = 0.001

/** The time in seconds, days by the clock of the installation. `now` is in milliseconds. */
export function spanOf(
  { time = 'month', from, to }: TraceSearch,
  zone: string,
  now: number
): { from: number; to?: number } {
  if (time !== 'days') return { from: (now - lengths[time] * DAY_MS) / 1000 }
  const startOf = (day: string) => (readWallText(zone, `${day}T00:00`) ?? 0) / 1000
  const after = to && new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10)
  return {
    // A time before 1970 counts as missing.
    from: from ? Math.max(startOf(from), 1) : 1,
    ...(after && { to: startOf(after) - END_S })
  }
}
