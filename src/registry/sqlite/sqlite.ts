import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler
} from 'kysely'
import { explainDamage } from '../../lib/storage-fault.ts'

/** Kysely on Node's own SQLite. There is one connection, and callers use it in turn. */
export function sqliteDialect(file: string, { readOnly = false } = {}): Dialect {
  const driver = new SqliteDriver(file, readOnly)
  return {
    createAdapter: () => new SqliteAtOnce(driver),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler()
  }
}

/** For hot queries: the steps of Kysely cost more than such a query itself. */
export class SqliteAtOnce extends SqliteAdapter {
  readonly #driver: SqliteDriver

  constructor(driver: SqliteDriver) {
    super()
    this.#driver = driver
  }

  /**
   * Undefined: others come first, or write to the file. Not for callers in a transaction, who have
   * the connection.
   */
  get free(): SqliteConnection | undefined {
    return this.#driver.free
  }
}

class SqliteDriver implements Driver {
  readonly #file: string
  readonly #readOnly: boolean
  #connection: SqliteConnection | undefined
  /** Resolves when the connection is free again. */
  #turn: Promise<void> = Promise.resolve()

  constructor(file: string, readOnly: boolean) {
    this.#file = file
    this.#readOnly = readOnly
  }

  async init(): Promise<void> {
    const readOnly = this.#readOnly
    const options = { timeout: 5000, enableForeignKeyConstraints: true, readOnly }
    const db = new DatabaseSync(this.#file, options)
    if (!readOnly) db.exec('pragma journal_mode = wal; pragma synchronous = full')
    db.exec('pragma cache_size = -65536')
    this.#connection = new SqliteConnection(db, this.#file)
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = this.#connection
    if (connection === undefined) throw new Error('the registry is closed')
    const before = this.#turn
    this.#turn = new Promise((resolve) => {
      connection.queue.push(resolve)
    })
    await before
    return connection
  }

  async releaseConnection(): Promise<void> {
    this.#connection?.queue.shift()?.()
  }

  get free(): SqliteConnection | undefined {
    const isFree = this.#connection?.queue.length === 0 && !this.#readOnly
    return isFree ? this.#connection : undefined
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(this.#readOnly ? 'begin' : 'begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    this.#connection?.close()
    this.#connection = undefined
  }
}

/** With the registry, when there is no backup. */
export const LOST =
  'users, installations and everything else in it are lost ("npm run caracal -- adopt")'

/** Statements may run for this long in a row. Then other work on the event loop runs first. */
const ROUND_MS = 4

type Prepared = { statement: StatementSync; isReading: boolean; mayWrite: boolean }

class SqliteConnection implements DatabaseConnection {
  readonly queue: (() => void)[] = []
  /** Rises with each statement that may write. Nobody else writes to the file. */
  changes = 0
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #statements = new Map<string, Prepared>()
  /** When the first statement of this round of the event loop began. */
  #roundBegan: number | undefined

  constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.isInTime()) await nextTurn()
    return this.execute(sql, parameters)
  }

  /** False when statements have run for long enough in this round of the event loop. */
  isInTime(): boolean {
    if (this.#roundBegan !== undefined) return performance.now() - this.#roundBegan < ROUND_MS
    this.#roundBegan = performance.now()
    setImmediate(() => {
      this.#roundBegan = undefined
    })
    return true
  }

  execute<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    const values = parameters as SQLInputValue[]
    try {
      const { statement, isReading, mayWrite } = this.#prepare(sql)
      if (mayWrite) this.changes++
      if (isReading) return { rows: statement.all(...values) as Row[] }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      throw explainDamage(error as Error, this.#file, LOST)
    }
  }

  // biome-ignore lint/correctness/useYield: lists are read whole; the interface wants a generator
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the registry does not stream')
  }

  close(): void {
    this.#db.close()
  }

  /** Preparing costs more than running most of our queries, and there are few different texts. */
  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    const isReading = statement.columns().length > 0
    const prepared = { statement, isReading, mayWrite: !/^select\b/i.test(sql) }
    if (this.#statements.size >= 500) this.#statements.clear()
    this.#statements.set(sql, prepared)
    return prepared
  }
}
