import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { replaceFile } from '../lib/sync-path.ts'
import { VERSION } from '../lib/version.ts'

const FILE = 'last-run'
const RUNNING = 'running'
const STOPPED = 'stopped'

/**
 * Says in the data directory whether the platform runs or has stopped, so that the next start knows
 * how the last run ended.
 */
export class LastRun {
  readonly #dataDir: string
  readonly #before: string | undefined
  readonly #log: Logger
  #hasStarted = false

  /** To be opened under the lock of the directory. */
  constructor(dataDir: string, log: Logger) {
    this.#dataDir = dataDir
    this.#log = log
    this.#before = read(dataDir)
    this.#keep(`${RUNNING} ${VERSION}`)
  }

  /** The start has succeeded. Says how the last run ended, if that is known. */
  started(): void {
    this.#hasStarted = true
    const [state, version] = this.#before?.split(' ') ?? []
    if (state === STOPPED) this.#log.info({ version }, 'last stopped cleanly')
    else if (state === RUNNING) {
      this.#log.info({ version }, 'was killed, or the machine lost power: it did not stop cleanly')
    }
  }

  /** To be called when every other part is closed. A start that failed leaves no mark of its own. */
  close(): void {
    if (this.#hasStarted) this.#keep(`${STOPPED} ${VERSION}`)
    else if (this.#before !== undefined) this.#keep(this.#before)
    else rmSync(join(this.#dataDir, FILE), { force: true })
  }

  /** On a full disk the platform still serves what it has. */
  #keep(text: string): void {
    try {
      replaceFile(join(this.#dataDir, FILE), `${text}\n`)
    } catch (err) {
      this.#log.warn({ err }, 'the next start cannot tell how this run ended')
    }
  }
}

function read(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, FILE), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
