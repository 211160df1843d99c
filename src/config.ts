import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { isTimeZone } from './lib/calendar.ts'
import { durationOf } from './lib/duration.ts'
import { isDatabaseUrl, isLoopback, isPercentEncoded } from './lib/host.ts'
import { networksFault } from './lib/networks.ts'
import { originsFault } from './lib/origins.ts'
import { passwordFault } from './lib/password-rules.ts'
import { isWithin } from './lib/path.ts'
import { quotaNames, quotasFault } from './lib/quota.ts'
import { expectation, isNumeric, isSecret, Port, PortOrOff, Secret, Text } from './lib/setting.ts'
import { tlsFault } from './lib/tls-settings.ts'

const PREFIX = 'CARACAL_'

export const Settings = Type.Object({
  HOST: Text(
    '127.0.0.1',
    'Address that the platform listens on; 0.0.0.0 (or :: with IPv6) means all addresses of the machine'
  ),
  HTTP_PORT: Port(8080, 'Port of the API, the API page, and MQTT over WebSocket at /mqtt'),
  MQTT_PORT: PortOrOff(
    1883,
    'TCP port of the embedded MQTT broker; off: only MQTT over TLS and over WebSocket'
  ),
  DATA_DIR: Text('./data', 'Directory of all embedded data; only one process can use it at a time'),
  REGISTRY_URL: Secret('Registry on PostgreSQL, postgres://...; empty: SQLite in DATA_DIR'),
  HISTORY_URL: Secret(
    'History on ClickHouse, http(s)://user:password@host:8123/database; empty: SQLite in DATA_DIR'
  ),
  HISTORY_CLUSTER: Text('', 'ClickHouse cluster, as in system.clusters; empty: one server'),
  HISTORY_QUORUM: Type.Integer({
    minimum: 0,
    maximum: 100,
    default: 0,
    description:
      'With HISTORY_CLUSTER: number of replicas that must have a batch before it counts as stored; 0: one'
  }),
  BUS_URL: Secret('External broker, mqtt(s)://user:password@host:port, MQTT 5; empty: embedded'),
  BUS_CA_PATH: Text(
    '',
    'Certificate (PEM) of the authority of an mqtts BUS_URL; empty: the authorities that the system trusts'
  ),
  BUS_SLOTS: Type.Integer({
    minimum: 1,
    maximum: 16,
    default: 1,
    description:
      'Number of sessions on the external broker that all nodes share; it must be equal on all nodes. Use more than 1 only with a broker that distributes by topic, or messages without a timestamp lose their order'
  }),
  ACK: Type.Union([Type.Literal('spool'), Type.Literal('history')], {
    default: 'spool',
    description:
      'spool: a value is acknowledged when the disk of the node has it. history: when the ClickHouse server has it, so a node may be lost with its disk; needs BUS_URL and HISTORY_URL'
  }),
  DRAIN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 60,
    default: 2,
    description:
      'With several nodes: after SIGTERM a node answers requests for this long, while health says draining, so that a load balancer stops sending them'
  }),
  BROKER_KEY: Secret(
    'Key with which the external broker asks /broker who may connect, publish and subscribe; 22 or more of A-Z a-z 0-9 _ -'
  ),
  PUBLIC_URL: Text(
    '',
    'URL of the API in mails and gateway credentials; empty: from HOST and HTTP_PORT. With HOST 0.0.0.0 or ::, mails then show the first address of the machine, and credentials the address of the request'
  ),
  MQTT_PUBLIC_URL: Text(
    '',
    'URL of MQTT in gateway credentials; empty: from HOST and the MQTT port. With HOST 0.0.0.0 or ::, the host is the host of the API'
  ),
  TRUSTED_PROXIES: Text(
    '',
    'Proxies whose X-Forwarded-For header is trusted: addresses, networks, loopback or uniquelocal, comma-separated'
  ),
  CORS_ORIGINS: Text(
    '',
    'Web sites whose pages may call the API from a browser: exact origins such as https://app.example.org, comma-separated, or * for all; empty: none'
  ),
  TLS_CERT_PATH: Text(
    '',
    'Certificate chain (PEM); with TLS_KEY_PATH it turns on HTTPS on HTTP_PORT and MQTT over TLS on MQTTS_PORT'
  ),
  TLS_KEY_PATH: Text('', 'Private key (PEM) of TLS_CERT_PATH; changed files are read again'),
  TLS_CLIENT_CA_PATH: Text('', 'Authorities (PEM) of client certificates; read again when changed'),
  MQTTS_PORT: Port(8883, 'Port of the embedded MQTT broker over TLS, when TLS is set up'),
  ADMIN_EMAIL: Text('', 'E-mail of the first administrator, created when no user exists'),
  ADMIN_PASSWORD: Secret('Password of the first administrator'),
  SYSTEM_ACCOUNTS: Secret('Accounts that may read push tokens, name:password,...'),
  MAIL_URL: Secret('smtp(s)://user:password@host:port; empty: mails go to DATA_DIR/outbox'),
  MAIL_FROM: Text('caracal@localhost', 'Sender address of mails'),
  SMS_URL: Secret('https://... gets POST {to, text}; empty: SMS go to DATA_DIR/outbox'),
  NOTIFY_PRIVATE_NETWORKS: Text(
    '',
    'Private networks in which notification executors may be called, such as 127.0.0.1,10.1.0.0/16'
  ),
  TIMEZONE: Text('UTC', 'Time zone (IANA name) of schedules whose installation has no time zone'),
  RETENTION_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 0,
    description: 'Samples older than this many days are dropped, by whole months; 0: never'
  }),
  HISTORY_BUDGET_MB: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description: 'Size of history above which its oldest months are dropped; 0: no limit'
  }),
  HISTORY_FLOOR_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 30,
    description: 'Samples younger than this many days stay, even above HISTORY_BUDGET_MB'
  }),
  FILES_DIR: Text('', 'Directory of uploaded files, shared by all nodes; empty: DATA_DIR/files'),
  BACKUP_DIR: Text(
    '',
    'Folder in which the platform makes backups by itself, best on another disk; empty: none'
  ),
  BACKUP_EVERY: Text('1d', 'Time between two backups in BACKUP_DIR, such as 15m, 6h or 1d'),
  BACKUP_KEEP: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 7,
    description: 'Number of backups that stay in BACKUP_DIR; older ones are removed'
  }),
  FILES_QUOTA_MB: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 1024,
    description: 'Maximum disk space that the files of one installation or organization may take'
  }),
  TOPICS_PER_INSTALLATION: Type.Integer({
    minimum: 1,
    maximum: 10_000_000,
    default: 20_000,
    description: 'Maximum topics with values per installation; values on more are refused'
  }),
  QUOTA_INSTALLATION: Text(
    '',
    'Default quotas of an installation, such as messages_per_second=500,topics=1000; see docs/operate/quotas.md'
  ),
  QUOTA_ORGANIZATION: Text('', 'Default quotas of an organization with everything below it'),
  BODY_TIMEOUT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 60,
    description:
      'In each period of this length, the body of a request must bring at least 1 KiB per second; else the request ends with 408'
  }),
  IMPORT_UNFOLD_MB: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1024,
    description: 'Maximum unpacked size of a compressed import; other imports have no limit'
  }),
  IMPORT_UNFOLD_LINES: Type.Integer({
    minimum: 1,
    maximum: 10_000_000_000,
    default: 10_000_000,
    description: 'Maximum lines of a compressed import after unpacking, including empty lines'
  }),
  TRACE_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 365,
    description: 'Entries of the trace (who changed what) are deleted after this many days'
  }),
  MQTT_QUEUE_LIMIT: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description:
      'Maximum messages that wait for one disconnected MQTT session (at most 64 MiB); above it the oldest message is dropped'
  }),
  MQTT_SESSION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 30,
    description:
      'An MQTT session that was not used for this many days ends, and its waiting messages are dropped'
  }),
  MQTT_KEEP_ALIVE_SECONDS: Type.Integer({
    minimum: 5,
    maximum: 65_535,
    default: 65_535,
    description:
      'Longest keep alive of a client with MQTT 5; one that asks for more, or for none, is told to use this. 65535: as the client wants'
  }),
  MQTT_CONNECTIONS_PER_OWNER: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: 'Maximum open MQTT connections of one user or gateway; above it CONNACK 3'
  }),
  MQTT_SESSIONS_PER_OWNER: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: 'Maximum kept MQTT sessions of one user or gateway; above it CONNACK 3'
  }),
  MQTT_FILTERS_PER_OWNER: Type.Integer({
    minimum: 1,
    maximum: 10_000_000,
    default: 20_000,
    description:
      'Maximum filters that one user or gateway may subscribe to, in all its connections and kept sessions; above it SUBACK 128'
  }),
  LATEST_CACHE_MB: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 64,
    description: 'Memory for the latest values of the installations that were asked for last'
  }),
  DISK_RESERVE_MB: Type.Integer({
    minimum: 0,
    default: 1024,
    description:
      'With less free disk space than this, no samples or queued messages are acknowledged; uploads stop at twice this value'
  }),
  SLOW_QUERY_MS: Type.Integer({
    minimum: 0,
    default: 1000,
    description:
      'Log queries that take this long or longer are written to the log, without their topics'
  }),
  SEARCH_TIMEOUT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 60,
    description: 'A search that takes longer is stopped and answered with 503'
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) =>
      Type.Literal(level)
    ),
    { default: 'info', description: 'fatal, error, warn, info, debug, trace or silent' }
  )
})

export type Config = Static<typeof Settings> & { LOG_LEVEL: string }

/** A wrong setting. The message is the one line that the operator reads. */
export class ConfigError extends Error {}

/** This is the only place that reads the environment. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.entries(env).filter(([name]) => name.startsWith(PREFIX))
  const raw: Record<string, string> = {}
  for (const [name, value = ''] of given) {
    const key = name.slice(PREFIX.length)
    const target = key.endsWith('_FILE') ? key.slice(0, -'_FILE'.length) : key
    const schema = schemaOf(target)
    if (!schema || (target !== key && !isSecret(schema))) {
      throw new ConfigError(`${name} is not a setting; "npm start -- --help" lists them`)
    }
    // In shells and compose files an empty variable means "not set".
    if (value === '') continue
    if (raw[target] !== undefined) throw new ConfigError(`${PREFIX}${target} is given twice`)
    raw[target] = target === key ? value : readSecret(name, value)
  }
  const config = parse(raw)
  check(config)
  const DATA_DIR = resolve(config.DATA_DIR)
  const FILES_DIR = resolve(config.FILES_DIR || join(DATA_DIR, 'files'))
  const BACKUP_DIR = config.BACKUP_DIR && resolve(config.BACKUP_DIR)
  const outer = [DATA_DIR, FILES_DIR].find((directory) => isWithin(BACKUP_DIR, directory))
  if (outer) throw new ConfigError(`${PREFIX}BACKUP_DIR: must not be inside of ${outer}`)
  return { ...config, DATA_DIR, FILES_DIR, BACKUP_DIR }
}

const schemaOf = (key: string): TSchema | undefined =>
  Object.hasOwn(Settings.properties, key)
    ? Settings.properties[key as keyof typeof Settings.properties]
    : undefined

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new ConfigError(`${name}: cannot read ${path} (${(error as Error).message})`)
  }
}

function parse(raw: Record<string, string>): Config {
  const values: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(Settings.properties)) {
    const text = raw[key]
    if (text === undefined || text === '') values[key] = 'default' in schema ? schema.default : ''
    else values[key] = isNumeric(schema) && /^\d+$/.test(text) ? Number(text) : text
    if (!Value.Check(schema, values[key])) {
      throw new ConfigError(`${PREFIX}${key}: ${expectation(schema)}, got "${text}"`)
    }
  }
  return values as Config
}

function check(config: Config): void {
  const fail = (key: keyof Config, why: string) => {
    throw new ConfigError(`${PREFIX}${key}: ${why}`)
  }
  const scheme = (key: keyof Config, ...allowed: string[]) => {
    const value = String(config[key])
    if (value !== '' && !allowed.some((start) => value.startsWith(start) && URL.canParse(value))) {
      fail(key, `must begin with ${allowed.join(' or ')}`)
    }
  }
  scheme('REGISTRY_URL', 'postgres://', 'postgresql://')
  if (/^(chdb|sqlite):/.test(config.HISTORY_URL)) {
    fail(
      'HISTORY_URL',
      'must not name an embedded engine; leave it empty for SQLite in CARACAL_DATA_DIR'
    )
  }
  scheme('HISTORY_URL', 'http://', 'https://')
  const isServer = config.HISTORY_URL.startsWith('http')
  if (isServer && !isDatabaseUrl(config.HISTORY_URL)) {
    fail('HISTORY_URL', 'must end with /database, a name of letters, digits and _')
  }
  if (config.HISTORY_CLUSTER !== '' && !/^[\w.-]+$/.test(config.HISTORY_CLUSTER)) {
    fail('HISTORY_CLUSTER', 'must be a name of letters, digits, _, . and -')
  }
  for (const key of ['HISTORY_CLUSTER', 'HISTORY_QUORUM'] as const) {
    if (config[key] && !isServer) fail(key, 'needs a ClickHouse server in CARACAL_HISTORY_URL')
  }
  if (config.HISTORY_QUORUM > 0 && config.HISTORY_CLUSTER === '') {
    fail('HISTORY_QUORUM', 'needs CARACAL_HISTORY_CLUSTER')
  }
  scheme('BUS_URL', 'mqtt://', 'mqtts://')
  if (config.BUS_CA_PATH !== '' && !config.BUS_URL.startsWith('mqtts:')) {
    fail('BUS_CA_PATH', 'needs a CARACAL_BUS_URL that begins with mqtts://')
  }
  if (config.BUS_URL !== '') {
    const { hostname, username, password } = new URL(config.BUS_URL)
    if (hostname === '') fail('BUS_URL', 'must name a host')
    if (!isPercentEncoded(username + password)) {
      fail('BUS_URL', 'write a % in the name or password as %25')
    }
  }
  if (config.ACK === 'history' && (config.BUS_URL === '' || !isServer)) {
    fail(
      'ACK',
      'history needs an external broker in CARACAL_BUS_URL and a ClickHouse server in CARACAL_HISTORY_URL'
    )
  }
  if (config.BROKER_KEY !== '') {
    if (!/^mqtts?:\/\/[^:@/]+:[^@]+@/.test(config.BUS_URL)) {
      fail('BROKER_KEY', 'needs a CARACAL_BUS_URL with a user name and a password')
    }
    if (!/^[\w-]{22,}$/.test(config.BROKER_KEY)) {
      fail('BROKER_KEY', 'must be 22 or more of A-Z a-z 0-9 _ -')
    }
  }
  scheme('MAIL_URL', 'smtp://', 'smtps://', 'file:')
  scheme('SMS_URL', 'https://', 'http://', 'file:')
  // SMS carry codes, so plain HTTP is allowed only on this machine.
  if (config.SMS_URL.startsWith('http:') && !isLoopback(config.SMS_URL)) {
    fail('SMS_URL', 'must begin with https:// unless it is on this machine')
  }
  scheme('PUBLIC_URL', 'http://', 'https://')
  scheme('MQTT_PUBLIC_URL', 'mqtt://', 'mqtts://')
  const tls = tlsFault(config)
  if (tls) fail(...tls)
  for (const key of ['QUOTA_INSTALLATION', 'QUOTA_ORGANIZATION'] as const) {
    const part = quotasFault(config[key])
    if (part) fail(key, `"${part}" must be name=number with one of ${quotaNames.join(', ')}`)
  }
  for (const key of ['TRUSTED_PROXIES', 'NOTIFY_PRIVATE_NETWORKS'] as const) {
    const part = networksFault(config[key])
    if (part) fail(key, `"${part}" is not an address or a network`)
  }
  const foreign = originsFault(config.CORS_ORIGINS)
  if (foreign) {
    fail(
      'CORS_ORIGINS',
      `"${foreign}" must be an origin such as https://app.example.org, or * alone`
    )
  }
  if (!durationOf(config.BACKUP_EVERY))
    fail('BACKUP_EVERY', `must be from 1m to 366d, such as 6h, got "${config.BACKUP_EVERY}"`)
  if (!isTimeZone(config.TIMEZONE))
    fail('TIMEZONE', `"${config.TIMEZONE}" is not an IANA time zone`)
  if ((config.ADMIN_EMAIL === '') !== (config.ADMIN_PASSWORD === '')) {
    fail('ADMIN_EMAIL', 'must be set together with CARACAL_ADMIN_PASSWORD')
  }
  if (config.ADMIN_EMAIL !== '' && !config.ADMIN_EMAIL.includes('@')) {
    fail('ADMIN_EMAIL', 'must be an e-mail address')
  }
  const fault = config.ADMIN_PASSWORD === '' ? undefined : passwordFault(config.ADMIN_PASSWORD)
  if (fault) fail('ADMIN_PASSWORD', fault)
  for (const account of config.SYSTEM_ACCOUNTS.split(',').filter(Boolean)) {
    if (!/^[^:]+:.+$/.test(account)) fail('SYSTEM_ACCOUNTS', 'must be name:password,...')
  }
}
