import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import type { Sender } from './sender.ts'

/**
 * The default sender: one JSON file per message, named by time, for the person who sets up the
 * platform.
 */
export function openOutbox(dataDir: string, clock: Clock): Sender {
  const directory = join(dataDir, 'outbox')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return {
    async send(letter) {
      const at = new Date(clock()).toISOString().replaceAll(':', '-')
      const file = join(directory, `${at}-${randomBytes(4).toString('hex')}.json`)
      // Written to another name and renamed, so that a reader never sees half a message.
      await writeFile(`${file}.part`, `${JSON.stringify(letter, null, 2)}\n`, { mode: 0o600 })
      await rename(`${file}.part`, file)
    }
  }
}
