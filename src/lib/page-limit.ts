/** The bytes of one page's text that are held in memory at most: few rows can be large. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024

export class PageTooLarge extends Error {}
