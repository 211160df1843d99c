import type { DatabaseSync } from 'node:sqlite'
import { accountOf } from '../../../lib/owner.ts'
import { Tally } from '../../../lib/tally.ts'
import type { Change, QueueLimits } from './changes.ts'

type QueueSize = { account: string; queued: number; bytes: number }

/** The approximate size of a row without topic and payload. */
const ROW_BYTES = 64

/**
 * The queues of all sessions. The caller opens and commits the transaction. A message is stored
 * once, however many sessions wait for it. A queue that is over its limits loses its oldest
 * messages.
 */
export class Queues {
  readonly #limits: QueueLimits
  readonly #sizes = new Map<number, QueueSize>()
  readonly #touched = new Set<number>()
  /** By account. */
  #bytesOf = new Tally()
  #dropped = 0
  readonly #statements

  constructor(db: DatabaseSync, limits: QueueLimits) {
    this.#limits = limits
    this.#statements = {
      message: db.prepare('insert into messages values (?, ?, ?)'),
      properties: db.prepare('insert or replace into message_properties values (?, ?, ?)'),
      ids: db.prepare('insert or replace into queue_ids values (?, ?, ?)'),
      row: db.prepare('insert into queue values (?, ?, ?, ?, ?, 0, ?)'),
      number: db.prepare('update queue set message_id = ? where key = ? and seq = ?'),
      release: db.prepare('update queue set released = 1 where key = ? and seq = ?'),
      remove: db.prepare('delete from queue where key = ? and seq = ? returning bytes'),
      // A released QoS 2 message has reached its receiver; only its handshake is not complete.
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
      size: db.prepare('select owner, queued, bytes from sessions where key = ?'),
      writeSize: db.prepare('update sessions set queued = ?, bytes = ? where key = ?'),
      ownerBytes: db.prepare('select owner, sum(bytes) as bytes from sessions group by owner')
    }
    this.forgetSizes()
  }

  add(change: Extract<Change, { kind: 'message' }>): void {
    const { seq, topic, payload, receivers, properties, expires } = change
    const waiting = receivers.filter(({ key }) => this.#sizeOf(key))
    if (waiting.length === 0) return
    this.#statements.message.run(seq, topic, payload)
    if (properties || expires !== undefined) {
      this.#statements.properties.run(seq, properties ?? null, expires ?? null)
    }
    const bytes = topic.length + payload.length + (properties?.length ?? 0) + ROW_BYTES
    for (const { key, qos, retain, messageId, ids } of waiting) {
      this.#statements.row.run(key, seq, qos, Number(retain), messageId ?? null, bytes)
      if (ids) this.#statements.ids.run(key, seq, ids.join(' '))
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
    const size = this.#sizeOf(key)
    if (size) this.#count(key, -size.queued, -size.bytes)
    this.#statements.endMessages.run(key)
    this.#statements.endRows.run(key)
    this.#sizes.delete(key)
    this.#touched.delete(key)
  }

  /** Call this before the commit. */
  writeSizes(): void {
    for (const key of this.#touched) {
      const size = this.#sizes.get(key)
      if (size) this.#statements.writeSize.run(size.queued, size.bytes, key)
    }
    this.#touched.clear()
  }

  /** Call this after a rollback. The sizes are read from the file again. */
  forgetSizes(): void {
    this.#dropped = 0
    this.#touched.clear()
    this.#sizes.clear()
    this.#bytesOf = new Tally()
    for (const { owner, bytes } of this.#statements.ownerBytes.all()) {
      this.#bytesOf.add(accountOf(String(owner)), Number(bytes))
    }
  }

  /** How many messages were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  #makeRoom(key: number): void {
    const { messages, bytes, ownerBytes } = this.#limits
    const size = this.#sizeOf(key)
    while (
      size &&
      (size.queued > messages || size.bytes > bytes || this.#bytesOf.of(size.account) > ownerBytes)
    ) {
      const oldest = this.#statements.oldest.get(key)
      if (!oldest) return
      this.remove(key, Number(oldest['seq']))
      this.#dropped++
    }
  }

  #sizeOf(key: number): QueueSize | undefined {
    let size = this.#sizes.get(key)
    if (!size) {
      const row = this.#statements.size.get(key)
      if (!row) return undefined
      const { owner, queued, bytes } = row
      size = {
        account: accountOf(String(owner)),
        queued: Number(queued),
        bytes: Number(bytes)
      }
      this.#sizes.set(key, size)
    }
    return size
  }

  #count(key: number, messages: number, bytes: number): void {
    const size = this.#sizeOf(key)
    if (!size) return
    size.queued += messages
    size.bytes += bytes
    this.#bytesOf.add(size.account, bytes)
    this.#touched.add(key)
  }
}
