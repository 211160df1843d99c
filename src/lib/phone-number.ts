/** Characters that people and phones put between digits, including invisible ones. */
const SEPARATORS = /[\s\p{Dash}\p{Cf}./()]/gu

/**
 * The digits to dial, with `+` before a country code; undefined when the text is no phone number.
 */
export function phoneNumber(written: string): string | undefined {
  // In `+46 (0)70` the zero is only for calls within the country.
  const international = written.replace(/^([^\d(]*\+[^(]*)\(0\)/u, '$1')
  const digits = international.replace(SEPARATORS, '')
  return /^\+?\d{2,20}$/.test(digits) ? digits : undefined
}
