import { basename } from 'node:path'
import { backupEvery } from '../backup/plan.ts'
import type { SystemDeps } from '../features/system/deps.ts'
import { SECOND } from '../lib/unix-time.ts'
import { statusOf } from './control/running.ts'
import type { Parts } from './parts.ts'

/** The status of the control socket, without what only matters on the machine. */
export async function systemStateOf(parts: Parts): ReturnType<SystemDeps['systemState']> {
  const { version, started, disk, spool, connections, problems, ...status } = await statusOf(parts)
  return {
    ...{ version, disk, spool, problems },
    started: started ?? 0,
    broker: parts.config.BUS_URL === '' ? 'embedded' : 'external',
    connections: connections ?? { http: 0, mqtt: 0 },
    certificate_expires: status.certificate_expires
  }
}

/** Backups of this node, for callers who may name no place. */
export function backupControlOf({
  backups,
  config
}: Pick<Parts, 'backups' | 'config'>): SystemDeps['backupControl'] {
  const isSet = config.BACKUP_DIR !== ''
  return {
    async state() {
      const { made, failed, verified } = backups.last
      const { next, count } = await backups.state()
      return {
        directory: isSet ? config.BACKUP_DIR : null,
        every: backupEvery(config),
        keep: isSet ? config.BACKUP_KEEP : null,
        count,
        next: next === undefined ? null : Math.floor(next / SECOND),
        made: made && named(made),
        failed: failed && { at: failed.at, error: failed.error },
        task: backups.task ?? null,
        verified: verified ? named(verified) : null
      }
    },
    make: () => backups.begin(),
    verify: () => backups.beginVerify()
  }
}

const named = <T extends { place: string }>({ place, ...rest }: T) => ({
  name: basename(place),
  ...rest
})
