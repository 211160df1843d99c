import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient
} from '@clickhouse/client'
import { PageTooLarge } from '../../lib/page-limit.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import { SECOND } from '../../lib/unix-time.ts'
import { type ClickhousePlace, databaseSql } from './tables.ts'

export type Params = Readonly<Record<string, number | string | readonly (number | string)[]>>

export type ServerAddress = ClickhousePlace & {
  /** http(s)://user:password@host:port */
  url: URL
  /** How many replicas must have a batch before it counts as stored; 0: as the server is set up. */
  quorum: number
}

const CONNECT_TIMEOUT_MS = 5 * SECOND
/** The longest time without data. A query ends earlier, with an answer that says so. */
const SILENCE_TIMEOUT_MS = 75 * SECOND
const CHECK_TIMEOUT_MS = 5 * SECOND
const MAX_SOCKETS = 64

/**
 * Creates the database when it is missing. An error is one line that names the setting to check.
 */
export async function openClickhouseServer(address: ServerAddress): Promise<ServerConnection> {
  const connection = new ServerConnection(address)
  try {
    await prepare(connection, address)
    return connection
  } catch (error) {
    await connection.close()
    throw new Error(`CARACAL_HISTORY_URL: ${address.url.host}: ${(error as Error).message}`, {
      cause: error
    })
  }
}

async function prepare(connection: ServerConnection, address: ServerAddress): Promise<void> {
  const { database, cluster } = address
  if (cluster !== '') await checkCluster(address)
  const isMissing = await connection.query('SELECT 1', {}).then(
    () => false,
    (error) => {
      if (error instanceof ClickHouseError && error.type === 'UNKNOWN_DATABASE') return true
      throw error
    }
  )
  // In a cluster, other servers may not have the database.
  if (isMissing || cluster !== '') {
    await outside(address, (server) => server.execute(databaseSql(address)))
  }
  // Retention and comparing need this right. A missing right must show at the start.
  await connection.query('SELECT 1 FROM system.parts LIMIT 1', {})
  const text = await connection.query(
    "SELECT engine FROM system.tables WHERE database = {database:String} AND name = 'samples'",
    { database }
  )
  const isDistributed = /"engine":"Distributed"/.test(text)
  if (text !== '' && isDistributed !== (cluster !== '')) {
    throw new Error(
      isDistributed
        ? `the database ${database} has the tables of a cluster; CARACAL_HISTORY_CLUSTER must name it`
        : `the database ${database} has the tables of a single server; a cluster needs another database`
    )
  }
}

async function checkCluster(address: ServerAddress): Promise<void> {
  const { cluster } = address
  const sql = 'SELECT * FROM system.clusters WHERE cluster = {cluster:String}'
  const hosts = await outside(address, (server) => server.query(sql, { cluster }))
  if (hosts === '')
    throw new Error(`the server knows no cluster ${cluster} (CARACAL_HISTORY_CLUSTER)`)
  if (/"internal_replication":0/.test(hosts)) {
    throw new Error(`the cluster ${cluster} needs internal_replication in each shard`)
  }
}

/** Connects without a database, because the database may not exist yet. */
async function outside<T>(
  address: ServerAddress,
  ask: (server: ServerConnection) => Promise<T>
): Promise<T> {
  const server = new ServerConnection({ ...address, database: '' })
  try {
    return await ask(server)
  } finally {
    await server.close()
  }
}

/** ClickHouse SQL with `{name:Type}` parameters, over HTTP. */
export class ServerConnection {
  readonly #client: ReturnType<typeof createClient>
  readonly #cluster: string
  readonly #quorum: number

  constructor({ url, database, cluster, quorum }: ServerAddress) {
    this.#cluster = cluster
    this.#quorum = quorum
    this.#client = createClient({
      url: url.origin,
      username: decodeURIComponent(url.username) || 'default',
      password: decodeURIComponent(url.password),
      application: 'caracal',
      request_timeout: SILENCE_TIMEOUT_MS,
      http_agent: agentFor(url),
      // The agent closes idle connections when the server says so. The client's own timer could
      // close a connection in use after an abort.
      keep_alive: { enabled: true, idle_socket_ttl: 0 },
      // The caller gets every error. The client must not print it too.
      log: { level: ClickHouseLogLevel.OFF },
      ...(database !== '' && { database })
    })
  }

  /**
   * A SELECT without FORMAT and SETTINGS. Answers one JSON object per line (JSONEachRow) with
   * 64-bit integers as plain numbers. An abort rejects with the signal's reason, a result of more
   * than `maxBytes` with `PageTooLarge`.
   */
  async query(sql: string, params: Params, signal?: AbortSignal, maxBytes = 0): Promise<string> {
    signal?.throwIfAborted()
    try {
      return await evenAfterReset(async () =>
        (await this.#ask(sql, params, signal, maxBytes)).text()
      )
    } finally {
      signal?.throwIfAborted()
    }
  }

  /** Like `query`, but gives the lines as they arrive, so only a few are in memory. */
  async *lines(
    sql: string,
    params: Params,
    signal?: AbortSignal,
    maxBytes = 0
  ): AsyncGenerator<string[]> {
    signal?.throwIfAborted()
    try {
      const answer = await evenAfterReset(() => this.#ask(sql, params, signal, maxBytes))
      try {
        for await (const rows of answer.stream()) yield rows.map(({ text }) => text)
      } catch (error) {
        throw explained(error)
      } finally {
        answer.close()
      }
    } finally {
      signal?.throwIfAborted()
    }
  }

  /** Like `query`, but answers the rows as `RowBinary`, of a bounded number. */
  async binary(sql: string, params: Params, signal?: AbortSignal): Promise<Buffer> {
    signal?.throwIfAborted()
    const { query, ...options } = this.#reading(sql, params, signal, 0)
    try {
      return await evenAfterReset(async () =>
        buffer((await this.#client.exec({ query: `${query} FORMAT RowBinary`, ...options })).stream)
      )
    } finally {
      signal?.throwIfAborted()
    }
  }

  #ask(sql: string, params: Params, signal: AbortSignal | undefined, maxBytes: number) {
    const asked = this.#reading(sql, params, signal, maxBytes)
    return this.#client.query({ ...asked, format: 'JSONEachRow' as const })
  }

  #reading(sql: string, params: Params, signal: AbortSignal | undefined, maxBytes: number) {
    const { query, query_params } = withoutLong(sql, params)
    return {
      ...{ query, query_params },
      ...(signal && { abort_signal: signal }),
      clickhouse_settings: {
        ...readSettings,
        ...answerWhole,
        ...endWithCaller,
        max_result_bytes: String(maxBytes),
        ...(query !== sql && { max_query_size: String(4 * query.length) })
      }
    }
  }

  /** A statement without an answer: CREATE, DELETE. */
  async execute(sql: string, params: Params = {}): Promise<void> {
    const { query, query_params } = withoutLong(sql, params)
    const clickhouse_settings = {
      ...answerWhole,
      ...(this.#cluster !== '' && onCluster),
      ...(query !== sql && { max_query_size: String(4 * query.length) })
    }
    await evenAfterReset(() => this.#client.command({ query, query_params, clickhouse_settings }))
  }

  /**
   * TSV in the order of the table's columns. Resolves when stored; the same token is stored once.
   */
  async insert(table: string, rows: Buffer, token: string): Promise<void> {
    await evenAfterReset(() =>
      this.#client.insert({
        table,
        values: Readable.from([rows], { objectMode: false }),
        format: 'TabSeparated',
        clickhouse_settings: {
          ...insertSettings(token),
          ...answerWhole,
          ...(this.#cluster !== '' && acrossCluster(this.#quorum))
        }
      })
    )
  }

  /** Rejects when the server does not answer within seconds. */
  async check(): Promise<void> {
    const limit = AbortSignal.timeout(CHECK_TIMEOUT_MS)
    await this.query('SELECT 1', {}, limit).catch((error) => {
      throw limit.aborted ? new Unavailable('ClickHouse does not answer', { cause: error }) : error
    })
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

/**
 * A server may close a kept connection at the moment of its next use. Then the request is sent
 * again. Every request may run twice: reads, idempotent statements, and batches with a token.
 */
async function evenAfterReset<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask().catch((error) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return ask()
      throw error
    })
  } catch (error) {
    throw explained(error)
  }
}

/** For every query: an answer that can be passed on unchanged, and a time limit. */
const readSettings = {
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
  // Rows that replace each other have the same timestamp, so they are in the same partition.
  do_not_merge_across_partitions_select_final: 1,
  // Compiling a query to machine code helps scans of billions of rows, but not pages.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
  max_execution_time: 60
} as const

const insertSettings = (token: string) =>
  ({
    insert_deduplication_token: token,
    // An asynchronous insert would answer before the rows are on disk.
    async_insert: 0,
    // One batch may carry timestamps of any number of months.
    max_partitions_per_insert_block: '0'
  }) as const

/** The server sends nothing before the query has ended, so the status shows the outcome. */
const answerWhole = { wait_end_of_query: 1 } as const

/** The server notices that the caller is gone only when the query is read-only. */
const endWithCaller = { readonly: '2', cancel_http_readonly_queries_on_client_close: 1 } as const

/** A server that is down runs the statement when it is back. */
const onCluster: ClickHouseSettings = {
  distributed_ddl_task_timeout: '30',
  distributed_ddl_output_mode: 'null_status_on_timeout'
}

/**
 * The first setting waits until the shards have stored the batch, not only the receiving server.
 */
const acrossCluster = (quorum: number): ClickHouseSettings => ({
  distributed_foreground_insert: 1,
  ...(quorum > 0 && { insert_quorum: String(quorum), insert_quorum_timeout: 60 * SECOND })
})

/** A longer parameter might not fit into the URL or the form fields that a server accepts. */
const MAX_PARAMETER_CHARACTERS = 2000

/**
 * Sends long lists and texts as literals in the body. One pass, so the inserted text is not
 * replaced again.
 */
export function withoutLong(sql: string, params: Params) {
  const query_params: Record<string, unknown> = {}
  const literals = new Map<string, string>()
  for (const [name, value] of Object.entries(params)) {
    const literal = literalOf(value)
    if (literal.length > MAX_PARAMETER_CHARACTERS) literals.set(name, literal)
    else query_params[name] = value
  }
  const query = sql.replace(/\{(\w+):([^}]+)\}/g, (placeholder, name, type) => {
    const literal = literals.get(name)
    return literal ? `CAST(${literal}, '${type}')` : placeholder
  })
  return { query, query_params }
}

const literalOf = (value: Params[string]): string => {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? textLiteral(value) : `[${value.map(literalOf).join()}]`
}

const textLiteral = (text: string): string =>
  `'${text.replace(/[\\'\0]/g, (c) => (c === '\0' ? '\\0' : `\\${c}`))}'`

/** Temporary errors: overload, a replica without its keeper, a server that starts or stops. */
const passing = new Set([
  'ABORTED',
  'ALL_CONNECTION_TRIES_FAILED',
  'KEEPER_EXCEPTION',
  'MEMORY_LIMIT_EXCEEDED',
  'NETWORK_ERROR',
  'NO_ZOOKEEPER',
  'NOT_ENOUGH_SPACE',
  'QUERY_WAS_CANCELLED',
  'SOCKET_TIMEOUT',
  'TABLE_IS_READ_ONLY',
  'TIMEOUT_EXCEEDED',
  'TOO_FEW_LIVE_REPLICAS',
  'TOO_MANY_PARTS',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'UNKNOWN_STATUS_OF_INSERT',
  'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE'
])

/** An error that ClickHouse did not send means that ClickHouse gave no answer. */
function explained(error: unknown): unknown {
  if (!(error instanceof ClickHouseError)) {
    const { code, message } = error as NodeJS.ErrnoException
    return new Unavailable(`ClickHouse cannot be reached (${code ?? message.slice(0, 200)})`, {
      cause: error
    })
  }
  if (error.type === 'TOO_MANY_ROWS_OR_BYTES') return new PageTooLarge()
  if (error.type === 'AUTHENTICATION_FAILED') {
    return new Unavailable('ClickHouse refuses the user or the password', { cause: error })
  }
  if (passing.has(error.type ?? '')) {
    return new Unavailable(`ClickHouse answers ${error.type}`, { cause: error })
  }
  return error
}

/** A server that accepts no connection is noticed sooner than one that is slow. */
function agentFor({ protocol }: URL): HttpAgent {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS }
  const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (target, callback) => {
    const socket = connect(target, callback)
    const timer = setTimeout(
      () => socket?.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / SECOND} s`)),
      CONNECT_TIMEOUT_MS
    )
    const isOpen = protocol === 'https:' ? 'secureConnect' : 'connect'
    for (const event of [isOpen, 'close']) socket?.once(event, () => clearTimeout(timer))
    return socket
  }
  return agent
}
