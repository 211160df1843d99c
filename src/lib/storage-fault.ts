import { basename } from 'node:path'

/** Messages of SQLite, the system and PostgreSQL. Errors from threads have only their message. */
const DISK_FULL = /database or disk is full|ENOSPC|EDQUOT|No space left on device/
const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100'])
const DAMAGED = /disk image is malformed|file is not a database|malformed database schema/

/** There is no space left on the disk. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (DISK_FULL.test(error.message) || ('code' in error && DISK_FULL_CODES.has(error.code)))

/** A SQLite file is damaged. */
const isDamage = (error: Error): boolean => DAMAGED.test(error.message)

/** A file of ours is damaged, as `explainDamage` or a packed file says it. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof Error && error.message.includes(' is damaged')

/** For damage, an error that names the file and the way out; other errors stay as they are. */
export const explainDamage = (
  error: Error,
  file: string,
  lost: string,
  away = `the file away, and ${basename(file)}-wal and -shm with it`
): Error =>
  isDamage(error)
    ? new Error(
        `${file} is damaged (${error.message}): restore the whole backup (docs/operate/damage.md); without a backup, move ${away}; then ${lost}`,
        { cause: error }
      )
    : error
