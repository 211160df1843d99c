/** The bytes of one page's text that are held in memory at most: few rows can be large. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024

/** Of the same text when its characters are escaped; topics count too. */
export const MAX_PAGE_CHARACTERS = 2 * MAX_PAGE_BYTES

export class PageTooLarge extends Error {}
