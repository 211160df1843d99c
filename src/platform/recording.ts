import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Figures } from '../features/system/figures.ts'
import { FiguresFile } from '../features/system/figures-file.ts'
import { Recorder } from '../features/system/recorder.ts'
import { arrivalOf } from '../history/sample-ids.ts'
import { SECOND } from '../lib/unix-time.ts'
import { within } from '../lib/within.ts'
import type { Parts } from './parts.ts'

/** A spool that does not answer must not delay the other figures. */
const SPOOL_LIMIT_MS = 3 * SECOND
const LOOP_RESOLUTION_MS = 20
const NANO = 1e9

export function openRecorder(parts: Parts): Recorder {
  const { config, metrics, bus, disk, clock, log } = parts
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loop.enable()
  const totals = () => ({ ...metrics.totals, received: bus.received })
  let before = totals()
  const take = async (seconds: number): Promise<Figures> => {
    const now = totals()
    const rate = (name: keyof typeof now) => (now[name] - before[name]) / seconds
    const { p50, p99 } = metrics.takeAnswerTimes()
    const taken = {
      messages_per_second: rate('received'),
      stored_per_second: rate('stored'),
      refused_per_second: rate('refused'),
      requests_per_second: rate('requests'),
      request_p50: p50,
      request_p99: p99,
      mqtt_connections: bus.connections,
      loop_delay_p99: Math.max(0, loop.percentile(99) / NANO - LOOP_RESOLUTION_MS / SECOND),
      memory_bytes: process.memoryUsage.rss(),
      disk_free_bytes: disk.free
    }
    before = now
    loop.reset()
    return { ...taken, ...(await spoolFigures(parts)) }
  }
  const file = new FiguresFile(join(config.DATA_DIR, 'figures.week'))
  return new Recorder({ file, take, clock, log })
}

async function spoolFigures({
  spool,
  clock
}: Parts): Promise<Pick<Figures, 'spool_samples' | 'spool_oldest_seconds'>> {
  const late = () => new Error('the spool does not answer')
  const state = await within(SPOOL_LIMIT_MS, spool.state(), late).catch(() => undefined)
  if (!state) return { spool_samples: Number.NaN, spool_oldest_seconds: Number.NaN }
  const { samples, oldestId } = state
  const waited = oldestId === undefined ? 0 : Math.max(0, clock() - arrivalOf(oldestId))
  return { spool_samples: samples, spool_oldest_seconds: waited / SECOND }
}
