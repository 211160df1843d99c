/** A separate copy. A slice of a longer text would keep the whole text in memory. */
export const ownText = (text: string): string => Buffer.from(text).toString()
