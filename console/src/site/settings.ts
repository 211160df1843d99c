import { Drafts } from '../drafts.ts'
import type { Installation, Quota } from './api.ts'

export type Settings = Pick<Installation, 'name' | 'notes' | 'timezone' | 'organization_id'>

export const settingsDrafts = new Drafts<Settings>()

export const settingsOf = ({ name, notes, timezone, organization_id }: Installation): Settings => ({
  ...{ name, notes, timezone, organization_id }
})

/** `days` as it is typed; empty: as long as the organization and the platform keep values. */
export type Retention = { days: string }

export const daysDrafts = new Drafts<Retention>()

export const retentionOf = ({ overrides }: Quota): Retention => ({
  days: String(overrides.history_days ?? '')
})
