const SIMPLE: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ['"', 34],
  ["'", 39]
])
const BYTE = /\\(?:x([\da-fA-F]{2})|([0-3][0-7]{2}))/y
const POINT = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8}))/y

type Literal = { text: string; end: number }

/** [Go] A text in back quotes, without escapes. */
export function rawText(source: string, start: number): Literal | undefined {
  const end = source.indexOf('`', start + 1)
  return end < 0
    ? undefined
    : { text: source.slice(start + 1, end).replaceAll('\r', ''), end: end + 1 }
}

/** [Go] A text in quotes on one line; `start` is the first quote. Its bytes are read as UTF-8. */
export function quotedText(source: string, start: number): Literal | undefined {
  const quote = source[start]
  const parts: Buffer[] = []
  let at = start + 1
  while (at < source.length && source[at] !== quote) {
    const char = source[at]
    if (char === '\n') return undefined
    if (char !== '\\') {
      const from = at
      while (at < source.length && !['\\', '\n', quote].includes(source[at])) at++
      parts.push(Buffer.from(source.slice(from, at)))
      continue
    }
    const escaped = escapeAt(source, at)
    if (!escaped) return undefined
    parts.push(escaped.bytes)
    at = escaped.end
  }
  if (at >= source.length) return undefined
  return { text: Buffer.concat(parts).toString(), end: at + 1 }
}

function escapeAt(source: string, at: number): { bytes: Buffer; end: number } | undefined {
  const simple = SIMPLE.get(source[at + 1] ?? '')
  if (simple !== undefined) return { bytes: Buffer.of(simple), end: at + 2 }
  BYTE.lastIndex = at
  const [written, hex, octal] = BYTE.exec(source) ?? []
  if (written) {
    const byte = hex ? Number.parseInt(hex, 16) : Number.parseInt(octal ?? '', 8)
    return { bytes: Buffer.of(byte), end: at + written.length }
  }
  POINT.lastIndex = at
  const [long, short, wide] = POINT.exec(source) ?? []
  const point = Number.parseInt(short ?? wide ?? '', 16)
  if (!long || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return undefined
  return { bytes: Buffer.from(String.fromCodePoint(point)), end: at + long.length }
}

/** The code point of a text with one character. */
export function runeOf(text: string): number | undefined {
  const [rune, ...more] = text
  return rune === undefined || more.length > 0 ? undefined : rune.codePointAt(0)
}

const MAX_INT = 2n ** 63n - 1n

/** [Go] Whole numbers are ints, others are floats; undefined if it is not a number. */
export function numberOf(written: string): bigint | number | undefined {
  const text = written.replaceAll('_', '')
  const digits = text.replace(/^[+-]/, '')
  const isNegative = text.startsWith('-')
  if (!/^0[xX]/.test(digits) && /[.eE]/.test(digits)) {
    const float = Number(text)
    return Number.isFinite(float) ? float : undefined
  }
  // A leading zero means octal.
  const plain = /^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits
  if (!/^(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d{1,20})$/.test(plain)) return undefined
  const int = isNegative ? -BigInt(plain) : BigInt(plain)
  return int > MAX_INT || int < -MAX_INT - 1n ? undefined : int
}
