/** The most text of one page that is held in memory. A few rows can already be large. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024

/** The same limit for escaped text, with the topics. */
export const MAX_PAGE_CHARACTERS = 2 * MAX_PAGE_BYTES

export class PageTooLarge extends Error {}
