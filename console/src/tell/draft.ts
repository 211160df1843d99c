import { Store, useStore } from '../store.ts'
import type { Settings } from './settings.ts'

/** It is outside of the page: a page may be drawn anew after the end of a session. */
const draft = new Store<Settings | undefined>(undefined)

export function useSettingsDraft(saved: Settings): [Settings, (next: Settings) => void] {
  return [useStore(draft) ?? saved, (next) => draft.set(isSame(next, saved) ? undefined : next)]
}

export const dropDraft = (): void => draft.set(undefined)
export const hasDraft = (): boolean => draft.value !== undefined

/** The order of a list means nothing. */
const plain = (settings: Settings): string =>
  JSON.stringify({
    ...settings,
    severities: settings.severities.toSorted(),
    channels: settings.channels.toSorted()
  })

const isSame = (a: Settings, b: Settings): boolean => plain(a) === plain(b)
