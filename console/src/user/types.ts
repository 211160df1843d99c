import type { Schemas } from '../../../tools/client/client.ts'

export type User = Schemas['User']
export type Role = Schemas['Role']
export type Token = Schemas['Token']
export type Installation = Schemas['Installation']
export type Organization = Schemas['OrganizationSimple']
