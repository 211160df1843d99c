import { createHash, randomBytes } from 'node:crypto'
import { DAY, type UnixMs } from '../lib/unix-time.ts'
import type { Registry } from '../registry/tables.ts'
import { insertToken } from '../registry/tokens.ts'

const LIFETIME = 365 * DAY
/** A token that nobody used for this long has ended. */
export const IDLE = 30 * DAY

export const hashToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

/** Characters `[A-Za-z0-9_-]`, 256 random bits; only the hash stays here. */
export async function issueToken(registry: Registry, userId: number, now: UnixMs): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await insertToken(registry, {
    user_id: userId,
    hash: hashToken(token),
    expires: now + LIFETIME,
    now
  })
  return token
}
