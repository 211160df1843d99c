/** What people and phones put between digits, invisible marks too. */
const BETWEEN = /[\s\p{Dash}\p{Cf}./()]/gu

/** The digits to dial, with `+` in front of a country; undefined when it is no phone number. */
export function phoneNumber(written: string): string | undefined {
  // In `+46 (0)70` the zero is only dialled within the country.
  const international = written.replace(/^([^\d(]*\+[^(]*)\(0\)/u, '$1')
  const digits = international.replace(BETWEEN, '')
  return /^\+?\d{2,20}$/.test(digits) ? digits : undefined
}
