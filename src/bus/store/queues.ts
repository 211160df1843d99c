import type { DatabaseSync } from 'node:sqlite'
import type { Change, QueueLimits } from './changes.ts'

type Tally = { owner: string; queued: number; bytes: number }

/** What a row costs beside topic and payload, roughly. */
const ROW_BYTES = 64

/**
 * The queues of all sessions, inside a transaction of the caller. A message lies there once,
 * however many wait for it; over the limits a queue loses its oldest.
 */
export class Queues {
  readonly #limits: QueueLimits
  readonly #tallies = new Map<number, Tally>()
  readonly #touched = new Set<number>()
  readonly #bytesOf = new Map<string, number>()
  #dropped = 0
  readonly #statements

  constructor(db: DatabaseSync, limits: QueueLimits) {
    this.#limits = limits
    this.#statements = {
      message: db.prepare('insert into messages values (?, ?, ?)'),
      row: db.prepare('insert into queue values (?, ?, ?, ?, ?, 0, ?)'),
      number: db.prepare('update queue set message_id = ? where key = ? and seq = ?'),
      release: db.prepare('update queue set released = 1 where key = ? and seq = ?'),
      remove: db.prepare('delete from queue where key = ? and seq = ? returning bytes'),
      // Of a QoS 2 message that the other side has, only the end of the handshake waits.
      oldest: db.prepare(
        'select seq from queue where key = ? and released = 0 order by seq limit 1'
      ),
      orphan: db.prepare(
        'delete from messages where seq = ?1 and not exists (select 1 from queue where seq = ?1)'
      ),
      endMessages: db.prepare(`
        delete from messages where seq in (select seq from queue where key = ?1)
        and not exists (select 1 from queue where seq = messages.seq and key <> ?1)`),
      endRows: db.prepare('delete from queue where key = ?'),
      tally: db.prepare('select owner, queued, bytes from sessions where key = ?'),
      writeTally: db.prepare('update sessions set queued = ?, bytes = ? where key = ?'),
      ownerBytes: db.prepare('select owner, sum(bytes) as bytes from sessions group by owner')
    }
    this.forgetTallies()
  }

  add({ seq, topic, payload, receivers }: Extract<Change, { kind: 'message' }>): void {
    const waiting = receivers.filter(({ key }) => this.#tallyOf(key))
    if (waiting.length === 0) return
    this.#statements.message.run(seq, topic, payload)
    const bytes = topic.length + payload.length + ROW_BYTES
    for (const { key, qos, retain, messageId } of waiting) {
      this.#statements.row.run(key, seq, qos, Number(retain), messageId ?? null, bytes)
      this.#count(key, 1, bytes)
    }
    for (const { key } of waiting) this.#makeRoom(key)
  }

  number(key: number, seq: number, messageId: number): void {
    this.#statements.number.run(messageId, key, seq)
  }

  release(key: number, seq: number): void {
    this.#statements.release.run(key, seq)
  }

  remove(key: number, seq: number): void {
    const row = this.#statements.remove.get(key, seq)
    if (!row) return
    this.#count(key, -1, -Number(row['bytes']))
    this.#statements.orphan.run(seq)
  }

  end(key: number): void {
    const tally = this.#tallyOf(key)
    if (tally) this.#count(key, -tally.queued, -tally.bytes)
    this.#statements.endMessages.run(key)
    this.#statements.endRows.run(key)
    this.#tallies.delete(key)
    this.#touched.delete(key)
  }

  /** Before the commit. */
  writeTallies(): void {
    for (const key of this.#touched) {
      const tally = this.#tallies.get(key)
      if (tally) this.#statements.writeTally.run(tally.queued, tally.bytes, key)
    }
    this.#touched.clear()
  }

  /** After a rollback. */
  forgetTallies(): void {
    this.#dropped = 0
    this.#touched.clear()
    this.#tallies.clear()
    this.#bytesOf.clear()
    for (const { owner, bytes } of this.#statements.ownerBytes.all()) {
      this.#bytesOf.set(String(owner), Number(bytes))
    }
  }

  /** How many were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  #makeRoom(key: number): void {
    const { messages, bytes, ownerBytes } = this.#limits
    const tally = this.#tallyOf(key)
    while (
      tally &&
      (tally.queued > messages ||
        tally.bytes > bytes ||
        (this.#bytesOf.get(tally.owner) ?? 0) > ownerBytes)
    ) {
      const oldest = this.#statements.oldest.get(key)
      if (!oldest) return
      this.remove(key, Number(oldest['seq']))
      this.#dropped++
    }
  }

  #tallyOf(key: number): Tally | undefined {
    let tally = this.#tallies.get(key)
    if (!tally) {
      const row = this.#statements.tally.get(key)
      if (!row) return undefined
      tally = { ...row } as Tally
      this.#tallies.set(key, tally)
    }
    return tally
  }

  #count(key: number, messages: number, bytes: number): void {
    const tally = this.#tallyOf(key)
    if (!tally) return
    tally.queued += messages
    tally.bytes += bytes
    this.#bytesOf.set(tally.owner, (this.#bytesOf.get(tally.owner) ?? 0) + bytes)
    this.#touched.add(key)
  }
}
