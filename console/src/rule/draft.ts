import { Store, useStore } from '../store.ts'
import type { Draft } from './form.ts'

/** It is outside of the page: a page may be drawn anew after the end of a session. */
const drafts = new Store<{ of: string; draft: Draft | undefined }>({ of: '', draft: undefined })

export function useRuleDraft(of: string, saved: Draft): [Draft, (draft: Draft) => void] {
  const { of: current, draft } = useStore(drafts)
  return [
    (current === of && draft) || saved,
    (next) => drafts.set({ of, draft: isSame(next, saved) ? undefined : next })
  ]
}

export const dropDraft = (): void => drafts.set({ of: '', draft: undefined })
export const hasDraft = (): boolean => drafts.value.draft !== undefined

const isSame = (a: Draft, b: Draft): boolean => JSON.stringify(a) === JSON.stringify(b)
