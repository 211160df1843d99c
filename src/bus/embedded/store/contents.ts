import type { DatabaseSync } from 'node:sqlite'
import type { Contents, Cut, KeptFilter, KeptWill } from './changes.ts'

/** The same type as a row. SQLite has no booleans. */
export type AsRow<T> = {
  [Name in keyof T]: Extract<T[Name], boolean> extends never ? T[Name] : 0 | 1 | null
}

/** Reads, once at the start, what stays in memory. The queues stay on disk. */
export function readContents(db: DatabaseSync, now: number, cut: Cut): Contents {
  // These clients were connected when the last process ended. That time is not known, so `now`
  // is used.
  db.prepare('update sessions set awake = 0, used = ? where awake = 1').run(now)
  const all = (sql: string): object[] => db.prepare(sql).all()
  const greatest = (column: string, table: string) =>
    Number(db.prepare(`select max(${column}) as greatest from ${table}`).get()?.['greatest'])
  const filters = all(`
    select key, filter, qos, nl, rap, rh, id
    from filters left join filter_ids using (key, filter)`) as AsRow<KeptFilter & { key: number }>[]
  const wills = all(`
    select client_id as name, sealed, topic, payload, qos, retain, properties, expiry, delay, at as due
    from wills left join will_properties using (client_id) left join will_due using (client_id)`) as AsRow<KeptWill>[]
  return {
    sessions: all(`
      select key, client_id as clientId, owner, used, seconds as expiresAfter
      from sessions left join session_expiry using (key)`).map(
      withoutNulls
    ) as Contents['sessions'],
    filters: filters.map(({ nl, rap, rh, id, ...filter }) => ({
      ...filter,
      nl: isSet(nl),
      rap: isSet(rap),
      rh: rh ?? undefined,
      id: id ?? undefined
    })),
    retained: all(`
      select topic, payload, qos, properties, expires
      from retained left join retained_properties using (topic)`).map(
      withoutNulls
    ) as Contents['retained'],
    wills: wills.map(({ retain, ...will }) => ({
      ...(withoutNulls(will) as typeof will),
      retain: retain === 1
    })),
    cut,
    lastKey: greatest('key', 'sessions'),
    lastSeq: greatest('seq', 'messages')
  }
}

const isSet = (value: 0 | 1 | null | undefined): boolean | undefined =>
  typeof value === 'number' ? value === 1 : undefined

/** SQLite has null where our types have nothing. */
export const withoutNulls = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
