import { Drafts, useDraftOf } from '../drafts.ts'
import type { Settings } from './settings.ts'

/** The order of a list means nothing. */
const drafts = new Drafts<Settings>((settings) =>
  JSON.stringify({
    ...settings,
    severities: settings.severities.toSorted(),
    channels: settings.channels.toSorted()
  })
)

export const useSettingsDraft = (saved: Settings) => useDraftOf(drafts, 'settings', saved)
export const { drop: dropDraft, has: hasDraft } = drafts
