import type { Schemas } from '../../../tools/client/client.ts'

export type Settings = Schemas['AlarmSettings']
export type Channel = Settings['channels'][number]

export const channels = ['mail', 'sms', 'push', 'webhook'] as const

/** `a, b and c` */
export const listed = (words: readonly string[], and: string): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(and)
