import { MAX_PAGE_BYTES, PageTooLarge } from '../lib/page-limit.ts'
import { badRequest } from './errors.ts'

/** [ADR-0009] Texts can be long, so a page can be too large even with few rows. */
export const explainTooLarge =
  (what: 'entries' | 'results') =>
  (error: unknown): never => {
    if (!(error instanceof PageTooLarge)) throw error
    throw badRequest(`limit must be smaller: the ${what} take more than ${MAX_PAGE_BYTES} bytes`)
  }
