import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { Accounts } from './access/accounts.ts'
import { Blacklist } from './access/blacklist.ts'
import { BrokerAccess } from './access/broker-access.ts'
import { Directory } from './access/directory.ts'
import { ensureFirstAdministrator, type FirstLogin } from './access/first-administrator.ts'
import { Identity } from './access/identity.ts'
import { Meter } from './access/meter.ts'
import { mqttRules } from './access/mqtt-rules.ts'
import { Quotas } from './access/quotas.ts'
import { Shares } from './access/shares.ts'
import { REGISTRATION, Throttle } from './access/throttle.ts'
import { TraceRecorder } from './access/trace-recorder.ts'
import { createApp } from './app.ts'
import type { Bus } from './bus/bus.ts'
import type { Config } from './config.ts'
import type { App, Deps, Health } from './deps.ts'
import { Latest } from './history/latest.ts'
import { SampleIds } from './history/sample-ids.ts'
import type { Spool } from './history/spool.ts'
import { Connections } from './http/connections.ts'
import { callerAddress, trustIn } from './http/proxies.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { networksOf } from './lib/networks.ts'
import { defaultLimits } from './lib/quota.ts'
import { decodeSamples } from './lib/sample.ts'
import { Tally } from './lib/tally.ts'
import { SECOND } from './lib/unix-time.ts'
import { within } from './lib/within.ts'
import { Metrics } from './metrics.ts'
import { Executors } from './outbound/executors.ts'
import { openSenders } from './outbound/open.ts'
import { type Ports, PublicAddress } from './platform-address.ts'
import { explainPort, openBus } from './platform-bus.ts'
import { describeState } from './platform-metrics.ts'
import { keepsForItself, openParts, STOP_LIMIT } from './platform-parts.ts'
import { openSearcher } from './registry/searcher.ts'
import { lostUsers } from './registry/users.ts'
import { openTls } from './tls.ts'
import { Bookkeeper } from './workers/bookkeeper.ts'
import { DiskSpace } from './workers/disk-space.ts'
import { Eraser } from './workers/eraser.ts'
import { Housekeeping } from './workers/housekeeping.ts'
import { Indexer } from './workers/indexer.ts'
import { Ingest } from './workers/ingest.ts'
import { LineageKeeper } from './workers/lineage.ts'
import { Mover } from './workers/mover.ts'
import { Peers } from './workers/peers.ts'
import { Retention } from './workers/retention.ts'
import { Scheduler } from './workers/scheduler.ts'

export type Platform = Ports & {
  deps: Deps
  address: PublicAddress
  historyEngine: string
  /** Runs before everything that is open by now is closed. */
  onStop(close: () => unknown): void
  stop(): Promise<void>
}

export type StartOptions = {
  log: Logger
  clock?: Clock
  /** Called as soon as the first administrator exists: its password is told nowhere else. */
  onFirstLogin?: (login: FirstLogin) => void
}

/** Users who are named in one line of the log. */
const MAX_TOLD = 100
/** How long the last samples may take to reach history; what remains waits safely in the spool. */
const FLUSH_LIMIT = 5 * SECOND

/** Opens every engine in order and closes them in reverse, also when one of them fails to open. */
export async function startPlatform(config: Config, options: StartOptions): Promise<Platform> {
  const closers: (() => unknown)[] = []
  const stop = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) {
      // What cannot be closed well must not keep the rest open.
      await Promise.resolve()
        .then(close)
        .catch((err) => options.log.error({ err }, 'a part did not stop well'))
    }
  }
  try {
    return await open(config, options, closers, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(
  config: Config,
  { log, clock = systemClock, onFirstLogin }: StartOptions,
  closers: (() => unknown)[],
  stop: () => Promise<void>
): Promise<Platform> {
  const { DATA_DIR: dataDir, HOST: host } = config
  const tls = openTls(config, log)
  closers.push(() => tls?.close())
  const isAlone = keepsForItself(config)
  const parts = await openParts(config, closers, { clock, log, isAlone })
  const { claims, registry, history, engine, spool, store, files } = parts
  // Before anybody is made: a new registry beside an old history must not begin at the first ids.
  const lineage = await LineageKeeper.open(parts, log)
  closers.push(() => within(STOP_LIMIT, lineage.stop()))
  lineage.start()

  const admin = { email: config.ADMIN_EMAIL, password: config.ADMIN_PASSWORD }
  const firstLogin = await ensureFirstAdministrator(registry, admin, clock)
  if (firstLogin) onFirstLogin?.(firstLogin)
  const lost = await lostUsers(registry)
  if (lost.length > 0) {
    log.warn(
      { users: lost.slice(0, MAX_TOLD), count: lost.length },
      'these users belong to no organization: who reaches the top organization sees them and gives them one'
    )
  }
  const searchTimeoutMs = config.SEARCH_TIMEOUT_SECONDS * SECOND
  const searcher = openSearcher(registry, {
    url: config.REGISTRY_URL,
    dataDir,
    timeoutMs: searchTimeoutMs
  })
  closers.push(() => within(STOP_LIMIT, searcher.close()))
  const directory = await Directory.open(registry)
  const identity = new Identity(registry, directory, clock)
  const blacklist = await Blacklist.open(registry, clock)
  closers.push(() => within(STOP_LIMIT, blacklist.stop()))
  directory.onBlacklistChange(() => blacklist.reload())

  const quotas = await Quotas.open({ registry, directory, defaults: quotaDefaults(config) })
  const shares = new Shares(quotas, directory, history.pagesAtOnce)

  const { uuid: node, lastId } = await spool.state()
  if (!(await claims.keep(`data ${node}`))) {
    throw new Error(`CARACAL_DATA_DIR ${dataDir} is a copy of one that another node runs on`)
  }
  const latest = await readLatest(history, spool, clock)
  directory.onRemoved((id) => latest.erase(id))

  const metrics = new Metrics()
  const reserve = config.DISK_RESERVE_MB * 1024 * 1024
  const disk = new DiskSpace({ path: dataDir, reserve, log })
  await disk.start()
  closers.push(() => disk.stop())
  const hasRoom = () => disk.isEnough
  const trace = new TraceRecorder({ registry, clock, hasRoom })
  closers.push(() => within(STOP_LIMIT, trace.flush()))
  const ids = new SampleIds(lastId)
  const accounts = new Accounts({ quotas, directory, latest })
  const meter = new Meter({ accounts, latest, metrics, clock, log })
  const bookkeeper = await Bookkeeper.open({
    ...{ registry, history, accounts, meter, claims, hasRoom, log }
  })
  closers.push(() => within(STOP_LIMIT, bookkeeper.stop()))
  const ingest = new Ingest({
    ...{ spool, ids, latest, accounts, meter, directory, quotas, blacklist, disk, metrics, clock },
    hasOwnSessions: config.BUS_URL === ''
  })
  closers.push(() => ingest.stop())
  const mover = new Mover({ spool, history, metrics, hasRoom, log })
  disk.onFreed(() => mover.wake())
  closers.push(() => flushWithin(FLUSH_LIMIT, mover, log))
  const eraser = new Eraser({ registry, history, latest, mover, claims, clock, log })

  const rules = mqttRules(
    { registry, identity, directory, blacklist, quotas },
    (message, sender, reason) => {
      ingest.refuse(reason, message, sender).catch((err) => log.error({ err }, 'the ledger failed'))
    }
  )
  const brokerAccess = new BrokerAccess({
    ...{ registry, rules, clock, log },
    account: brokerAccountOf(config)
  })
  const bus = await openBus(config, {
    ...{ registry, claims, rules, quotas, ingest, brokerAccess, store, disk, clock, log }
  })
  closers.push(() => bus.close())
  directory.onIdentityChange((change) => {
    identity.forget(change)
    brokerAccess.forget(change)
    void bus.recheck()
  })

  const registryEngine = config.REGISTRY_URL === '' ? 'sqlite' : 'postgresql'
  const health: Health = async () => ({
    registry: claims.failure
      ? failed(claims.failure)
      : await directory.catchUp().then(ok(registryEngine), failed),
    history:
      mover.failure === undefined
        ? await history.check().then(ok(engine), failed)
        : failed(mover.failure),
    bus: bus.failure ? failed(bus.failure) : { ok: true, detail: bus.detail },
    disk: { ok: disk.isEnough, detail: `${Math.floor(disk.free / 1024 / 1024)} MB free` }
  })
  const address = new PublicAddress(config, () => ({
    httpPort: (app.server.address() as AddressInfo).port,
    mqttPort: bus.port,
    mqttsPort: bus.tlsPort
  }))
  const deps: Deps = {
    clock,
    log,
    registry,
    searcher,
    searchTimeoutMs,
    history,
    latest,
    spool,
    ids,
    lineage,
    bodyTimeoutMs: config.BODY_TIMEOUT_SECONDS * SECOND,
    importLimits: {
      bytes: config.IMPORT_UNFOLD_MB * 1024 * 1024,
      lines: config.IMPORT_UNFOLD_LINES
    },
    hasRoom,
    files,
    filesQuota: config.FILES_QUOTA_MB * 1024 * 1024,
    uploading: { callers: new Tally(), bytes: new Tally() },
    bus,
    directory,
    blacklist,
    quotas,
    accounts,
    meter,
    identity,
    shares,
    registering: new Throttle(clock, REGISTRATION),
    trace,
    brokerAccess,
    brokerKey: config.BROKER_KEY,
    isBusRead: () => bus.isRead,
    systemAccounts: systemAccountsOf(config),
    health,
    metrics,
    publicUrl: () => address.url,
    gatewayAddresses: (request) => address.ofGateway(request),
    slowQueryMs: config.SLOW_QUERY_MS,
    timezone: config.TIMEZONE,
    ...openSenders(config, clock),
    executors: new Executors(networksOf(config.NOTIFY_PRIVATE_NETWORKS), clock),
    eraseHistory: () => eraser.wake()
  }
  const retention = new Retention({
    ...{ history, metrics, log },
    retentionDays: config.RETENTION_DAYS,
    budget: config.HISTORY_BUDGET_MB * 1024 * 1024,
    floorDays: config.HISTORY_FLOOR_DAYS
  })
  describeState(metrics, {
    ...{ spool, trace, history, latest, bus, disk, directory, retention },
    ...{ quotas, accounts, clock }
  })

  const trust = trustIn(config.TRUSTED_PROXIES)
  const app = await createApp(deps, { https: tls?.current, trust })
  const connections = new Connections(app.server, { log })
  metrics.gauge(
    'http_refused_connections',
    'Connections closed at once because too many had asked for nothing yet, since the start',
    () => connections.refused
  )
  closers.push(() => stopServing(app, connections, bus))
  await bus.attach(app.server, tls, (request) => {
    connections.arrived(request.socket)
    return callerAddress(request, trust)
  })
  tls?.serve(app.server)
  await app
    .listen({ host, port: config.HTTP_PORT })
    .catch(explainPort('CARACAL_HTTP_PORT', host, config.HTTP_PORT))
  closers.push(() => bus.stopAccepting())
  if (bus.shared) {
    const peers = new Peers({
      ...{ bus: bus.shared, latest, history, spool, directory, claims, log, node }
    })
    await peers.start()
    closers.push(() => peers.stop())
  }
  await bus.connect()

  const { MQTT_SESSION_DAYS: sessionDays, TRACE_DAYS: traceDays } = config
  const housekeeping = new Housekeeping({
    ...{
      registry,
      history,
      directory,
      claims,
      files,
      eraser,
      retention,
      bus,
      sessionDays,
      traceDays
    },
    ...{ clock, log }
  })
  const catchUp = () => {
    directory.catchUp().catch((err) => log.error({ err }, 'the registry does not answer'))
  }
  claims.onChange(catchUp)
  const catchUpTimer = setInterval(catchUp, SECOND / 2)
  // What ends by the clock alone makes no change that anybody could hear of.
  const recheck = setInterval(() => void bus.recheck(), 10 * SECOND)
  closers.push(() => {
    clearInterval(catchUpTimer)
    clearInterval(recheck)
  })
  const indexer = new Indexer({ registry, log })
  const timezone = config.TIMEZONE
  const scheduler = new Scheduler({
    ...{ registry, claims, bus, ingest, metrics, clock, log, timezone }
  })
  mover.start()
  indexer.start()
  housekeeping.start()
  scheduler.start()
  blacklist.start(log)
  bookkeeper.start()
  const workers = [scheduler, mover, indexer, eraser, housekeeping]
  closers.push(() => within(STOP_LIMIT, Promise.all(workers.map((worker) => worker.stop()))))

  if (address.isGuessed) {
    log.warn(
      { url: address.url },
      'mails name the first address of this machine: set CARACAL_PUBLIC_URL to where people reach it'
    )
  }
  const onStop = (close: () => unknown) => void closers.push(close)
  return { deps, address, ...address.ports, historyEngine: engine, onStop, stop }
}

/** The bus ends the WebSockets, which hold the server of the API open. */
async function stopServing(app: App, connections: Connections, bus: Bus): Promise<void> {
  const endConnections = async () => {
    await connections.drain()
    await bus.close().finally(() => connections.destroy())
  }
  await Promise.all([app.close(), endConnections()])
}

async function readLatest(history: Deps['history'], spool: Spool, clock: Clock): Promise<Latest> {
  const latest = new Latest(clock)
  for await (const samples of history.latest()) {
    for (const sample of samples) latest.put(sample)
  }
  for await (const rows of spool.rows()) {
    for (const sample of decodeSamples(rows)) latest.put(sample)
  }
  return latest
}

async function flushWithin(limit: number, mover: Mover, log: Logger): Promise<void> {
  const flushed = mover
    .flush()
    .catch((err) => log.warn({ err }, 'the last samples stay in the spool until the next start'))
  await within(limit, flushed)
}

function brokerAccountOf({ BUS_URL }: Config): { username: string; password: string } {
  if (BUS_URL === '') return { username: '', password: '' }
  const { username, password } = new URL(BUS_URL)
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}

const quotaDefaults = (config: Config) =>
  defaultLimits(
    { installation: config.QUOTA_INSTALLATION, organization: config.QUOTA_ORGANIZATION },
    {
      topics: config.TOPICS_PER_INSTALLATION,
      file_bytes: config.FILES_QUOTA_MB * 1024 * 1024,
      connections: config.MQTT_CONNECTIONS_PER_OWNER,
      filters: config.MQTT_FILTERS_PER_OWNER
    }
  )

/** A password may hold colons; the name ends at the first one. */
const systemAccountsOf = ({ SYSTEM_ACCOUNTS }: Config): ReadonlyMap<string, string> =>
  new Map(
    SYSTEM_ACCOUNTS.split(',')
      .filter(Boolean)
      .map((account) => {
        const colon = account.indexOf(':')
        return [account.slice(0, colon), account.slice(colon + 1)]
      })
  )

const ok = (detail: string) => () => ({ ok: true, detail })
const failed = (why: unknown) => ({
  ok: false,
  detail: why instanceof Error ? why.message : String(why)
})
