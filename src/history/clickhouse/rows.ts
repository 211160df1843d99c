/** The rows of an answer that has one JSON object per line. */
export const rowsOf = (lines: string) => JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`)
