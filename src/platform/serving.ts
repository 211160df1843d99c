import type { AddressInfo } from 'node:net'
import { createApp } from '../app.ts'
import type { Bus } from '../bus/bus.ts'
import type { Config } from '../config.ts'
import type { App } from '../deps.ts'
import { BrokerAccess } from '../features/broker/broker-access.ts'
import { Authority } from '../features/certificate/authority.ts'
import { CertificateThread } from '../features/certificate/thread.ts'
import { Commands } from '../features/command/commands.ts'
import { levelsToRead } from '../features/mapping/levels.ts'
import { Connections } from '../http/connections.ts'
import { callerAddress, trustIn } from '../http/proxies.ts'
import { FailedSignIns } from '../identity/failed-sign-ins.ts'
import { REGISTRATION, Throttle } from '../identity/throttle.ts'
import { networksOf } from '../lib/networks.ts'
import { originsOf } from '../lib/origins.ts'
import { Rounds } from '../lib/rounds.ts'
import { Tally } from '../lib/tally.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import { AlarmEvents } from '../notify/alarm-events.ts'
import { Executors } from '../outbound/executors.ts'
import { openSenders } from '../outbound/open.ts'
import { mqttRules } from '../permission/mqtt-rules.ts'
import { countCertificates } from '../registry/certificates.ts'
import { sharedUsesOf } from '../registry/shared-uses.ts'
import { holdingsOf, type RoomDeps } from '../routes.ts'
import { Peers } from '../samples/peers.ts'
import { siteDownloads } from '../site/download.ts'
import { searchTimeoutMs } from './access.ts'
import { PublicAddress } from './address.ts'
import { explainPort, openBus, type PlatformBus } from './bus.ts'
import { siteParts } from './control/running.ts'
import { openGatewayPresence } from './gateways.ts'
import { backupHealthOf, certificateHealthOf, healthOf } from './health.ts'
import { describeState } from './metrics.ts'
import type { PartList } from './part.ts'
import type { Parts, Serving } from './parts.ts'
import { remembered } from './remembered.ts'
import { backupControlOf, systemStateOf } from './system.ts'
import { openTls } from './tls.ts'
import { openWatcher } from './watcher.ts'

/** Counting the certificates of a large platform takes a while. */
const CERTIFICATES_COUNTED_EVERY_MS = MINUTE

/** Opened before anything else: a wrong certificate must not leave half a platform behind. */
export const certificate: PartList<Parts, 'tls'> = {
  tls: {
    open: ({ config, log }) => openTls(config, log),
    close: (tls) => tls?.close()
  }
}

/** The parts that clients connect to. */
export const serving: PartList<Parts, Exclude<keyof Serving, 'tls'>> = {
  failedSignIns: { open: ({ metrics, clock, log }) => new FailedSignIns({ metrics, clock, log }) },
  gateways: { open: (parts) => openGatewayPresence(parts) },
  rules: {
    open(parts) {
      const { registry, identity, failedSignIns, directory, blacklist, quotas, gateways } = parts
      const { ingest, log } = parts
      return mqttRules(
        { registry, identity, failedSignIns, directory, blacklist, quotas, gateways },
        (message, sender, reason) => {
          ingest
            .refuse(reason, message, sender.owner, sender)
            .catch((err) =>
              log.error({ err }, 'a refused message could not be written to the ledger')
            )
        }
      )
    }
  },
  brokerAccess: {
    open: ({ registry, rules, failedSignIns, config, clock, log }) =>
      new BrokerAccess({
        registry,
        rules,
        failedSignIns,
        clock,
        log,
        account: brokerAccountOf(config)
      })
  },
  certificateThread: {
    open: () => new CertificateThread(),
    close: (thread) => thread.close()
  },
  certificateAuthority: {
    async open({ registry, certificateThread: thread, tls, directory, clock, log }) {
      const onKnown = (pem: string) => tls?.trustOwn(pem)
      const authority = new Authority({ registry, thread, clock, onKnown })
      await authority.catchUp()
      // Another node tells of each certificate that it issues.
      directory.onIdentityChange((change) => {
        if (change && change.gateways.size === 0) return
        authority
          .catchUp()
          .catch((err) => log.error({ err }, 'the authority of certificates could not be read'))
      })
      return authority
    }
  },
  certificateCounts: {
    open: ({ registry, clock }) =>
      remembered(CERTIFICATES_COUNTED_EVERY_MS, clock, () => countCertificates(registry, clock()))
  },
  bus: {
    async open(parts) {
      const { config, registry, claims, rules, quotas, ingest, brokerAccess, store } = parts
      const { disk, directory, identity, clock, log } = parts
      const bus = await openBus(config, {
        ...{ registry, claims, rules, quotas, ingest, brokerAccess, store, disk, clock, log }
      })
      directory.onIdentityChange((change) => {
        identity.forget(change)
        brokerAccess.forget(change)
        void bus.recheck()
      })
      if (config.BUS_URL !== '') await readForMappings(parts, bus)
      return bus
    },
    async close(bus, { direct }) {
      await bus.close()
      await direct?.close()
    }
  },
  trust: { open: ({ config }) => trustIn(config.TRUSTED_PROXIES) },
  address: {
    open(parts) {
      const { config, bus } = parts
      return new PublicAddress(config, () => ({
        httpPort: (parts.app.server.address() as AddressInfo).port,
        mqttPort: bus.port,
        mqttsPort: bus.tlsPort
      }))
    }
  },
  state: { open: () => ({ isDraining: false }) },
  alarmEvents: {
    open: ({ bus, log }) => new AlarmEvents({ bus, log }),
    close: (events) => events.stop()
  },
  watcher: {
    open(parts) {
      const { registry, spool, directory, claims, gateways, clock, log, node, bus } = parts
      return openWatcher({
        ...{ registry, spool, directory, claims, gateways, clock, log, node, bus },
        alarmEvents: parts.alarmEvents,
        timezone: parts.config.TIMEZONE,
        hasValues: parts.direct === undefined
      })
    }
  },
  health: {
    open: ({ config, claims, directory, mover, direct, history, bus, disk, watcher }) =>
      healthOf({ config, claims, directory, mover, direct, history, bus, disk, watcher })
  },
  deps: { open: (parts) => depsOf(parts) },
  app: {
    open(parts) {
      const { deps, tls, trust, config } = parts
      describeState(parts)
      return createApp(deps, {
        https: tls?.current,
        trust,
        origins: originsOf(config.CORS_ORIGINS)
      })
    }
  },
  connections: {
    open: ({ app, log }) => new Connections(app.server, { log }),
    close: (connections, { app, bus }) => stopServing(app, connections, bus)
  },
  listening: {
    async open({ app, bus, tls, trust, connections, config }) {
      const { HOST: host, HTTP_PORT: port } = config
      await bus.attach(app.server, tls, (request) => {
        connections.arrived(request.socket)
        return callerAddress(request, trust)
      })
      tls?.serve(app.server)
      await app.listen({ host, port }).catch(explainPort('CARACAL_HTTP_PORT', host, port))
      return true
    },
    close: (_listening, { bus }) => bus.stopAccepting()
  },
  peers: {
    open({ bus, claims, mover, removals, log, node }) {
      if (!bus.shared) return undefined
      const peers = new Peers({
        ...{ bus: bus.shared, claims, log, node: node.id },
        settle: () => mover.flush()
      })
      peers.start()
      removals.tellOthers(() => peers.settleAll())
      return peers
    },
    close: (peers) => peers?.stop()
  },
  // An external broker may ask the API who we are, so the API must listen first.
  connected: {
    async open({ bus }) {
      await bus.connect()
      return true
    }
  }
}

/** An external broker sends only what is asked for. */
async function readForMappings(
  { registry, mappings, log }: Pick<Parts, 'registry' | 'mappings' | 'log'>,
  bus: PlatformBus
): Promise<void> {
  const rounds = new Rounds(async () => {
    const { levels, left } = await levelsToRead(registry)
    if (left > 0) log.warn({ levels: left }, 'some mappings get no messages: there are too many')
    bus.readAlso(levels)
  })
  mappings.onChange(() => {
    rounds.ask().catch((err) => log.error({ err }, 'the mappings could not be read'))
  })
  await rounds.ask()
}

function depsOf(parts: Parts): RoomDeps {
  const { config, clock, log, address, bus, eraser, removals } = parts
  const { registry, history, latest, spool, node, files, lineage, metrics, hasRoom } = parts
  const { searcher, directory, identity, blacklist, quotas, shares, accounts, meter } = parts
  const { mappings, lastMessages, ingest, trace, health, state, alarmEvents } = parts
  const { brokerAccess, failedSignIns, gateways, tls } = parts
  const { certificateThread, certificateAuthority } = parts
  return {
    ...{ clock, log, registry, history, latest, spool, bus, metrics, lineage, hasRoom, files },
    ...{ searcher, directory, identity, blacklist, quotas, shares, accounts, meter },
    ...{ mappings, lastMessages, trace, brokerAccess, health, failedSignIns, gateways },
    ...{ removals, ingest, alarmEvents, certificateThread, certificateAuthority },
    commands: new Commands({ bus, clock }),
    clientAuthorities: () => tls?.authorities ?? [],
    hasRules: config.ACK === 'spool',
    ids: node.ids,
    judgeImport: (installation, rows) => parts.watcher.judgeImport(installation, rows),
    ...openSenders(config, clock, (kind, outcome) => metrics.sentLetter(kind, outcome)),
    executors: new Executors(networksOf(config.NOTIFY_PRIVATE_NETWORKS), clock),
    holdings: holdingsOf({ timezone: config.TIMEZONE }),
    searchTimeoutMs: searchTimeoutMs(config),
    bodyTimeoutMs: config.BODY_TIMEOUT_SECONDS * SECOND,
    importLimits: {
      bytes: config.IMPORT_UNFOLD_MB * 1024 * 1024,
      lines: config.IMPORT_UNFOLD_LINES
    },
    filesQuota: config.FILES_QUOTA_MB * 1024 * 1024,
    uploading: { callers: new Tally(), bytes: new Tally() },
    registering: new Throttle(clock, sharedUsesOf(registry, clock), REGISTRATION),
    brokerKey: config.BROKER_KEY,
    hasMounts: config.BUS_URL === '',
    isBusRead: () => bus.isRead,
    isDraining: () => state.isDraining,
    systemAccounts: systemAccountsOf(config),
    publicUrl: () => address.url,
    gatewayAddresses: (request) => address.ofGateway(request),
    brokerUrls: (request) => address.brokerUrls(request),
    slowQueryMs: config.SLOW_QUERY_MS,
    timezone: config.TIMEZONE,
    eraseHistory: () => eraser.wake(),
    siteFile: siteDownloads(siteParts(parts)),
    systemState: () => systemStateOf(parts),
    connectedClients: () => bus.clients(),
    figureHistory: (hours) => parts.recorder.read(hours),
    backupControl: backupControlOf(parts),
    backupHealth: () => backupHealthOf(parts),
    certificateHealth: () => certificateHealthOf(parts)
  }
}

/** The bus closes the WebSockets, which keep the server of the API open. */
async function stopServing(app: App, connections: Connections, bus: Bus): Promise<void> {
  const endConnections = async () => {
    await connections.drain()
    await bus.close().finally(() => connections.destroy())
  }
  await Promise.all([app.close(), endConnections()])
}

function brokerAccountOf({ BUS_URL }: Config): { username: string; password: string } {
  if (BUS_URL === '') return { username: '', password: '' }
  const { username, password } = new URL(BUS_URL)
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}

/** The name ends at the first colon. The password may contain colons. */
const systemAccountsOf = ({ SYSTEM_ACCOUNTS }: Config): ReadonlyMap<string, string> =>
  new Map(
    SYSTEM_ACCOUNTS.split(',')
      .filter(Boolean)
      .map((account) => {
        const colon = account.indexOf(':')
        return [account.slice(0, colon), account.slice(colon + 1)]
      })
  )
