import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { SECOND } from '../../lib/unix-time.ts'
import type { Claim, Claims } from '../claims.ts'
import { CHANGES_CHANNEL } from '../dialect.ts'

/** A node must notice that it is cut off before the server gives its claims to others. */
const ASK_EVERY_MS = 2 * SECOND
const ASK_TIMEOUT_MS = 4 * SECOND
const keepalive = `
  set tcp_keepalives_idle = 3;
  set tcp_keepalives_interval = 1;
  set tcp_keepalives_count = 4;
  set tcp_user_timeout = 7000`
const RETRY_EVERY_MS = SECOND / 2
/** The time a server may need to notice that the previous process is gone. */
const JOIN_TIMEOUT_MS = 10 * SECOND
const NODE = 'node'
const READER = 'reader'

/**
 * Claims are advisory locks of one connection that lives as long as the node. The server frees them
 * when the process ends, and within ten seconds when its machine fails. The same connection also
 * receives notices of changes.
 */
export class PostgresClaims implements Claims {
  readonly #url: string
  readonly #isAlone: boolean
  readonly #held = new Set<Claim>()
  readonly #stopping = new AbortController()
  #client: pg.Client | undefined
  #asked: Promise<unknown> = Promise.resolve()
  #changed: () => void = () => {}
  #kept: Claim | undefined
  #isReading = false
  #failure: string | undefined
  #watching: Promise<void> = Promise.resolve()

  static async open(url: string, isAlone: boolean): Promise<PostgresClaims> {
    const claims = new PostgresClaims(url, isAlone)
    await claims.#joinWithin(JOIN_TIMEOUT_MS)
    claims.#watching = claims.#watch().catch(() => {})
    return claims
  }

  private constructor(url: string, isAlone: boolean) {
    this.#url = url
    this.#isAlone = isAlone
  }

  get failure(): string | undefined {
    return this.#failure
  }

  onChange(listener: () => void): void {
    this.#changed = listener
  }

  async take(claim: Claim): Promise<boolean> {
    if (this.#held.has(claim)) return true
    const isTaken = await this.#ask(async (client) => {
      // The server counts locks, so two that ask at the same time must not lock twice.
      if (this.#held.has(claim)) return true
      const isTaken = await lock(client, claim)
      if (isTaken && client === this.#client) this.#held.add(claim)
      return isTaken
    })
    return isTaken === true
  }

  async keep(claim: Claim): Promise<boolean> {
    if (!(await this.take(claim))) return false
    this.#kept = claim
    return true
  }

  async release(claim: Claim): Promise<void> {
    if (!this.#held.delete(claim)) return
    await this.#ask((client) => client.query(`select pg_advisory_unlock(${KEY})`, [claim]))
  }

  nodes(): Promise<number | undefined> {
    return this.#count(NODE)
  }

  async setReading(isReading: boolean): Promise<void> {
    if (isReading === this.#isReading) return
    this.#isReading = isReading
    const change = isReading ? 'pg_advisory_lock_shared' : 'pg_advisory_unlock_shared'
    await this.#ask((client) => client.query(`select ${change}(${KEY})`, [READER]))
  }

  readers(): Promise<number | undefined> {
    return this.#count(READER)
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#watching
    const client = this.#client
    this.#lose('closed')
    await client?.end().catch(() => {})
  }

  async #count(name: typeof NODE | typeof READER): Promise<number | undefined> {
    const found = await this.#ask((client) =>
      client.query<{ nodes: number }>(
        `select count(*)::int as nodes from pg_locks
       where locktype = 'advisory' and granted and objsubid = 2
         and database = (select oid from pg_database where datname = current_database())
         and (classid, objid) = (${AS_OIDS})`,
        [name]
      )
    )
    return found?.rows[0]?.nodes
  }

  /** One question after the other. */
  #ask<T>(question: (client: pg.Client) => Promise<T>): Promise<T | undefined> {
    const asked = this.#asked.then(() => this.#askNow(question))
    this.#asked = asked
    return asked
  }

  /** When a connection breaks, its locks are free again. Then its answer is ignored. */
  async #askNow<T>(question: (client: pg.Client) => Promise<T>): Promise<T | undefined> {
    const client = this.#client
    if (!client) return undefined
    try {
      const answer = await question(client)
      return client === this.#client ? answer : undefined
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : String(error), client)
      return undefined
    }
  }

  async #joinWithin(timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs
    while (!(await this.#join())) {
      if (performance.now() > end) throw new Error(whyNot(this.#isAlone))
      await wait(RETRY_EVERY_MS)
    }
  }

  /** False while another node uses the registry that cannot share it with this one. */
  async #join(): Promise<boolean> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: ASK_TIMEOUT_MS,
      query_timeout: ASK_TIMEOUT_MS,
      keepAlive: true
    })
    client.on('error', (error) => this.#lose(error.message, client))
    client.on('end', () => this.#lose('the connection ended', client))
    client.on('notification', () => this.#changed())
    try {
      await client.connect()
      await client.query(keepalive)
      const isIn = await lock(client, NODE, this.#isAlone ? '' : '_shared')
      const isOurs = this.#kept === undefined || (await lock(client, this.#kept))
      if (isIn && isOurs) {
        await client.query(`listen ${CHANGES_CHANNEL}`)
        this.#client = client
        if (this.#kept) this.#held.add(this.#kept)
        if (this.#isReading) await lock(client, READER, '_shared')
        this.#failure = undefined
        return true
      }
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    await client.end()
    return false
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await wait(this.#client ? ASK_EVERY_MS : RETRY_EVERY_MS, undefined, { signal, ref: false })
      if (this.#client) await this.#ask((client) => client.query('select 1'))
      else await this.#rejoin()
    }
  }

  async #rejoin(): Promise<void> {
    try {
      if (await this.#join()) this.#changed()
      else this.#failure = whyNot(this.#isAlone)
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error)
    }
  }

  #lose(why: string, client = this.#client): void {
    if (client !== this.#client) return
    this.#failure = why
    this.#held.clear()
    this.#client = undefined
    void client?.end().catch(() => {})
  }
}

/** Two numbers: one for this program in this schema, one for the claim. */
const KEY = `hashtext('caracal ' || current_schema()), hashtext($1)`
const AS_OIDS = `hashtext('caracal ' || current_schema())::bit(32)::bigint::oid,
  hashtext($1)::bit(32)::bigint::oid`

async function lock(client: pg.Client, name: string, mode: '' | '_shared' = ''): Promise<boolean> {
  const { rows } = await client.query<{ is_taken: boolean }>(
    `select pg_try_advisory_lock${mode}(${KEY}) as is_taken`,
    [name]
  )
  return rows[0]?.is_taken === true
}

const whyNot = (isAlone: boolean): string =>
  isAlone
    ? 'another Caracal uses this registry: several nodes must share CARACAL_HISTORY_URL, CARACAL_BUS_URL and CARACAL_FILES_DIR'
    : 'another Caracal uses this registry: it does not share its history, broker or files, or it has a copy of this CARACAL_DATA_DIR'
