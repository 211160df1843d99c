import { backupEvery } from '../../backup/plan.ts'
import type { EngineHealth } from '../../features/system/deps.ts'
import { arrivalOf } from '../../history/sample-ids.ts'
import { SECOND } from '../../lib/unix-time.ts'
import { VERSION } from '../../lib/version.ts'
import { within } from '../../lib/within.ts'
import { tellChange } from '../../notify/change.ts'
import type { SiteParts } from '../../site/parts.ts'
import type { AccessParts, Given, Parts, Samples, Storage } from '../parts.ts'
import type { ControlParts } from './parts.ts'
import { QuarantineWork } from './quarantine.ts'
import { problemsOf, type Status } from './status.ts'

/** A part that hangs must not keep the operator waiting. */
const ANSWER_LIMIT_MS = 3 * SECOND

/** What the control socket of a running platform works with. */
export const controlParts = (parts: Parts): ControlParts => {
  const { registry, trace, clock, log, lineage, directory, history } = parts
  return {
    ...{ registry, trace, clock, log },
    ahead: () => lineage.ahead(),
    written: async () => {
      // The write is done even if the registry now fails; a timer tries to catch up again.
      await Promise.all([directory.catchUp().catch(() => {}), lineage.note()])
    },
    status: () => statusOf(parts),
    backup: (...args) => parts.backups.make(...args),
    quarantine: history.files && new QuarantineWork(history.files, log),
    site: siteParts(parts, (change) => tellChange(parts, change))
  }
}

type Stored = Storage & AccessParts & Samples & Given

/** What moving a site works with. A stopped platform has nobody to tell. */
export const siteParts = (parts: Stored, tell: SiteParts['tell'] = async () => {}): SiteParts => {
  const { registry, history, spool, node, latest, files, directory, quotas, accounts } = parts
  const { removals, eraser, trace, lineage, hasRoom, clock, log, config } = parts
  return {
    ...{ registry, history, spool, ids: node.ids, latest, files, directory, quotas, accounts },
    ...{ removals, eraser, trace, lineage, hasRoom, clock, log, tell },
    dataDir: config.DATA_DIR,
    timezone: config.TIMEZONE
  }
}

export async function statusOf(parts: Parts): Promise<Status> {
  const { config, clock, address, bus, connections, disk, tls } = parts
  const now = clock()
  const [engines, spool] = await Promise.all([enginesOf(parts), spoolOf(parts)])
  const status = {
    running: true,
    version: VERSION,
    pid: process.pid,
    started: Math.floor(now / SECOND - process.uptime()),
    data_dir: config.DATA_DIR,
    addresses: [address.local, ...mqttAddresses(parts)],
    engines,
    disk: { free: disk.free, reserve: config.DISK_RESERVE_MB * 1024 * 1024 },
    spool,
    connections: { http: connections.count, mqtt: bus.connections },
    certificate_expires: tls ? Math.floor(tls.expires / SECOND) : null,
    backup: parts.backups.last,
    backup_every: backupEvery(config)
  }
  return { ...status, problems: problemsOf(status, now) }
}

function mqttAddresses({ address, config, bus }: Parts): string[] {
  const host = address.host
  if (config.BUS_URL !== '') return []
  return [
    ...(bus.port === undefined ? [] : [`mqtt://${host}:${bus.port}`]),
    ...(bus.tlsPort === undefined ? [] : [`mqtts://${host}:${bus.tlsPort}`])
  ]
}

/** The disk has its own line, so it is left out here. */
async function enginesOf({ health }: Parts): Promise<Record<string, EngineHealth>> {
  const late = () => new Error('the engines do not answer')
  try {
    const { disk: _, ...engines } = await within(ANSWER_LIMIT_MS, health(), late)
    return engines
  } catch (error) {
    return { engines: { ok: false, detail: (error as Error).message } }
  }
}

async function spoolOf({ spool, clock }: Parts): Promise<Status['spool']> {
  const late = () => new Error('the spool does not answer')
  const state = await within(ANSWER_LIMIT_MS, spool.state(), late).catch(() => undefined)
  if (!state) return null
  const { samples, bytes, oldestId } = state
  const waited = oldestId === undefined ? 0 : Math.max(0, clock() - arrivalOf(oldestId))
  return { samples, bytes, oldest_seconds: Math.floor(waited / SECOND) }
}
