import { rmSync } from 'node:fs'
import type { Logger } from 'pino'
import { Backups } from '../backup/backups.ts'
import { readServers } from '../backup/servers.ts'
import { stagingOf } from '../backup/work.ts'
import { Eraser } from '../features/installation/eraser.ts'
import { Derivation } from '../features/mapping/derivation.ts'
import { MappedFunctions } from '../features/mapping/functions.ts'
import { LastMessages } from '../features/mapping/last-messages.ts'
import { Mappings } from '../features/mapping/mappings.ts'
import { WriteTopics } from '../features/mapping/write-topics.ts'
import { TraceRecorder } from '../features/trace/recorder.ts'
import type { History } from '../history/history.ts'
import { Latest } from '../history/latest/latest.ts'
import { SampleIds } from '../history/sample-ids.ts'
import { decodeSamples } from '../lib/sample.ts'
import { SECOND } from '../lib/unix-time.ts'
import { endsWithin } from '../lib/within.ts'
import { Metrics } from '../metrics.ts'
import { tellChange } from '../notify/change.ts'
import { Accounts } from '../quota/accounts.ts'
import { Bookkeeper } from '../quota/bookkeeper.ts'
import { Meter } from '../quota/meter.ts'
import { DirectWriter } from '../samples/direct-writer.ts'
import { Ingest } from '../samples/ingest.ts'
import { Mover } from '../samples/mover.ts'
import { OwnRetention } from '../samples/own-retention.ts'
import { Removals } from '../samples/removals.ts'
import { Retention } from '../samples/retention.ts'
import { DiskSpace } from './disk-space.ts'
import type { PartList } from './part.ts'
import type { Parts, Samples } from './parts.ts'
import { STOP_LIMIT_MS } from './storage.ts'

/** Time for the last samples to reach history. The rest stays safely in the spool. */
const FLUSH_LIMIT_MS = 5 * SECOND

/** The parts that a sample passes, and those that count it. */
export const samples: PartList<Parts, keyof Samples> = {
  node: {
    async open({ spool, claims, config }) {
      const { uuid, lastId } = await spool.state()
      if (!(await claims.keep(`data ${uuid}`))) {
        throw new Error(
          `CARACAL_DATA_DIR ${config.DATA_DIR} is a copy of a directory that another node uses`
        )
      }
      return { id: uuid, ids: new SampleIds(lastId) }
    }
  },
  latest: {
    async open({ history, spool, directory, clock, config }) {
      const latest = new Latest({
        ...{ history, clock },
        isShared: config.HISTORY_URL !== '',
        maxBytes: config.LATEST_CACHE_MB * 1024 * 1024
      })
      for await (const rows of spool.rows()) {
        latest.put(decodeSamples(rows))
      }
      directory.onRemoved((id) => latest.erase(id))
      return latest
    }
  },
  metrics: { open: () => new Metrics() },
  disk: {
    async open({ config: { DATA_DIR, DISK_RESERVE_MB }, log }) {
      const disk = new DiskSpace({ path: DATA_DIR, reserve: DISK_RESERVE_MB * 1024 * 1024, log })
      await disk.start()
      return disk
    },
    close: (disk) => disk.stop()
  },
  hasRoom: {
    open:
      ({ disk }) =>
      () =>
        disk.isEnough
  },
  trace: {
    open: ({ registry, clock, hasRoom }) => new TraceRecorder({ registry, clock, hasRoom }),
    close: (trace) => trace.flush(),
    closeWithinMs: STOP_LIMIT_MS
  },
  direct: {
    open: ({ history, spool, metrics, config, log }) =>
      config.ACK === 'history' ? new DirectWriter({ history, spool, metrics, log }) : undefined
  },
  settled: {
    open:
      ({ spool, direct }) =>
      () =>
        (direct ?? spool).settled()
  },
  accounts: {
    open: ({ quotas, directory, latest, settled, clock }) =>
      new Accounts({ quotas, directory, latest, settled, clock })
  },
  meter: {
    open: ({ accounts, latest, settled, metrics, clock, log }) =>
      new Meter({ accounts, latest, settled, metrics, clock, log })
  },
  bookkeeper: {
    open: ({ registry, history, accounts, meter, claims, hasRoom, clock, log }) =>
      Bookkeeper.open({ registry, history, accounts, meter, claims, hasRoom, clock, log }),
    close: (bookkeeper) => bookkeeper.stop(),
    closeWithinMs: STOP_LIMIT_MS
  },
  ingest: {
    open(parts) {
      const { spool, direct, node, latest, accounts, meter, directory, blacklist } = parts
      const { disk, metrics, clock, log } = parts
      return new Ingest({
        ...{ spool, direct, ids: node.ids, latest, accounts, meter, directory, blacklist },
        ...{ disk, metrics, clock, log }
      })
    },
    close: (ingest) => ingest.stop()
  },
  mappings: {
    open: ({ registry, directory, config }) =>
      Mappings.open({ registry, directory, timezone: config.TIMEZONE })
  },
  lastMessages: {
    open({ directory }) {
      const lastMessages = new LastMessages()
      directory.onRemoved((id) => lastMessages.forget(id))
      return lastMessages
    }
  },
  derivation: {
    open(parts) {
      const { registry, mappings, lastMessages, ingest, directory, blacklist, accounts, meter } =
        parts
      const { lineage, clock, config, log } = parts
      const functions = new MappedFunctions({
        ...{ registry, clock, lineage },
        tell: ({ client_id }) =>
          tellChange({ bus: parts.bus, log }, { kind: 'functionx', client_id })
      })
      directory.onRemoved((id) => functions.forget(id))
      const derivation = new Derivation({
        writeTopics: new WriteTopics(registry, clock),
        ...{ mappings, lastMessages, functions, ingest, directory, blacklist, accounts, meter },
        ...{ clock, log },
        // The bus opens later, and then messages come.
        bus: () => parts.bus,
        isExternal: config.BUS_URL !== ''
      })
      ingest.onOther((message, sender) => derivation.accept(message, sender))
      return derivation
    },
    close: (derivation) => derivation.stop()
  },
  mover: {
    async open({ spool, direct, history, latest, metrics, hasRoom, disk, log }) {
      const { samples: left } = await spool.state()
      const onMoved = (lastId: number) => latest.moved(lastId)
      const mover = new Mover({ spool, direct, history, metrics, hasRoom, log, left, onMoved })
      disk.onFreed(() => mover.wake())
      return mover
    },
    close: (mover, { log }) => flushWithin(FLUSH_LIMIT_MS, mover, log)
  },
  removals: {
    open: ({ registry, history, latest, mover, log }) =>
      new Removals({ registry, history, latest, mover, log })
  },
  eraser: {
    open: ({ registry, history, latest, mover, claims, clock, log }) =>
      new Eraser({ registry, history, latest, mover, claims, clock, log })
  },
  retention: {
    open: ({ history, metrics, log, config }) =>
      new Retention({
        ...{ history, metrics, log },
        retentionDays: config.RETENTION_DAYS,
        budget: config.HISTORY_BUDGET_MB * 1024 * 1024,
        floorDays: config.HISTORY_FLOOR_DAYS
      })
  },
  ownRetention: {
    open: ({ registry, history, quotas, log }) =>
      new OwnRetention({ registry, history, quotas, log })
  },
  backups: {
    open({ config, history, files, registry, clock, log }) {
      const servers = {
        registry: config.REGISTRY_URL === '' ? undefined : registry,
        history: config.HISTORY_URL === '' ? undefined : history
      }
      const hold: History['hold'] = (work) => history.hold(work)
      // Files that a backup held when the last process was killed.
      rmSync(stagingOf(config.DATA_DIR), { recursive: true, force: true })
      return new Backups({
        config,
        hold,
        files,
        readServers: () => readServers(servers),
        clock,
        log
      })
    },
    close: (backups) => backups.stop(),
    closeWithinMs: STOP_LIMIT_MS
  }
}

async function flushWithin(limit: number, mover: Mover, log: Logger): Promise<void> {
  const flushed = mover
    .flush()
    .catch((err) => log.warn({ err }, 'the last samples stay in the spool until the next start'))
  await endsWithin(limit, flushed)
}
