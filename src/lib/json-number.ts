const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** [RFC 8259 6] No NaN, hexadecimal digits, comma, unit or blanks, which `Number` would partly read. */
export const isJsonNumber = (text: string): boolean => JSON_NUMBER.test(text)

/** A number in plain decimals, because some clients use tools that cannot read `1e-7`. */
export function plainNumber(value: number): string {
  const text = String(value)
  const exponent = text.indexOf('e')
  if (exponent < 0) return text
  const sign = value < 0 ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length, exponent).split('.')
  const digits = whole + fraction
  const point = whole.length + Number(text.slice(exponent + 1))
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}
