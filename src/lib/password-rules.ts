import { readFileSync } from 'node:fs'

export const MIN_CHARACTERS = 8
export const MAX_CHARACTERS = 256

let common: ReadonlySet<string> | undefined

/** Why a password is refused, in words for the user; undefined when it is accepted. */
export function passwordFault(password: string): string | undefined {
  const length = [...password].length
  if (length < MIN_CHARACTERS) return `password must have at least ${MIN_CHARACTERS} characters`
  if (length > MAX_CHARACTERS) return `password must have at most ${MAX_CHARACTERS} characters`
  common ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
  )
  return common.has(password.toLowerCase()) ? 'password is one of the most common ones' : undefined
}
