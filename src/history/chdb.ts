import { mkdir } from 'node:fs/promises'
import type { Session } from 'chdb'
import { PageTooLarge } from '../lib/page-limit.ts'
import { type HistoryConnection, insertSettings, type Params, readSettings } from './connection.ts'

/** The package is always there; its engine only on platforms that have one. */
export async function isChdbInstalled(): Promise<boolean> {
  try {
    const { tryResolveLibchdb } = await import('chdb/libchdb')
    return tryResolveLibchdb({ env: {} }) !== undefined
  } catch {
    return false
  }
}

/** One directory per process: the engine refuses a second one until the first is closed. */
export async function openChdb(directory: string): Promise<HistoryConnection> {
  const { Session, drainPending } = await import('chdb')
  await mkdir(directory, { recursive: true })
  return new ChdbConnection(new Session(directory), drainPending)
}

class ChdbConnection implements HistoryConnection {
  readonly #session: Session
  readonly #drain: () => Promise<void>

  constructor(session: Session, drain: () => Promise<void>) {
    this.#session = session
    this.#drain = drain
  }

  async query(sql: string, params: Params, signal?: AbortSignal, maxBytes = 0): Promise<string> {
    signal?.throwIfAborted()
    const limited = `${sql} SETTINGS ${settings}, max_result_bytes = ${maxBytes}`
    try {
      const options = { format: 'JSONEachRow', signal }
      const answer = await this.#session.queryBindAsync(limited, params, options)
      return answer.text()
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof Error && /TOO_MANY_ROWS_OR_BYTES/.test(error.message)) {
        throw new PageTooLarge()
      }
      throw error
    }
  }

  async execute(sql: string, params: Params = {}): Promise<void> {
    await this.#session.queryBindAsync(sql, params)
  }

  async insert(table: string, rows: Buffer, token: string): Promise<void> {
    const settings = insertSettings(token)
    await this.#session.insert({ table, values: rows, format: 'TSV', settings })
  }

  /** In this process: there is nobody to be out of reach. */
  async check(): Promise<void> {}

  async close(): Promise<void> {
    this.#session.close()
    // What was aborted still runs in the engine; the directory is free only after it.
    await this.#drain()
  }
}

const settings = Object.entries(readSettings)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ')
