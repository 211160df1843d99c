import { Drafts } from '../drafts.ts'
import type { QuotaDraft } from './quotas.ts'

export const drafts = new Drafts<QuotaDraft>()
