import type { DatabaseSync } from 'node:sqlite'

/**
 * In a file of an older version a client id was unique. Now it is unique for each owner. [ADR-0014]
 */
export function nameByOwner(db: DatabaseSync): void {
  const made = db.prepare("select sql from sqlite_master where name = 'sessions'").get()
  if (!String(made?.['sql']).includes('client_id text not null unique')) return
  db.exec(`
    begin immediate;
    create table sessions_by_owner (
      key integer primary key, client_id text not null, owner text not null,
      used integer not null, awake integer not null, queued integer not null,
      bytes integer not null, unique (owner, client_id));
    insert into sessions_by_owner
      select key, client_id, owner, used, awake, queued, bytes from sessions;
    drop table sessions;
    alter table sessions_by_owner rename to sessions;
    commit;
  `)
}
