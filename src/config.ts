import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { isTimeZone } from './lib/calendar.ts'
import { networksFault } from './lib/networks.ts'
import { passwordFault } from './lib/password-rules.ts'
import { quotaNames, quotasFault } from './lib/quota.ts'

const PREFIX = 'CARACAL_'

const Port = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: fallback, description })
const PortOrOff = (fallback: number, description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Literal('off')], {
    default: fallback,
    description
  })
const Text = (fallback: string, description: string) =>
  Type.String({ default: fallback, description })
/** Also read from the file that `<name>_FILE` points to. */
const Secret = (description: string) => Type.String({ default: '', description, secret: true })

export const Settings = Type.Object({
  HOST: Text(
    '127.0.0.1',
    'Address of every listener; 0.0.0.0, or :: with IPv6: all addresses of the machine'
  ),
  HTTP_PORT: Port(8080, 'API, API page, MQTT over WebSocket at /mqtt'),
  MQTT_PORT: PortOrOff(
    1883,
    'Embedded MQTT broker, TCP; off: MQTT over TLS and over WebSocket only'
  ),
  DATA_DIR: Text('./data', 'Everything embedded lives here; one process at a time'),
  REGISTRY_URL: Secret('postgres://...; empty: SQLite in DATA_DIR'),
  HISTORY_URL: Secret(
    'http(s)://user:password@host:8123/database (ClickHouse); empty: SQLite in DATA_DIR'
  ),
  HISTORY_CLUSTER: Text(
    '',
    'Cluster of the ClickHouse server, as in its system.clusters; empty: one server'
  ),
  HISTORY_QUORUM: Type.Integer({
    minimum: 0,
    maximum: 100,
    default: 0,
    description:
      'With HISTORY_CLUSTER: replicas that must have a batch before it counts as stored; 0: one'
  }),
  BUS_URL: Secret('mqtt(s)://user:password@host:port, MQTT 5; empty: embedded broker'),
  BUS_CA_PATH: Text(
    '',
    'Certificate (PEM) of the authority behind an mqtts BUS_URL; empty: those that the system trusts'
  ),
  BUS_SLOTS: Type.Integer({
    minimum: 1,
    maximum: 16,
    default: 1,
    description:
      'Sessions at the broker of BUS_URL that nodes share, the same number on all; more than 1 only with a broker that deals by topic, or messages without a timestamp lose their order'
  }),
  BROKER_KEY: Secret(
    'With it the broker of BUS_URL asks under /broker who may connect, publish and subscribe; 22 or more of A-Z a-z 0-9 _ -'
  ),
  PUBLIC_URL: Text(
    '',
    'Address of the API in mails and gateway credentials; empty: from HOST and HTTP_PORT. With HOST 0.0.0.0 or :: mails then name the first address of the machine, and credentials that of the request'
  ),
  MQTT_PUBLIC_URL: Text(
    '',
    'Address of MQTT in gateway credentials; empty: from HOST and the MQTT port. With HOST 0.0.0.0 or :: the host is that of the API'
  ),
  TRUSTED_PROXIES: Text(
    '',
    'Proxies in front whose X-Forwarded-For is believed: addresses, networks, loopback or uniquelocal, comma-separated'
  ),
  TLS_CERT_PATH: Text(
    '',
    'Certificate chain (PEM); with TLS_KEY_PATH: HTTPS on HTTP_PORT and MQTT over TLS on MQTTS_PORT'
  ),
  TLS_KEY_PATH: Text('', 'Private key (PEM) of TLS_CERT_PATH; both are re-read when they change'),
  MQTTS_PORT: Port(8883, 'Embedded MQTT broker over TLS, when TLS is set up'),
  ADMIN_EMAIL: Text('', 'First administrator, created before a port opens when no user exists'),
  ADMIN_PASSWORD: Secret('Password of the first administrator'),
  SYSTEM_ACCOUNTS: Secret('name:password,... allowed to read push tokens'),
  MAIL_URL: Secret('smtp(s)://user:password@host:port; empty: files in DATA_DIR/outbox'),
  MAIL_FROM: Text('caracal@localhost', 'Sender of mails'),
  SMS_URL: Secret('https://... gets POST {to, text}; empty: files in DATA_DIR/outbox'),
  NOTIFY_PRIVATE_NETWORKS: Text(
    '',
    'Networks that are not public and in which notification executors may be called all the same, such as 127.0.0.1,10.1.0.0/16'
  ),
  TIMEZONE: Text('UTC', 'Zone of schedules where the installation has none, an IANA name'),
  RETENTION_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 0,
    description: 'Age at which samples are dropped, by whole months; 0: for ever'
  }),
  HISTORY_BUDGET_MB: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description: 'Disk space of history above which its oldest months are dropped; 0: no limit'
  }),
  HISTORY_FLOOR_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 30,
    description: 'Samples younger than this stay whatever HISTORY_BUDGET_MB says'
  }),
  FILES_DIR: Text('', 'Contents of uploaded files, shared by all nodes; empty: files in DATA_DIR'),
  FILES_QUOTA_MB: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 1024,
    description: 'Disk space that the files of one installation or organization may take'
  }),
  TOPICS_PER_INSTALLATION: Type.Integer({
    minimum: 1,
    maximum: 10_000_000,
    default: 20_000,
    description:
      'Topics that one installation may have values on; values on further ones are refused'
  }),
  QUOTA_INSTALLATION: Text(
    '',
    'Quotas of each installation that has none of its own, such as messages_per_second=500,topics=1000; docs/quotas.md'
  ),
  QUOTA_ORGANIZATION: Text('', 'The same of each organization, with all that is below it'),
  BODY_TIMEOUT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 60,
    description:
      'Time in which the body of a request must come on, by 1 KiB for each second; else it is ended with 408'
  }),
  IMPORT_UNFOLD_MB: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1024,
    description: 'What a compressed import may unfold to; one that is not compressed has no limit'
  }),
  IMPORT_UNFOLD_LINES: Type.Integer({
    minimum: 1,
    maximum: 10_000_000_000,
    default: 10_000_000,
    description: 'Lines that a compressed import may unfold to, empty ones too'
  }),
  TRACE_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 365,
    description: 'Days after which it is forgotten who changed what'
  }),
  MQTT_QUEUE_LIMIT: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description:
      'Messages that wait for one MQTT session while it is away (64 MiB at most); beyond it the oldest is dropped'
  }),
  MQTT_SESSION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 30,
    description: 'Days after which an MQTT session that nobody used ends, with what waits for it'
  }),
  MQTT_CONNECTIONS_PER_OWNER: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: 'MQTT connections that one user or gateway may have open; beyond it CONNACK 3'
  }),
  MQTT_SESSIONS_PER_OWNER: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: 'Kept MQTT sessions that one user or gateway may have; beyond it CONNACK 3'
  }),
  MQTT_FILTERS_PER_OWNER: Type.Integer({
    minimum: 1,
    maximum: 10_000_000,
    default: 20_000,
    description:
      'Filters that one user or gateway may subscribe to, over all its connections and kept sessions; beyond it SUBACK 128'
  }),
  DISK_RESERVE_MB: Type.Integer({
    minimum: 0,
    default: 1024,
    description:
      'Free disk space below which no more samples or queued messages are acknowledged; uploads stop at twice that'
  }),
  SLOW_QUERY_MS: Type.Integer({
    minimum: 0,
    default: 1000,
    description: 'Log queries that take this long or longer are reported in the log, without topics'
  }),
  SEARCH_TIMEOUT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 60,
    description: 'Time after which a search is given up and answered with 503'
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) =>
      Type.Literal(level)
    ),
    { default: 'info', description: 'fatal, error, warn, info, debug, trace or silent' }
  )
})

export type Config = Static<typeof Settings> & { LOG_LEVEL: string }

/** A setting that stops the start; its message is the one line the operator reads. */
export class ConfigError extends Error {}

/** The only reader of the environment. */
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
    // An empty variable is how shells and compose files say "not set".
    if (value === '') continue
    if (raw[target] !== undefined) throw new ConfigError(`${PREFIX}${target} is given twice`)
    raw[target] = target === key ? value : readSecret(name, value)
  }
  const config = parse(raw)
  check(config)
  const DATA_DIR = resolve(config.DATA_DIR)
  const FILES_DIR = resolve(config.FILES_DIR || join(DATA_DIR, 'files'))
  return { ...config, DATA_DIR, FILES_DIR }
}

const schemaOf = (key: string): TSchema | undefined =>
  Object.hasOwn(Settings.properties, key)
    ? Settings.properties[key as keyof typeof Settings.properties]
    : undefined

export const isSecret = (schema: TSchema): boolean => 'secret' in schema

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

const kindsOf = (schema: TSchema): TSchema[] =>
  'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]

const isNumeric = (schema: TSchema): boolean =>
  kindsOf(schema).some((kind) => 'type' in kind && kind.type === 'integer')

function expectation(schema: TSchema): string {
  const [number, other] = kindsOf(schema)
  if (isNumeric(schema) && number && other && 'const' in other) {
    return `${expectation(number)}, or ${other.const}`
  }
  if ('minimum' in schema) {
    const to = 'maximum' in schema ? ` to ${schema.maximum}` : ' or more'
    return `must be a whole number from ${schema.minimum}${to}`
  }
  return `must be ${'description' in schema ? schema.description : 'text'}`
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
    fail('HISTORY_URL', 'names no embedded engine; leave it empty for SQLite in CARACAL_DATA_DIR')
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
    if (hostname === '') fail('BUS_URL', 'names no host')
    if (!isPercentEncoded(username + password)) {
      fail('BUS_URL', 'a % in its name or password is written as %25')
    }
  }
  if (config.BROKER_KEY !== '') {
    if (!/^mqtts?:\/\/[^:@/]+:[^@]+@/.test(config.BUS_URL)) {
      fail('BROKER_KEY', 'needs a CARACAL_BUS_URL with a name and a password')
    }
    if (!/^[\w-]{22,}$/.test(config.BROKER_KEY)) {
      fail('BROKER_KEY', 'must be 22 or more of A-Z a-z 0-9 _ -')
    }
  }
  scheme('MAIL_URL', 'smtp://', 'smtps://', 'file:')
  scheme('SMS_URL', 'https://', 'http://', 'file:')
  // Codes go through it: in the clear only on this machine.
  if (config.SMS_URL.startsWith('http:') && !isLoopback(config.SMS_URL)) {
    fail('SMS_URL', 'must begin with https:// unless it is on this machine')
  }
  scheme('PUBLIC_URL', 'http://', 'https://')
  scheme('MQTT_PUBLIC_URL', 'mqtt://', 'mqtts://')
  const stranger = config.TRUSTED_PROXIES.split(',').find((text) => text && !isNetwork(text))
  if (stranger) fail('TRUSTED_PROXIES', `"${stranger}" is no address and no network`)
  if ((config.TLS_CERT_PATH === '') !== (config.TLS_KEY_PATH === '')) {
    fail('TLS_CERT_PATH', 'needs CARACAL_TLS_KEY_PATH beside it, and the other way round')
  }
  for (const key of ['QUOTA_INSTALLATION', 'QUOTA_ORGANIZATION'] as const) {
    const part = quotasFault(config[key])
    if (part) fail(key, `"${part}" must be name=number with one of ${quotaNames.join(', ')}`)
  }
  const noNetwork = networksFault(config.NOTIFY_PRIVATE_NETWORKS)
  if (noNetwork) fail('NOTIFY_PRIVATE_NETWORKS', `"${noNetwork}" is not an address or a network`)
  if (!isTimeZone(config.TIMEZONE))
    fail('TIMEZONE', `"${config.TIMEZONE}" is not an IANA time zone`)
  if ((config.ADMIN_EMAIL === '') !== (config.ADMIN_PASSWORD === '')) {
    fail('ADMIN_EMAIL', 'needs CARACAL_ADMIN_PASSWORD beside it, and the other way round')
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

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function isNetwork(text: string): boolean {
  if (text === 'loopback' || text === 'uniquelocal') return true
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** ClickHouse needs a database in the path, and nothing behind it. */
export function isDatabaseUrl(text: string): boolean {
  const { pathname, search, hash } = new URL(text)
  return /^\/[A-Za-z_]\w*$/.test(pathname) && search === '' && hash === ''
}

const isLoopback = (url: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
