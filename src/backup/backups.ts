import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { durationOf } from '../lib/duration.ts'
import { HOUR, MINUTE, SECOND } from '../lib/unix-time.ts'
import { type LastBackups, madeOf, readLast, writeLast } from './last.ts'
import { type Backup, type Making, makeBackup } from './make.ts'
import { readManifest } from './manifest.ts'
import { listBackups, timeOfName } from './names.ts'
import { BackupFault } from './place.ts'
import { planOf } from './plan.ts'
import { verifyInThread } from './verify-thread.ts'

/** After a failure the next backup is tried after this time, or earlier if it is due. */
const RETRY_MS = 10 * MINUTE
const LOOK_EVERY_MS = 10 * SECOND
/** A backup that takes longer must not keep unused contents of files for ever. */
const HOLD_FILES_MS = 6 * HOUR

type Parts = Pick<Making, 'hold' | 'readServers'> & {
  config: Config
  files: { hold(mostMs: number): () => void }
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'error' | 'warn'>
}
/** What is done now, since when (Unix seconds), and the finished part, 0 to 1. */
export type BackupTask = { what: 'make' | 'verify'; since: number; done: number }
/** `nothing`: the folder has no backup. */
export type BackupBegun = 'begun' | 'busy' | 'no folder' | 'nothing'

/** So many findings are kept. The command `verify` shows all. */
const KEPT_FINDINGS = 20

type Wish = { directory: string; keep?: number | undefined }
type Watch = Pick<Making, 'onProgress' | 'signal'>

/** Makes backups of this platform, when it is asked and when they are due. One at a time. */
export class Backups {
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  #last: LastBackups
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> | undefined
  #task: BackupTask | undefined
  #isLooking = false
  #retryAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#last = readLast(parts.config.DATA_DIR)
  }

  get last(): LastBackups {
    return this.#last
  }

  /** Since the start. */
  get failures(): number {
    return this.#failures
  }

  /** Begins to make backups by itself, if CARACAL_BACKUP_DIR is set. */
  start(): void {
    if (this.#parts.config.BACKUP_DIR === '') return
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS)
    void this.#look()
  }

  /** A backup that is not complete is left out. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#running?.catch(() => {})
  }

  get task(): Readonly<BackupTask> | undefined {
    return this.#task
  }

  async make(wish: Wish, { onProgress, signal }: Watch): Promise<Backup> {
    const watch = { onProgress, signal: AbortSignal.any([signal, this.#stopping.signal]) }
    return this.#alone('make', watch, (watch) => this.#make(wish, watch))
  }

  /** Begins a backup into CARACAL_BACKUP_DIR. How it ended is in `last`. */
  begin(): BackupBegun {
    const { BACKUP_DIR: directory, BACKUP_KEEP: keep } = this.#parts.config
    if (directory === '') return 'no folder'
    if (this.#running || this.#stopping.signal.aborted) return 'busy'
    const watch = { onProgress: () => {}, signal: this.#stopping.signal }
    // It is in the log.
    this.make({ directory, keep }, watch).catch(() => {})
    return 'begun'
  }

  /** Begins to read all of the newest backup in CARACAL_BACKUP_DIR. The outcome is in `last`. */
  async beginVerify(): Promise<BackupBegun> {
    const { BACKUP_DIR: directory } = this.#parts.config
    if (directory === '') return 'no folder'
    const newest = (await listBackups(directory).catch(() => [])).at(-1)
    if (this.#running || this.#stopping.signal.aborted) return 'busy'
    if (newest === undefined) return 'nothing'
    const watch = { onProgress: () => {}, signal: this.#stopping.signal }
    const place = join(directory, newest)
    // No backup is made meanwhile, because that could remove the one that is read.
    this.#alone('verify', watch, (watch) => this.#verify(place, watch)).catch(() => {})
    return 'begun'
  }

  /** When the next backup is due; undefined if none is made by itself. How many there are now. */
  async state(): Promise<{ next: number | undefined; count: number }> {
    const { BACKUP_DIR: directory } = this.#parts.config
    if (directory === '') return { next: undefined, count: 0 }
    const names = await listBackups(directory).catch(() => [])
    return {
      next: Math.max(this.#parts.clock(), this.#dueAfter(names.at(-1))),
      count: names.length
    }
  }

  /** One thing at a time. */
  async #alone<T>(
    what: BackupTask['what'],
    { onProgress, signal }: Watch,
    work: (watch: Watch) => Promise<T>
  ): Promise<T> {
    if (this.#running) {
      const isMade = this.#task?.what === 'make'
      throw new BackupFault(
        `a backup is being ${isMade ? 'made' : 'read'} already: try again later`
      )
    }
    const task: BackupTask = { what, since: this.#second(), done: 0 }
    this.#task = task
    const running = work({
      signal,
      onProgress(done) {
        task.done = done
        onProgress(done)
      }
    })
    this.#running = running
    try {
      return await running
    } finally {
      this.#running = undefined
      this.#task = undefined
    }
  }

  async #verify(place: string, watch: Watch): Promise<void> {
    const { readServers, log } = this.#parts
    const nothing = { values: 0, files: 0, faults: 0, findings: [] }
    try {
      const servers = await readServers()
      const read = await verifyInThread(place, { ...watch, servers })
      const { samples: values, files, faults, findings: all } = read
      const findings = all.slice(0, KEPT_FINDINGS)
      const at = this.#second()
      this.#note({ verified: { place, at, values, files, faults, findings, error: null } })
      if (faults > 0) log.error({ place, faults, findings }, 'a backup is damaged')
      else log.info({ place, values, files }, 'a backup was read and is whole')
    } catch (error) {
      if (watch.signal.aborted) return
      const { message } = error as Error
      this.#note({ verified: { ...nothing, place, at: this.#second(), error: message } })
      log.error({ err: error, place }, 'a backup could not be verified')
    }
  }

  #second(): number {
    return Math.floor(this.#parts.clock() / SECOND)
  }

  async #make({ directory, keep }: Wish, watch: Watch): Promise<Backup> {
    const { config, hold, files, readServers, clock, log } = this.#parts
    const started = clock()
    try {
      const plan = planOf(config, { directory, keep, started })
      const holdFiles = () => files.hold(HOLD_FILES_MS)
      const backup = await makeBackup({ plan, hold, holdFiles, readServers, ...watch })
      const { name, missing } = backup
      const place = join(directory, name)
      this.#note({ made: madeOf(place, backup), failed: null })
      log.info({ ...backup, place, missing: missing.length }, 'a backup was made')
      if (missing.length > 0)
        log.error({ missing }, 'files of the platform are missing, so the backup lacks them too')
      return backup
    } catch (error) {
      // A stop is no failure: the next start makes the backup.
      if (!watch.signal.aborted) {
        this.#failures++
        const { message } = error as Error
        this.#note({ failed: { directory, at: this.#second(), error: message } })
        log.error({ err: error, directory }, 'a backup failed')
      }
      throw error
    }
  }

  #note(news: Partial<LastBackups>): void {
    this.#last = { ...this.#last, ...news }
    writeLast(this.#parts.config.DATA_DIR, this.#last)
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#running || this.#stopping.signal.aborted) return
    this.#isLooking = true
    const { config, clock } = this.#parts
    const { BACKUP_DIR: directory, BACKUP_KEEP: keep } = config
    try {
      if (!(await this.#isDue(directory))) return
      const watch = { onProgress: () => {}, signal: new AbortController().signal }
      await this.make({ directory, keep }, watch)
    } catch {
      // It is in the log.
      this.#retryAt = clock() + RETRY_MS
    } finally {
      this.#isLooking = false
    }
  }

  async #isDue(directory: string): Promise<boolean> {
    const newest = (await listBackups(directory).catch(() => [])).at(-1)
    if (newest !== undefined) this.#know(join(directory, newest))
    return this.#parts.clock() >= this.#dueAfter(newest)
  }

  /** When the next backup is due, which may be long ago. */
  #dueAfter(newest: string | undefined): number {
    const { config, clock } = this.#parts
    const every = durationOf(config.BACKUP_EVERY) ?? 0
    const retryAt = Math.min(this.#retryAt, this.#retryAt - RETRY_MS + every)
    const begun = newest === undefined ? undefined : timeOfName(newest)
    // A name from the future says nothing: the clock was wrong then, or is now.
    if (begun === undefined || begun > clock() + every) return retryAt
    return Math.max(retryAt, begun + every)
  }

  /** After a start with a new data directory, the folder of backups knows the last one. */
  #know(place: string): void {
    if (this.#last.made !== null || this.#last.failed !== null) return
    try {
      const { started, ended, files } = readManifest(place)
      const made = madeOf(place, { started, ended, bytes: files.bytes, new_bytes: 0 })
      this.#last = { ...this.#last, made }
    } catch (err) {
      this.#parts.log.warn({ err }, 'the last backup cannot be read; "verify" says more')
    }
  }
}
