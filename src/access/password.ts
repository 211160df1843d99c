import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { FairSlots, type Turn } from '../lib/fair-slots.ts'

const KEY_LENGTH = 32
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

/** Hashing takes a thread of the pool of four that reads and writes files, so two are left for those. */
const slots = new FairSlots({ atOnce: 2 })
/** New passwords of one account, and sign-ins from one address, at the same time. */
const MOST_NEW = 2
const MOST_SHOWN = 32

const derive = (password: string, salt: Buffer, turn: Turn): Promise<Buffer> =>
  slots.run(
    turn,
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize('NFC'), salt, KEY_LENGTH, COST, (error, key) =>
          error ? reject(error) : resolve(key)
        )
      })
  )

/** `caller`: whose turn it costs, an account or an address. Rejects with `TooManyAtOnce`. */
export async function hashPassword(password: string, caller: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, { caller, most: MOST_NEW })
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`
}

/** A hash of nothing: an unknown account takes as long as a known one. */
export const NO_PASSWORD = `scrypt$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Of a password that is random enough to need no slow hash: a gateway shows it with every request. */
export const hashSecret = (secret: string): string =>
  `sha256$${createHash('sha256').update(secret).digest('base64url')}`

export async function isPassword(password: string, hash: string, caller: string): Promise<boolean> {
  if (hash.startsWith('sha256$')) {
    return timingSafeEqual(Buffer.from(hashSecret(password)), Buffer.from(hash))
  }
  const [, salt = '', key = ''] = hash.split('$')
  const derived = await derive(password, Buffer.from(salt, 'base64url'), {
    caller,
    most: MOST_SHOWN
  })
  return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && hash !== NO_PASSWORD
}

/** Letters and digits that nobody mixes up, for passwords that a person types once. */
export function randomPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from(randomBytes(20), (byte) => alphabet[byte % alphabet.length]).join('')
}
