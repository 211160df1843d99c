import { Drafts } from '../drafts.ts'
import type { Draft } from './form.ts'

export const drafts = new Drafts<Draft>()

export const { drop: dropDraft, has: hasDraft } = drafts
