/**
 * Control characters, and those that turn the direction of text. A name that a tenant chose must
 * not move the cursor of an operator, or hide a part of a line.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** One line of text for a terminal. */
export const printable = (text: string): string => text.replace(UNSAFE, escaped)

/** JSON on one line. The escapes are a part of JSON, so readers get the original text. */
export const printableJson = (value: unknown): string => printable(JSON.stringify(value))

/** Columns as wide as their longest text; the last one has no end. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => printable(row[column] ?? '').length))
  )
  return rows.map((row) =>
    row
      .map((cell, column) => printable(cell).padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  )
}
