import type { DatabaseSync } from 'node:sqlite'
import { accountOf } from '../../../lib/owner.ts'
import { MAX_TOPIC_BYTES, MAX_TOPIC_LEVELS } from '../../../lib/topic.ts'
import type { Cut, SessionLimits } from './changes.ts'

const isTooLong = (column: string): string =>
  `length(cast(${column} as blob)) > ${MAX_TOPIC_BYTES}
   or length(${column}) - length(replace(${column}, '/', '')) >= ${MAX_TOPIC_LEVELS}`

/**
 * Removes what is over the limits before it is read into memory. The file may be from an older
 * version, or from a time with higher limits. Of each account the sessions that were used last stay.
 */
export function cutDown(
  db: DatabaseSync,
  limits: SessionLimits,
  endSession: (key: number) => void
): Cut {
  db.function('account_of', { deterministic: true }, (owner) => accountOf(String(owner)))
  const cut: Cut = { sessions: 0, filters: 0, retained: 0, wills: 0 }
  const remove = (sql: string, ...values: (string | number)[]): number =>
    Number(db.prepare(sql).run(...values).changes)
  const numbersOf = (sql: string, ...values: (string | number)[]): number[] =>
    db
      .prepare(sql)
      .all(...values)
      .map((row) => Number(Object.values(row)[0]))
  const keepFilters = (key: number, count: number) => {
    cut.filters += remove(
      `delete from filters where key = ?1 and filter not in
       (select filter from filters where key = ?1 order by filter limit ?2)`,
      key,
      count
    )
  }

  cut.retained = remove(`delete from retained where ${isTooLong('topic')}`)
  cut.wills = remove(`delete from wills where ${isTooLong('topic')}`)
  cut.filters = remove(`delete from filters where ${isTooLong('filter')}`)
  const { sessionsPerOwner, filtersPerConnection, filtersPerOwner } = limits
  const tooMany = `select key from (select key, row_number() over
    (partition by account_of(owner) order by used desc, key desc) as place from sessions) where place > ?`
  for (const key of numbersOf(tooMany, sessionsPerOwner)) {
    endSession(key)
    cut.sessions++
  }
  const tooFull = 'select key from filters group by key having count(*) > ?'
  for (const key of numbersOf(tooFull, filtersPerConnection)) keepFilters(key, filtersPerConnection)
  const accounts = db.prepare(`select account_of(owner) as account from sessions
    join filters using (key) group by account having count(*) > ?`)
  const sizes = db.prepare(`select key, count(*) as filters from sessions join filters using (key)
    where account_of(owner) = ? group by key order by used desc, key desc`)
  for (const { account } of accounts.all(filtersPerOwner)) {
    let room = filtersPerOwner
    for (const { key, filters } of sizes.all(String(account))) {
      if (Number(filters) > room) keepFilters(Number(key), room)
      room = Math.max(0, room - Number(filters))
    }
  }
  return cut
}
