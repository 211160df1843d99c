import { countOpenAlarms } from '../features/alarm/alarms.ts'
import { totalOfFiles } from '../features/file/total.ts'
import { arrivalOf } from '../history/sample-ids.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import { within } from '../lib/within.ts'
import { highestShares } from '../quota/used-shares.ts'
import { registryBytes } from '../registry/size.ts'
import type { Parts } from './parts.ts'
import { remembered } from './remembered.ts'
import { together } from './together.ts'

const HEALTH_LIMIT_MS = 2 * SECOND
/** Counting the files of a large platform takes a while. */
const FILES_COUNTED_EVERY_MS = 10 * MINUTE

/** What `describeState` reads. Nothing is read before Prometheus asks. */
export type Described = Omit<Parts, 'bus'> & { bus: Pick<Parts['bus'], 'describe'> }

/** Registers the figures that are read when Prometheus asks. */
export function describeState(parts: Described): void {
  const { metrics, bus, trace } = parts
  describeHealth(parts)
  describeSamples(parts)
  describeSizes(parts)
  describeTenants(parts)
  describeBackups(parts)
  describeAlarms(parts)
  describeCertificates(parts)
  bus.describe(metrics)
  metrics.counter(
    'trace_dropped_total',
    'Refused writes and sign-ins that were not traced because they were too many',
    () => trace.dropped
  )
  metrics.counter(
    'http_refused_connections_total',
    'Connections closed at once because too many had made no request yet',
    () => parts.connections.refused
  )
}

function describeHealth({ metrics, health, state, tls, disk, config }: Described): void {
  const engines = together(() =>
    within(HEALTH_LIMIT_MS, health(), () => new Error('the engines do not answer'))
  )
  metrics.gauge('ready', '1 while everything works, as GET /health/ready says', () =>
    engines().then(
      (all) => Number(!state.isDraining && Object.values(all).every(({ ok }) => ok)),
      () => 0
    )
  )
  metrics.table('engine_ready', '1 while this part works', ['engine'], async () =>
    Object.entries(await engines()).map(([engine, { ok }]) => ({
      labels: { engine },
      figure: Number(ok)
    }))
  )
  metrics.gauge('disk_free_bytes', 'Free space of the data directory', () => disk.free)
  metrics.gauge(
    'disk_reserve_bytes',
    'Free space that samples leave on the disk: CARACAL_DISK_RESERVE_MB',
    () => config.DISK_RESERVE_MB * 1024 * 1024
  )
  if (!tls) return
  metrics.gauge(
    'tls_certificate_expiry_timestamp_seconds',
    'Unix time when the TLS certificate ends',
    () => tls.expires / SECOND
  )
}

function describeSamples({ metrics, spool, direct, ingest, clock }: Described): void {
  const state = together(() => spool.state())
  const ageOf = (time: number) => Math.max(0, clock() - time) / SECOND
  metrics.gauge(
    'newest_sample_age_seconds',
    'Time since this node stored the newest sample; NaN if it never stored one',
    () => (ingest.newestAt > 0 ? ageOf(ingest.newestAt) : Number.NaN)
  )
  metrics.gauge(
    'spool_oldest_sample_age_seconds',
    'How long the oldest sample has waited in the spool; 0 if none waits',
    async () => {
      const { oldestId } = await state()
      return oldestId === undefined ? 0 : ageOf(arrivalOf(oldestId))
    }
  )
  metrics.gauge(
    'spool_samples',
    'Samples in the spool, on their way to history',
    async () => (await state()).samples
  )
  metrics.gauge(
    'unacknowledged_samples',
    'With ACK=history: samples that wait until history has them',
    () => direct?.waitingSamples ?? 0
  )
  metrics.gauge(
    'unacknowledged_oldest_sample_age_seconds',
    'With ACK=history: how long the oldest of them has waited; 0 if none waits',
    () => (direct?.waitingSince === undefined ? 0 : ageOf(direct.waitingSince))
  )
  metrics.gauge('spool_bytes', 'Size of the samples in the spool on disk', async () =>
    Math.max(...(await state()).readers.map(({ bytes }) => bytes))
  )
  metrics.table(
    'spool_reader_samples',
    'Samples in the spool that a reader has not passed yet. The mover takes them to history',
    ['reader'],
    async () =>
      (await state()).readers.map(({ name, samples }) => ({
        labels: { reader: name },
        figure: samples
      }))
  )
  metrics.counters(
    'spool_reader_missed_samples_total',
    'Samples that a reader of the spool has missed because it was too far behind',
    'reader',
    async () =>
      Object.fromEntries((await state()).readers.map(({ name, missed }) => [name, missed]))
  )
}

function describeAlarms({ metrics, registry, watcher }: Described): void {
  metrics.counter(
    'alarm_samples_total',
    'Samples that this node has judged by rules',
    () => watcher.judged
  )
  metrics.counter(
    'alarm_rounds_total',
    'Times that this node has written states of rules and their alarms',
    () => watcher.rounds
  )
  metrics.gauge(
    'alarm_behind_seconds',
    'How far the rules are behind the samples that this node has stored',
    () => watcher.behindMs / SECOND
  )
  metrics.gauge(
    'alarm_watches',
    'Rules on topics that this node keeps in memory',
    () => watcher.watches
  )
  metrics.gauge('alarms_open', 'Alarms that are not cleared, of all nodes', () =>
    countOpenAlarms(registry)
  )
}

function describeCertificates({ metrics, certificateCounts }: Described): void {
  metrics.table(
    'client_certificates',
    'Client certificates that are not revoked, of all nodes; expiring: within 30 days',
    ['status'],
    async () => {
      const { valid, expiring, expired } = await certificateCounts()
      return Object.entries({ valid, expiring, expired }).map(([status, figure]) => ({
        labels: { status },
        figure
      }))
    }
  )
  metrics.gauge(
    'client_certificate_next_expiry_timestamp_seconds',
    'Unix time when the next client certificate ends; NaN if there is none',
    async () => {
      const { next } = await certificateCounts()
      return next === undefined ? Number.NaN : next / SECOND
    }
  )
}

function describeSizes({ metrics, registry, history, retention, clock }: Described): void {
  metrics.gauge('registry_bytes', 'Size of the registry on disk', () => registryBytes(registry))
  metrics.gauge('history_bytes', 'Size of history on disk', () =>
    history.sizes().then(({ bytes }) => bytes)
  )
  metrics.gauge(
    'history_budget_excess_bytes',
    'Bytes of history above CARACAL_HISTORY_BUDGET_MB that are too young to be dropped',
    () => retention.excess
  )
  metrics.gauge(
    'history_broken_files',
    'Packed files of history that are missing or broken, so that queries that need them fail',
    () => history.files?.broken.length ?? 0
  )
  metrics.gauge(
    'history_quarantined_samples',
    'Samples that were lost with files of history that were set aside',
    () => history.files?.quarantined.reduce((sum, { lost }) => sum + lost, 0) ?? 0
  )
  const files = remembered(FILES_COUNTED_EVERY_MS, clock, () => totalOfFiles(registry))
  metrics.gauge(
    'files',
    'Uploaded files, counted every ten minutes',
    async () => (await files()).files
  )
  metrics.gauge(
    'files_bytes',
    'Size of the uploaded files, counted every ten minutes',
    async () => (await files()).bytes
  )
}

function describeBackups({ metrics, backups }: Described): void {
  const made = () => backups.last.made
  metrics.gauge(
    'backup_last_success_timestamp_seconds',
    'Unix time when the last backup was made; NaN if none was made',
    () => made()?.ended ?? Number.NaN
  )
  metrics.gauge(
    'backup_last_duration_seconds',
    'How long the last backup took; NaN if none was made',
    () => {
      const last = made()
      return last ? last.ended - last.started : Number.NaN
    }
  )
  metrics.gauge(
    'backup_last_size_bytes',
    'Size of the last backup, with files that it shares with others; NaN if none was made',
    () => made()?.bytes ?? Number.NaN
  )
  metrics.counter(
    'backup_failures_total',
    'Backups that failed since the start',
    () => backups.failures
  )
}

function describeTenants({ metrics, latest, directory, accounts, quotas, clock }: Described): void {
  metrics.gauge('topics', 'Topics with a latest value, when they were counted last', () => {
    let topics = 0
    for (const account of accounts.installations()) topics += account.topics
    return topics
  })
  metrics.gauge(
    'latest_cache_bytes',
    'Memory of the latest values in use, about',
    () => latest.bytes
  )
  metrics.gauge('installations', 'Installations', () => directory.size)
  metrics.table(
    'quota_share',
    'Used share of a quota, where 1 is all of it, for the three tenants with the highest share',
    ['quota', 'tenant'],
    async () => {
      const shares = await highestShares(accounts, quotas, clock())
      return shares.map(({ quota, tenant, share }) => ({
        labels: { quota, tenant },
        figure: share
      }))
    }
  )
}
