/** As in src/lib/password-rules.ts. */
export const MIN_CHARACTERS = 8
export const MAX_CHARACTERS = 256
