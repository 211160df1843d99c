import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import { DAY, MINUTE, type UnixMs } from '../lib/unix-time.ts'
import type { Registry } from '../registry/tables.ts'
import { insertToken, type TokenRow } from '../registry/tokens.ts'

/** 43 characters of base64url are 256 random bits. */
export const TOKEN_LENGTH = 43
/** The shortest key that a caller may ask for: 132 bits. */
export const MIN_KEY_LENGTH = 22
export const MAX_KEY_LENGTH = 256

const SESSION = { expires: 365 * DAY, session_timeout: 30 * DAY }
const PENDING_FOR_MS = 5 * MINUTE
export const RESET_FOR_MS = 30 * MINUTE

export const hashToken = (token: string): string => hash('sha256', token, 'base64url')

const lastTokens = new WeakMap<Socket, { token: string; hash: string }>()

/** A connection sends the same token again and again, and to hash it takes microseconds. */
export function hashTokenOnce(connection: Socket, token: string): string {
  const last = lastTokens.get(connection)
  if (last?.token === token) return last.hash
  const hash = hashToken(token)
  if (token.length <= MAX_KEY_LENGTH) lastTokens.set(connection, { token, hash })
  return hash
}

/** Compares digests, so that the time it takes reveals nothing, not even the length. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(hashToken(a)), Buffer.from(hashToken(b)))

/** The first character is a letter or digit: command lines read a leading `-` as an option. */
export function newToken(length = TOKEN_LENGTH): string {
  const token = randomBytes(length).toString('base64url').slice(0, length)
  return /^[A-Za-z0-9]/.test(token) ? token : newToken(length)
}

type Caller = { agent: string; address: string }

/** Returns the token, which is shown once. Only its hash is stored. */
export async function issueToken(
  registry: Registry,
  user_id: number,
  now: UnixMs,
  caller: Caller = { agent: '', address: '' }
): Promise<string> {
  const token = newToken()
  await insertToken(registry, {
    user_id,
    hash: hashToken(token),
    purpose: 'session',
    expires: now + SESSION.expires,
    session_timeout: SESSION.session_timeout,
    ...caller,
    now
  })
  return token
}

/** The token is valid only for PUT /auth, together with the code. */
export async function issuePending(
  registry: Registry,
  user_id: number,
  now: UnixMs
): Promise<{ token: string; code: string }> {
  const token = newToken()
  const hash = hashToken(token)
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const code_hash = hashCode(hash, code)
  const expires = now + PENDING_FOR_MS
  await insertToken(registry, { user_id, hash, purpose: 'pending', expires, code_hash, now })
  return { token, code }
}

/** The key is valid only to set a new password. */
export async function issueResetKey(
  registry: Registry,
  user_id: number,
  now: UnixMs
): Promise<string> {
  const key = newToken()
  const expires = now + RESET_FOR_MS
  await insertToken(registry, { user_id, hash: hashToken(key), purpose: 'reset', expires, now })
  return key
}

/** The hash includes the token, so that the code works with no other token. */
const hashCode = (tokenHash: string, code: string): string => hashToken(`${tokenHash} ${code}`)

export const isCodeOf = ({ hash, code_hash }: TokenRow, code: string): boolean =>
  timingSafeEqual(Buffer.from(hashCode(hash, code)), Buffer.from(code_hash))

export function hasEnded(
  token: Pick<TokenRow, 'expires' | 'last_used' | 'session_timeout'>,
  now: number
): boolean {
  const { expires, last_used, session_timeout } = token
  if (expires > 0 && expires <= now) return true
  return session_timeout > 0 && last_used + session_timeout <= now
}
