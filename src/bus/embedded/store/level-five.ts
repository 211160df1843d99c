import type { DatabaseSync } from 'node:sqlite'

/**
 * What MQTT 5 adds, in tables of its own. A program that does not know them reads and writes the
 * others as before, and the triggers keep them in step also then. [ADR-0059]
 */
export function addLevelFive(db: DatabaseSync): void {
  db.exec(`
    create table if not exists session_expiry (
      key integer primary key, seconds integer not null);
    create trigger if not exists session_expiry_end after delete on sessions begin
      delete from session_expiry where key = old.key; end;

    create table if not exists filter_ids (
      key integer not null, filter text not null, id integer not null,
      primary key (key, filter)) without rowid;
    create trigger if not exists filter_ids_end after delete on filters begin
      delete from filter_ids where key = old.key and filter = old.filter; end;
    create trigger if not exists filter_ids_replace after insert on filters begin
      delete from filter_ids where key = new.key and filter = new.filter; end;

    create table if not exists message_properties (
      seq integer primary key, properties blob, expires integer);
    create trigger if not exists message_properties_end after delete on messages begin
      delete from message_properties where seq = old.seq; end;

    create table if not exists queue_ids (
      key integer not null, seq integer not null, ids text not null,
      primary key (key, seq)) without rowid;
    create trigger if not exists queue_ids_end after delete on queue begin
      delete from queue_ids where key = old.key and seq = old.seq; end;

    create table if not exists retained_properties (
      topic text primary key, properties blob, expires integer) without rowid;
    create trigger if not exists retained_properties_end after delete on retained begin
      delete from retained_properties where topic = old.topic; end;
    create trigger if not exists retained_properties_replace after insert on retained begin
      delete from retained_properties where topic = new.topic; end;

    create table if not exists will_properties (
      client_id text primary key, properties blob, expiry integer, delay integer) without rowid;
    create trigger if not exists will_properties_end after delete on wills begin
      delete from will_properties where client_id = old.client_id; end;
    create trigger if not exists will_properties_replace after insert on wills begin
      delete from will_properties where client_id = new.client_id; end;

    create table if not exists will_due (
      client_id text primary key, at integer not null) without rowid;
    create trigger if not exists will_due_end after delete on wills begin
      delete from will_due where client_id = old.client_id; end;
    create trigger if not exists will_due_replace after insert on wills begin
      delete from will_due where client_id = new.client_id; end;
  `)
}
