import { pino } from 'pino'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { access } from '../platform/access.ts'
import { createControl } from '../platform/control/app.ts'
import { siteParts } from '../platform/control/running.ts'
import { openParts } from '../platform/part.ts'
import type { AccessParts, GivenToStart, Samples, Storage } from '../platform/parts.ts'
import { samples } from '../platform/samples.ts'
import { keepsForItself, storage } from '../platform/storage.ts'
import { InUse, onlyRunning, openStopped, type Stopped } from './stopped.ts'

type Opened = Storage & AccessParts & Samples

/** A stopped platform with everything that keeps data, but without the parts that others reach. */
export async function openStoppedSite(config: Config): Promise<Stopped> {
  // Refuses a directory that holds no platform, before anything is made in it.
  await (await openStopped(config)).close()
  const log = pino({ level: 'error', base: undefined }, pino.destination({ dest: 2, sync: true }))
  const given: GivenToStart = {
    ...{ config, log, clock: systemClock, isAlone: keepsForItself(config) },
    onFirstLogin: () => {}
  }
  const opened = await openParts<GivenToStart & Opened, keyof Opened>(given, {
    ...storage,
    ...access,
    ...samples
  }).catch((error: Error) => {
    throw error.message.includes('is in use') ? new InUse(error.message) : error
  })
  const { parts, stop } = opened
  const { registry, trace, clock, lineage } = parts
  const app = await createControl({
    ...{ registry, trace, clock, log, site: siteParts(parts) },
    ahead: () => lineage.ahead(),
    written: () => lineage.note(),
    ...onlyRunning
  })
  return {
    app,
    close: async () => {
      await app.close()
      await stop()
    }
  }
}
