import type { Schemas } from '../../../tools/client/client.ts'

export type Settings = Schemas['AlarmSettings']
export type Channel = Settings['channels'][number]

export const channels = ['mail', 'sms', 'push', 'webhook'] as const
