import { Drafts } from '../drafts.ts'
import type { MessageDraft } from './message.ts'
import { type OutputDraft, textOf } from './output.ts'

export const messageDrafts = new Drafts<MessageDraft>()
export const outputDrafts = new Drafts<OutputDraft>(textOf)
