import type { Config } from '../config.ts'
import { Teller } from '../features/alarm/tell/teller.ts'
import { Scheduler } from '../features/schedule/scheduler.ts'
import { Indexer } from '../features/search/indexer.ts'
import { Outage } from '../lib/outage.ts'
import { SECOND } from '../lib/unix-time.ts'
import { Housekeeping } from './housekeeping.ts'
import type { PartList } from './part.ts'
import type { Parts, Workers } from './parts.ts'
import { openRecorder } from './recording.ts'
import { STOP_LIMIT_MS } from './storage.ts'

/** The parts that work in the background. */
export const workers: PartList<Parts, keyof Workers> = {
  housekeeping: {
    open(parts) {
      const { registry, history, directory, claims, files, bus } = parts
      const { eraser, retention, ownRetention } = parts
      const { MQTT_SESSION_DAYS: sessionDays, TRACE_DAYS: traceDays } = parts.config
      const { clock, log } = parts
      return new Housekeeping({
        ...{ registry, history, directory, claims, files, bus, eraser, retention, ownRetention },
        ...{ sessionDays, traceDays, clock, log }
      })
    }
  },
  timers: {
    open({ directory, claims, bus, log }) {
      const outage = new Outage(log, {
        fails: 'the registry does not answer',
        back: 'the registry answers again'
      })
      const look = async () => {
        await directory.catchUp()
        if (claims.failure) throw new Error(claims.failure)
      }
      const catchUp = () =>
        void look().then(
          () => outage.worked(),
          (err) => outage.failed(err)
        )
      claims.onChange(catchUp)
      return [
        setInterval(catchUp, SECOND / 2),
        // A credential that only expires causes no change that the directory could report.
        setInterval(() => void bus.recheck(), 10 * SECOND)
      ]
    },
    close: (timers) => timers.forEach((timer) => void clearInterval(timer))
  },
  indexer: { open: ({ registry, claims, log }) => new Indexer({ registry, claims, log }) },
  scheduler: {
    open: ({ registry, claims, bus, ingest, direct, metrics, clock, log, config }) =>
      new Scheduler({
        ...{ registry, claims, bus, metrics, clock, log },
        // The broker keeps the value of a schedule until history has it, so no schedule waits here.
        ingest: direct ? { accept: async () => {} } : ingest,
        timezone: config.TIMEZONE
      })
  },
  teller: {
    open(parts) {
      const { registry, identity, directory, claims, metrics, clock, log, config, deps } = parts
      const { mail, sms, executors, publicUrl, timezone } = deps
      return new Teller({
        ...{ registry, identity, directory, claims, metrics, clock, log },
        ...{ mail, sms, executors, publicUrl, timezone },
        contact: () => contactOf(config)
      })
    }
  },
  recorder: {
    open: (parts) => openRecorder(parts),
    close: (recorder) => recorder.stop()
  },
  working: {
    open(parts) {
      const { mover, indexer, housekeeping, scheduler, teller, blacklist, bookkeeper } = parts
      const { backups, recorder, watcher, log } = parts
      mover.start()
      watcher.start()
      indexer.start()
      housekeeping.start()
      scheduler.start()
      teller.start()
      blacklist.start(log)
      bookkeeper.start()
      backups.start()
      recorder.start()
      return true
    },
    close(_working, parts) {
      const { scheduler, teller, mover, indexer, eraser, housekeeping, backups, watcher } = parts
      const all = [scheduler, teller, mover, indexer, eraser, housekeeping, backups, watcher]
      return Promise.all(all.map((one) => one.stop()))
    },
    closeWithinMs: STOP_LIMIT_MS
  }
}

/** [RFC 8292, 2.1] Whom a push service can turn to: a page or a mail address. */
const contactOf = ({ PUBLIC_URL, MAIL_FROM }: Config): string =>
  PUBLIC_URL.startsWith('https:') ? PUBLIC_URL : `mailto:${MAIL_FROM}`
