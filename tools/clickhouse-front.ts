import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { createGunzip, gzipSync } from 'node:zlib'
import { framed, unframed } from './clickhouse-frame.ts'

export type FrontOptions = {
  /** The directory into which `npm install --prefix` installed chDB. */
  prefix: string
  directory: string
  user: string
  password: string
  /** Threads of one query; 0: the engine decides. */
  threads: number
  /** The name of a cluster that has only this server; empty: no cluster. */
  cluster: string
  /** PEM; both or none. */
  tls?: { cert: string; key: string }
}

/**
 * The part of ClickHouse's HTTP interface that its client needs, in front of chDB, which is the same
 * engine. It is for development and tests: one user, no sessions, no roles, no multipart, and at
 * most a cluster of one server.
 */
export function clickhouseFront({ tls, ...options }: FrontOptions) {
  const { Session }: Chdb = createRequire(resolve(options.prefix, 'package.json'))('chdb')
  const connectionArgs = options.threads > 0 ? [`--max_threads=${options.threads}`] : []
  if (options.cluster) connectionArgs.push(`--config-file=${writeCluster(options)}`)
  const engine = new Engine(() => new Session(options.directory, { connectionArgs }))
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void answer(engine, options, request, response)
  const limits = { maxHeaderSize: 1024 * 1024, keepAliveTimeout: 10_000 }
  return tls ? createTlsServer({ ...limits, ...tls }, listener) : createServer(limits, listener)
}

/** The part of chDB that is used here. chDB is not a dependency. */
type Chdb = { Session: new (directory: string, options: { connectionArgs: string[] }) => Session }
type Session = {
  queryAsync(sql: string, options?: QueryOptions): Promise<Answer>
  queryBindAsync(sql: string, params: object, options: QueryOptions): Promise<Answer>
  insert(rows: {
    table: string
    values: Buffer
    format: string
    settings: Record<string, string>
  }): Promise<{ rowsWritten: number }>
  close(): void
}
type QueryOptions = { format: string; signal: AbortSignal }
type Answer = { bytes(): Uint8Array }

/** The port is not used: the engine knows that this server is itself. */
function writeCluster({ directory, cluster }: FrontOptions): string {
  const replica = '<replica><host>localhost</host><port>9000</port></replica>'
  const shard = `<shard><internal_replication>true</internal_replication>${replica}</shard>`
  const servers = `<remote_servers><${cluster}>${shard}</${cluster}></remote_servers>`
  const file = join(directory, 'cluster.xml')
  writeFileSync(file, `<clickhouse><tcp_port>9000</tcp_port>${servers}</clickhouse>`)
  return file
}

/** There is no keeper, so statements for a cluster and for replicas are done here, without replication. */
const withoutKeeper = (statement: string): string =>
  statement
    .replace(/ ON CLUSTER `[^`]+`/, '')
    .replace(/\bReplicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/, '$1(')
    .replace(/\breplicated_deduplication_window_seconds = \d+/, 'min_bytes_for_wide_part = 0')
    .replace(/\breplicated_deduplication_window\b/, 'non_replicated_deduplication_window')

async function answer(
  engine: Engine,
  { user, password }: FrontOptions,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://front')
  const query_id = searchParams.get('query_id') ?? crypto.randomUUID()
  response.setHeader('x-clickhouse-server-display-name', 'clickhouse-dev')
  try {
    if (
      pathname === '/ping' ||
      (pathname === '/' && request.method === 'GET' && !searchParams.size)
    )
      return void response.end('Ok.\n')
    if (!isUser(request, searchParams, `${user}:${password}`)) throw authenticationFailed(user)
    const unpacked =
      request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
    const sql = searchParams.get('query')
    const insert = /^\s*INSERT\s+INTO\s+(\S+)\s+FORMAT\s+(\w+)\s*$/i.exec(sql ?? '')
    const asked = { database: searchParams.get('database') ?? 'default' }
    response.setHeader('x-clickhouse-query-id', query_id)
    if (insert) {
      const [, table = '', format = ''] = insert
      const rows = await buffer(unpacked)
      const settings = settingsOf(searchParams)
      const written = await engine.insert({ ...asked, table, format, rows, settings })
      response.setHeader('x-clickhouse-summary', JSON.stringify({ written_rows: String(written) }))
      return void response.end()
    }
    const statement = `${sql ?? ''}${request.method === 'POST' ? await text(unpacked) : ''}`
    const answered = await engine.run(
      { ...asked, statement, settings: settingsOf(searchParams), params: paramsOf(searchParams) },
      (hungUp) => response.once('close', () => response.writableFinished || hungUp())
    )
    send(request, response, searchParams, answered)
  } catch (error) {
    fail(response, error as Error)
  }
}

function send(
  { headers }: IncomingMessage,
  response: ServerResponse,
  searchParams: URLSearchParams,
  bytes: Uint8Array
): void {
  const isPacked =
    searchParams.get('enable_http_compression') === '1' &&
    String(headers['accept-encoding']).includes('gzip')
  if (isPacked) response.setHeader('content-encoding', 'gzip')
  response.end(isPacked ? gzipSync(bytes) : bytes)
}

/** The HTTP status of each error code, as in ClickHouse; others are 500. */
const statuses: Record<number, number> = { 47: 404, 60: 404, 62: 400, 81: 404, 159: 408, 516: 403 }

function fail(response: ServerResponse, { message }: Error): void {
  const code = Number(/Code: (\d+)/.exec(message)?.[1] ?? 1002)
  response.statusCode = statuses[code] ?? 500
  response.setHeader('x-clickhouse-exception-code', code)
  const known = message.startsWith('Code: ')
  response.end(known ? message : `Code: 1002. DB::Exception: ${message}. (UNKNOWN_EXCEPTION)`)
}

const authenticationFailed = (user: string) =>
  new Error(
    `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`
  )

function isUser({ headers }: IncomingMessage, params: URLSearchParams, wanted: string): boolean {
  const [scheme, basic = ''] = headers.authorization?.split(' ') ?? []
  if (scheme === 'Basic') return Buffer.from(basic, 'base64').toString() === wanted
  const user = headers['x-clickhouse-user'] ?? params.get('user') ?? 'default'
  return `${user}:${headers['x-clickhouse-key'] ?? params.get('password') ?? ''}` === wanted
}

const QUERY_PARAMETERS = [
  'query',
  'query_id',
  'database',
  'session_id',
  'wait_end_of_query',
  'role'
]
const HTTP_PARAMETERS = [
  'user',
  'password',
  'compress',
  'decompress',
  'default_format',
  'buffer_size'
]

const settingsOf = (params: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...params].filter(
      ([name]) =>
        ![...QUERY_PARAMETERS, ...HTTP_PARAMETERS].includes(name) && !name.startsWith('param_')
    )
  )

const paramsOf = (params: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...params].flatMap(([name, value]) =>
      name.startsWith('param_') ? [[name.slice('param_'.length), value]] : []
    )
  )

type Asked = { database: string; settings: Record<string, string> }

/** In chDB queries with parameters run one after the other; other queries run beside them. */
type Lane = 'bound' | 'plain' | 'kill'

/** Sessions of chDB share the directory. Each has its own database and runs one query at a time. */
class Engine {
  readonly #open: () => Session
  readonly #sessions = new Map<string, Promise<Session>>()

  constructor(open: () => Session) {
    this.#open = open
  }

  #session(database: string, lane: Lane): Promise<Session> {
    const key = `${database} ${lane}`
    const known = this.#sessions.get(key)
    if (known) return known
    const session = (async () => {
      const opened = this.#open()
      try {
        await opened.queryAsync(`USE \`${database}\``)
        return opened
      } catch (error) {
        opened.close()
        throw error
      }
    })()
    this.#sessions.set(key, session)
    session.catch(() => this.#sessions.delete(key))
    return session
  }

  async insert(asked: Asked & { table: string; format: string; rows: Buffer }): Promise<number> {
    const { database, table, rows, format, settings } = asked
    const session = await this.#session(database, 'plain')
    const { rowsWritten } = await session.insert({ table, values: rows, format, settings })
    return rowsWritten
  }

  async run(
    asked: Asked & { statement: string; params: Record<string, string> },
    onHangUp: (hungUp: () => void) => void
  ): Promise<Buffer> {
    const { database, statement, settings } = asked
    const [, text = '', format] = /^(.*?)(?:\s+FORMAT\s+(\w+))?[\s;]*$/is.exec(statement) ?? []
    const sql = /^\s*(CREATE|ALTER|DELETE)\b/.test(text) ? withoutKeeper(text) : text
    const isRead = /^\s*(SELECT|WITH|DESCRIBE|EXISTS|EXPLAIN|SHOW)\b/i.test(sql)
    const mark = crypto.randomUUID()
    const controller = new AbortController()
    const isEnded =
      Number(settings['readonly']) > 0 &&
      settings['cancel_http_readonly_queries_on_client_close'] === '1'
    onHangUp(() => {
      controller.abort()
      // The query may have ended by itself meanwhile.
      if (isEnded) this.#kill(mark).catch(() => {})
    })
    const options = { format: format ?? 'TabSeparated', signal: controller.signal }
    const whole = framed(
      isRead ? sql + settingsText({ ...settings, log_comment: mark }) : sql,
      mark
    )
    const params = paramValues(sql, asked.params)
    const hasParameters = Object.keys(params).length > 0
    const session = await this.#session(database, hasParameters ? 'bound' : 'plain')
    const result = hasParameters
      ? await session.queryBindAsync(whole, params, options)
      : await session.queryAsync(whole, options)
    return unframed(result.bytes(), mark)
  }

  async #kill(mark: string): Promise<void> {
    const session = await this.#session('default', 'kill')
    await session.queryAsync(
      `KILL QUERY WHERE query LIKE '%${mark}%' AND query NOT LIKE 'KILL%' ASYNC`
    )
  }
}

const settingsText = (settings: Record<string, string>): string =>
  ` SETTINGS ${Object.entries(settings)
    .map(([name, value]) => `${name} = '${escaped(value)}'`)
    .join(', ')}`

const escaped = (value: string): string => value.replace(/[\\']/g, '\\$&')

/** Turns the text of HTTP parameters into values; the binding of chDB turns them into the same text again. */
export const paramValues = (sql: string, texts: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, value]) => {
      const isArray = new RegExp(`\\{${name}\\s*:\\s*Array\\(`).test(sql)
      return [name, isArray ? arrayOf(value) : unescaped(value)]
    })
  )

const arrayOf = (value: string): (string | number)[] =>
  [...value.matchAll(/'((?:[^'\\]|\\.)*)'|(-?[\d.e+]+)/gs)].map(([, quoted, number]) =>
    number === undefined ? unescaped(quoted ?? '') : Number(number)
  )

const controls: Record<string, string> = { t: '\t', n: '\n', r: '\r', 0: '\0', b: '\b', f: '\f' }
const unescaped = (value: string): string =>
  value.replace(/\\(.)/gs, (_, c: string) => controls[c] ?? c)
