/** A copy that stands alone: a part of a longer text keeps all of it in memory. */
export const ownText = (text: string): string => Buffer.from(text).toString()
