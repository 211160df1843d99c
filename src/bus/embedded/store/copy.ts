import { join } from 'node:path'
import { copySqlite, openSqliteToRead, type SqliteCopy } from '../../../lib/sqlite-file.ts'

export const QUEUE_FILE = 'mqtt.sqlite'

/** Copies the sessions and queues of a data directory while they are in use. */
export const copyQueue = (dataDir: string, to: string): SqliteCopy =>
  copySqlite(join(dataDir, QUEUE_FILE), join(to, QUEUE_FILE))

/** The id of the platform that a copy belongs to; undefined until it is stored. */
export function platformOfQueue(file: string): string | undefined {
  const copy = openSqliteToRead(file)
  try {
    const id = copy.prepare('SELECT id FROM platform').get()?.['id']
    return id === undefined ? undefined : String(id)
  } finally {
    copy.close()
  }
}
