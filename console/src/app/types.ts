import type { Schemas } from '../../../tools/client/client.ts'

export type EdgeApp = Schemas['EdgeApp']
export type Version = Schemas['EdgeAppVersion']
