/** Of SQLite, the system, and PostgreSQL. Errors of threads arrive with their message alone. */
const FULL = /database or disk is full|ENOSPC|EDQUOT|No space left on device/
const FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100'])
const DAMAGE = /disk image is malformed|file is not a database|malformed database schema/

/** There is no space left for what was to be written. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (FULL.test(error.message) || ('code' in error && FULL_CODES.has(error.code)))

/** A file of SQLite does not hold what was written to it. */
const isDamage = (error: Error): boolean => DAMAGE.test(error.message)

/** With the file and the way out where it is damage; another error stays as it is. */
export const explainDamage = (error: Error, file: string, lost: string): Error =>
  isDamage(error)
    ? new Error(
        `${file} is damaged (${error.message}): restore the whole backup; if there is none, move the file away, and ${lost}`,
        { cause: error }
      )
    : error
