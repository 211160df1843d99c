import { Drafts, useDraftOf } from '../drafts.ts'
import type { Draft } from './form.ts'

const drafts = new Drafts<Draft>()

export const useRuleDraft = (of: string, saved: Draft) => useDraftOf(drafts, of, saved)
export const { drop: dropDraft, has: hasDraft } = drafts
