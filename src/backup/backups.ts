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
type Wish = { directory: string; keep?: number | undefined }
type Watch = Pick<Making, 'onProgress' | 'signal'>

/** Makes backups of this platform, when it is asked and when they are due. One at a time. */
export class Backups {
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  #last: LastBackups
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<Backup> | undefined
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

  async make(wish: Wish, { onProgress, signal }: Watch): Promise<Backup> {
    if (this.#running) throw new BackupFault('a backup is being made already: try again later')
    this.#running = this.#make(wish, {
      onProgress,
      signal: AbortSignal.any([signal, this.#stopping.signal])
    })
    try {
      return await this.#running
    } finally {
      this.#running = undefined
    }
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
        const at = Math.floor(clock() / SECOND)
        this.#note({ failed: { directory, at, error: message } })
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
    const { config, clock } = this.#parts
    const every = durationOf(config.BACKUP_EVERY) ?? 0
    const now = clock()
    if (now < this.#retryAt && now < this.#retryAt - RETRY_MS + every) return false
    const newest = (await listBackups(directory).catch(() => [])).at(-1)
    if (newest === undefined) return true
    this.#know(join(directory, newest))
    const begun = timeOfName(newest)
    // A name from the future says nothing: the clock was wrong then, or is now.
    return begun > now + every || now - begun >= every
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
