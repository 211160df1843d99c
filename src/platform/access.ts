import type { Config } from '../config.ts'
import { Blacklist } from '../features/blacklist/blacklist.ts'
import { openSearcher } from '../features/search/open.ts'
import { ensureFirstAdministrator } from '../identity/first-administrator.ts'
import { Identity } from '../identity/identity.ts'
import { defaultLimits } from '../lib/quota.ts'
import { SECOND } from '../lib/unix-time.ts'
import { Directory } from '../permission/directory.ts'
import { Quotas } from '../quota/quotas.ts'
import { Shares } from '../quota/shares.ts'
import { lostUsers } from '../registry/users.ts'
import { LineageKeeper } from './lineage.ts'
import type { PartList } from './part.ts'
import type { AccessParts, Parts } from './parts.ts'
import { STOP_LIMIT_MS } from './storage.ts'

/** So many users are named in one line of the log. */
const MAX_USERS_NAMED = 100

export const searchTimeoutMs = (config: Config): number => config.SEARCH_TIMEOUT_SECONDS * SECOND

/** The parts that know callers, their permissions and their quotas. */
export const access: PartList<Parts, keyof AccessParts> = {
  // Open it before the first user is created: a new registry beside an old history must not reuse
  // ids.
  lineage: {
    async open({ registry, history, spool, store, files, names, log }) {
      const lineage = await LineageKeeper.open(
        { registry, history, spool, store, files, names },
        log
      )
      lineage.start()
      return lineage
    },
    close: (lineage) => lineage.stop(),
    closeWithinMs: STOP_LIMIT_MS
  },
  firstLogin: {
    async open({ config, registry, clock, log, onFirstLogin }) {
      const admin = { email: config.ADMIN_EMAIL, password: config.ADMIN_PASSWORD }
      const login = await ensureFirstAdministrator(registry, admin, clock)
      if (login) onFirstLogin(login)
      const lost = await lostUsers(registry)
      if (lost.length > 0) {
        log.warn(
          { users: lost.slice(0, MAX_USERS_NAMED), count: lost.length },
          'these users belong to no organization: an administrator of the top organization can see them and give them one'
        )
      }
      return login
    }
  },
  searcher: {
    open: ({ config }) =>
      openSearcher({
        ...{ url: config.REGISTRY_URL, dataDir: config.DATA_DIR },
        timeoutMs: searchTimeoutMs(config)
      }),
    close: (searcher) => searcher.close(),
    closeWithinMs: STOP_LIMIT_MS
  },
  directory: { open: ({ registry }) => Directory.open(registry) },
  identity: {
    open: ({ registry, directory, clock }) => new Identity(registry, directory, clock)
  },
  blacklist: {
    async open({ registry, directory, clock }) {
      const blacklist = await Blacklist.open(registry, clock)
      directory.onBlacklistChange(() => blacklist.reload())
      return blacklist
    },
    close: (blacklist) => blacklist.stop(),
    closeWithinMs: STOP_LIMIT_MS
  },
  quotas: {
    open: ({ registry, directory, config }) =>
      Quotas.open({
        ...{ registry, directory, defaults: quotaDefaults(config) },
        historyDays: config.RETENTION_DAYS
      })
  },
  shares: {
    open: ({ quotas, directory, history }) => new Shares(quotas, directory, history.pagesAtOnce)
  }
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
