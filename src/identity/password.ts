import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { FairSlots, type SlotTurn } from '../lib/fair-slots.ts'

const KEY_BYTES = 32
/** As a power of two. A hash names its cost, so that it can be raised for new passwords. */
const COST = 15
/** Hashes made before they named their cost have this one. */
const UNNAMED_COST = '15'

/**
 * Hashing uses the pool of four threads that also reads and writes files. Two threads stay free.
 */
const slots = new FairSlots({ atOnce: 2 })
/** How many new passwords of an account, and sign-ins from an address, may be hashed at once. */
const MAX_NEW_AT_ONCE = 2
const MAX_SIGN_INS_AT_ONCE = 32

type Salt = { salt: Buffer; cost: number }

const derive = (password: string, { salt, cost }: Salt, turn: SlotTurn): Promise<Buffer> =>
  slots.run(
    turn,
    () =>
      new Promise((resolve, reject) => {
        const options = { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) }
        scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
          error ? reject(error) : resolve(key)
        )
      })
  )

/**
 * `caller` is the account or address that the work is counted for. Rejects with `TooManyAtOnce`.
 */
export async function hashPassword(password: string, caller: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, { salt, cost }, { caller, most: MAX_NEW_AT_ONCE })
  return `scrypt$${cost}$${salt.toString('base64url')}$${key.toString('base64url')}`
}

/** A hash that no password has. With it, an unknown account takes as long as a known one. */
export const NO_PASSWORD = `scrypt$${COST}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * For random passwords, which need no slow hash. A gateway sends its password with every request.
 */
export const hashSecret = (secret: string): string =>
  `sha256$${createHash('sha256').update(secret).digest('base64url')}`

export async function isPassword(password: string, hash: string, caller: string): Promise<boolean> {
  if (hash.startsWith('sha256$')) {
    return timingSafeEqual(Buffer.from(hashSecret(password)), Buffer.from(hash))
  }
  const parts = hash.split('$').slice(1)
  const [cost = '', salt = '', key = ''] = parts.length < 3 ? [UNNAMED_COST, ...parts] : parts
  const derived = await derive(
    password,
    { salt: Buffer.from(salt, 'base64url'), cost: Number(cost) },
    { caller, most: MAX_SIGN_INS_AT_ONCE }
  )
  return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && hash !== NO_PASSWORD
}

/** Uses letters and digits that do not look alike, for a password that a person types once. */
export function randomPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from(randomBytes(20), (byte) => alphabet[byte % alphabet.length]).join('')
}
