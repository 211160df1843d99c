import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { recordStart } from '../features/trace/start.ts'
import { type HistoryEngine, historyEngineAt } from '../history/open.ts'
import type { FirstLogin } from '../identity/first-administrator.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { VERSION } from '../lib/version.ts'
import { removeCopies } from '../registry/copy-before.ts'
import type { RoomDeps } from '../routes.ts'
import { access } from './access.ts'
import type { Ports, PublicAddress } from './address.ts'
import { control } from './control/control.ts'
import { draining } from './draining.ts'
import { openParts } from './part.ts'
import type { GivenToStart, Parts } from './parts.ts'
import { samples } from './samples.ts'
import { certificate, serving } from './serving.ts'
import { keepsForItself, storage } from './storage.ts'
import { lastRun, tellFound } from './what-was-found.ts'
import { workers } from './workers.ts'

export type Platform = Ports & {
  deps: RoomDeps
  address: PublicAddress
  historyEngine: HistoryEngine
  /** `close` runs before the parts that are already open are closed. */
  onStop(close: () => unknown): void
  stop(): Promise<void>
}

export type StartOptions = {
  log: Logger
  clock?: Clock
  /**
   * Called as soon as the first administrator exists, because its password is shown nowhere else.
   */
  onFirstLogin?: (login: FirstLogin) => void
}

export async function startPlatform(
  config: Config,
  { log, clock = systemClock, onFirstLogin = () => {} }: StartOptions
): Promise<Platform> {
  const given: GivenToStart = { config, log, clock, isAlone: keepsForItself(config), onFirstLogin }
  const { lock, ...others } = storage
  const list = {
    ...certificate,
    // Before everything that can be left unfinished, and closed after it.
    lock,
    ...lastRun,
    ...others,
    ...access,
    ...samples,
    ...serving,
    ...workers,
    ...control,
    ...draining
  }
  const { parts, onStop, stop } = await openParts<Parts, Exclude<keyof Parts, keyof GivenToStart>>(
    given,
    list
  )
  const { deps, address, trace, hasRoom } = parts
  await tellFound(parts)
  if (config.REGISTRY_URL === '' && !parts.upgrade.hasMigrated) await removeCopies(config.DATA_DIR)
  log.info({ version: VERSION, node: process.versions.node }, 'started')
  if (hasRoom()) {
    await recordStart(trace, clock).catch((err) =>
      log.error({ err }, 'the start could not be traced')
    )
  }
  if (address.isGuessed) {
    log.warn(
      { url: address.url },
      'mails contain the first address of this machine: set CARACAL_PUBLIC_URL to the URL that users open'
    )
  }
  const historyEngine = historyEngineAt(config.HISTORY_URL)
  return { deps, address, ...address.ports, historyEngine, onStop, stop }
}
