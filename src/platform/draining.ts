import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../lib/unix-time.ts'
import { endsWithin } from '../lib/within.ts'
import type { PartList } from './part.ts'
import type { Drain, Parts } from './parts.ts'

/** Time to store and acknowledge what was read, and to give back what this node has claimed. */
const LET_GO_LIMIT_MS = 4 * SECOND

/** Opened last, so a stop begins with it. */
export const draining: PartList<Parts, keyof Drain> = {
  drained: { open: () => false, close: (_drained, parts) => drain(parts) }
}

/**
 * The other nodes take over while this one still answers requests. Health says so first, so that a
 * load balancer sends no more of them. A node that is alone has nobody to wait for.
 */
async function drain({ state, bus, scheduler, teller, claims, config, isAlone, log }: Parts) {
  state.isDraining = true
  const seconds = isAlone ? 0 : config.DRAIN_SECONDS
  log.info({ seconds }, 'stopping')
  const letGo = Promise.all([
    bus.stopReading(),
    scheduler.stop().then(() => claims.release('scheduler')),
    teller.stop().then(() => claims.release('teller'))
  ])
  await Promise.all([endsWithin(LET_GO_LIMIT_MS, letGo), wait(seconds * SECOND)])
}
