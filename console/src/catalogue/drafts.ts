import { Drafts } from '../drafts.ts'
import type { AppDraft } from './draft.ts'

export const appDrafts = new Drafts<AppDraft>()
