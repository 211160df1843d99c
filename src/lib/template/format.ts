import type { Budget } from './budget.ts'
import { checkLength, TemplateError } from './fault.ts'
import { exponential, plain, shortest } from './print.ts'
import { isList, isMap, typeName, type Value } from './values.ts'

/** Captures flags, width, precision and verb. */
const VERB = /%([-+# 0]{0,9})(\d{0,5})(?:\.(\d{0,5}))?(.?)/gsu
const MAX_WIDTH = 1000
/** Steps to write a number, and to write a float with hundreds of digits. */
const STEPS_PER_NUMBER = 20
const STEPS_PER_LARGE_NUMBER = 100

type Verb = { flags: string; precision: number | undefined; letter: string }

/** [Go fmt] `Sprintf`, without `*` and argument numbers. Faults are shown in the text, as in Go. */
export function sprintf(layout: string, values: readonly Value[], budget: Budget): string {
  let [used, length] = [0, layout.length]
  const text = layout.replace(VERB, (_, flags, width, precision, letter: string) => {
    budget.spend(1)
    if (letter === '%') return '%'
    if (letter === '') return '%!(NOVERB)'
    if (Number(width) > MAX_WIDTH || Number(precision) > MAX_WIDTH) {
      throw new TemplateError(`printf: a width is at most ${MAX_WIDTH}`)
    }
    if (used >= values.length) return `%!${letter}(MISSING)`
    const verb = { flags, letter, precision: precision === undefined ? undefined : +precision }
    const shown = padded(formatted(values[used++], verb, budget), Number(width), verb)
    length += shown.length
    checkLength(length)
    return shown
  })
  const extra = values.slice(used)
  if (extra.length === 0) return text
  const texts: string[] = []
  for (const value of extra) {
    texts.push(described(value, budget))
    length += texts.at(-1)?.length ?? 0
    checkLength(length)
  }
  return `${text}%!(EXTRA ${texts.join(', ')})`
}

const described = (value: Value, budget: Budget): string =>
  value === null || value === undefined ? '<nil>' : `${typeName(value)}=${plain(value, budget)}`

function padded(text: string, width: number, { flags, letter }: Verb): string {
  if (text.length >= 2 * width) return text
  const missing = width - [...text].length
  if (missing <= 0) return text
  if (flags.includes('-')) return text + ' '.repeat(missing)
  if (!flags.includes('0') || !/[dfFeEgGboxX]/.test(letter)) return ' '.repeat(missing) + text
  const [sign = ''] = /^[-+ ]?/.exec(text) ?? []
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

function formatted(value: Value, verb: Verb, budget: Budget): string {
  if (verb.letter === 'T') return value === null || value === undefined ? '<nil>' : typeName(value)
  if (verb.letter === 'v') return signed(plain(value, budget), value, verb)
  budget.spendOnShowing(value)
  if (isList(value)) return `[${value.map((one) => formatted(one, verb, budget)).join(' ')}]`
  if (isMap(value)) {
    const texts = Array.from(
      value,
      ([key, one]) => `${formatted(key, verb, budget)}:${formatted(one, verb, budget)}`
    )
    return `map[${texts.join(' ')}]`
  }
  return scalar(value, verb, budget) ?? `%!${verb.letter}(${described(value, budget)})`
}

/** Undefined if the verb does not fit the value. */
function scalar(value: Value, verb: Verb, budget: Budget): string | undefined {
  if (typeof value === 'boolean') return verb.letter === 't' ? String(value) : undefined
  if (typeof value === 'bigint') return ofInt(value, verb)
  if (typeof value === 'number') {
    budget.spend(Math.abs(value) < MIN_EXPONENTIAL ? STEPS_PER_NUMBER : STEPS_PER_LARGE_NUMBER)
    return ofFloat(value, verb)
  }
  if (value === null || value === undefined) return undefined
  return ofText(String(value), verb)
}

const BASES: ReadonlyMap<string, number> = new Map([
  ['d', 10],
  ['b', 2],
  ['o', 8],
  ['x', 16],
  ['X', 16]
])

function ofInt(value: bigint, verb: Verb): string | undefined {
  const { letter, flags } = verb
  const base = BASES.get(letter)
  if (base !== undefined) {
    const text = value.toString(base)
    const prefix = flags.includes('#') && base === 16 ? '0x' : ''
    const shown = prefix ? text.replace(/^-?/, (sign) => sign + prefix) : text
    return signed(letter === 'X' ? shown.toUpperCase() : shown, value, verb)
  }
  const isRune = value >= 0n && value <= 0x10ffffn
  if (letter === 'c') return isRune ? String.fromCodePoint(Number(value)) : '\ufffd'
  if (letter === 'q') return isRune ? `'${String.fromCodePoint(Number(value))}'` : "'\ufffd'"
  if (letter === 'U') return `U+${value.toString(16).toUpperCase().padStart(4, '0')}`
  return undefined
}

function ofFloat(value: number, verb: Verb): string | undefined {
  const { letter, precision } = verb
  if (!/[fFeEgG]/.test(letter)) return undefined
  if (!Number.isFinite(value)) return shortest(value)
  return signed(digitsOf(value, letter, precision), value, verb)
}

/** From this value on, toFixed writes exponents. */
const MIN_EXPONENTIAL = 1e21
/** JavaScript writes at most this many digits. */
const MAX_DIGITS = 100

function digitsOf(value: number, letter: string, precision: number | undefined): string {
  const digits = Math.min(precision ?? 6, MAX_DIGITS)
  const isUpper = letter === 'E' || letter === 'G'
  const text = (() => {
    if (/[fF]/.test(letter)) {
      return Math.abs(value) < MIN_EXPONENTIAL
        ? fixed(value, digits)
        : BigInt(value) + (digits > 0 ? `.${'0'.repeat(digits)}` : '')
    }
    if (/[eE]/.test(letter)) return exponential(value.toExponential(digits))
    if (precision === undefined) return shortest(value, 6)
    const rounded = Number(value.toPrecision(Math.max(digits, 1)))
    return shortest(rounded, Math.max(digits, 1))
  })()
  return isUpper ? text.toUpperCase() : text
}

/** [Go strconv] A value in the middle is rounded to the even digit; JavaScript rounds it up. */
function fixed(value: number, digits: number): string {
  const up = value.toFixed(digits)
  const isMiddle = digits + 25 <= MAX_DIGITS && /50{24}$/.test(value.toFixed(digits + 25))
  if (!isMiddle || !/[13579]$/.test(up)) return up
  const down = BigInt(up.replace(/[-.]/g, '')) - 1n
  const text = String(down).padStart(digits + 1, '0')
  const sign = value < 0 ? '-' : ''
  return sign + (digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`)
}

const signed = (text: string, value: Value, { flags }: Verb): string => {
  if (typeof value !== 'bigint' && typeof value !== 'number') return text
  if (text.startsWith('-') || text.startsWith('+')) return text
  return (flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '') + text
}

function ofText(text: string, { letter, precision }: Verb): string | undefined {
  // A character has one or two UTF-16 units.
  const cut =
    precision === undefined ? text : [...text.slice(0, 2 * precision)].slice(0, precision).join('')
  switch (letter) {
    case 's':
      return cut
    case 'q':
      return JSON.stringify(cut)
    case 'x':
      return Buffer.from(cut).toString('hex')
    case 'X':
      return Buffer.from(cut).toString('hex').toUpperCase()
    default:
      return undefined
  }
}
