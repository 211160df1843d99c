import { readFileSync } from 'node:fs'

const MIN_LENGTH = 8
const MAX_LENGTH = 256

let common: ReadonlySet<string> | undefined

/** Why a password is refused, in words for its owner; undefined when it is fine. */
export function passwordFault(password: string): string | undefined {
  const length = [...password].length
  if (length < MIN_LENGTH) return `password must have at least ${MIN_LENGTH} characters`
  if (length > MAX_LENGTH) return `password must have at most ${MAX_LENGTH} characters`
  common ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
  )
  return common.has(password.toLowerCase()) ? 'password is one of the most common ones' : undefined
}
