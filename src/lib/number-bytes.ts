import { plainNumber } from './json-number.ts'

/** No number is longer in plain decimals; the longest are the ones nearest to zero. */
export const MAX_NUMBER_BYTES = 352

const [ZERO, MINUS, POINT] = [0x30, 0x2d, 0x2e]
const SCALE = 1000
/** Decimals with at most 15 digits and doubles belong to each other one to one. */
const MAX_SCALED = 1e15
/** Below this, two different numbers of eight decimals are never the same double. */
const MAX_WITH_FRACTION = 2 ** 24
const HALF_BITS = 2 ** 26
const PER_HALF = 2 ** -26
const HALF_DIGITS = 1e8
/** Half the distance between doubles of so many bits before the point, in units of 10^-16. */
const reachOf = (_: unknown, bits: number): number => 2 ** (bits - 53) * 1e16
const REACH = Int32Array.from({ length: 24 }, reachOf)
const REACH_RESTS = Float64Array.from({ length: 24 }, (_, bits) => reachOf(_, bits) % 1)
const PAIRS = Uint8Array.from({ length: 200 }, (_, i) =>
  i % 2 === 0 ? ZERO + Math.floor(i / 20) : ZERO + (Math.floor(i / 2) % 10)
)

/**
 * Writes the same digits as `plainNumber`, without making a text. `bytes` has room for
 * MAX_NUMBER_BYTES. Returns where the number ends.
 */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  const size = Math.abs(value)
  const scaled = Math.round(size * SCALE)
  const isShort = scaled <= MAX_SCALED && scaled / SCALE === size
  if (!isShort && !(size >= 1 && size < MAX_WITH_FRACTION)) return writeText(bytes, at, value)
  if (value < 0) bytes[at++] = MINUS
  return isShort ? writeScaled(bytes, at, scaled) : writeFraction(bytes, at, size)
}

function writeText(bytes: Uint8Array, at: number, value: number): number {
  const text = plainNumber(value)
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
  return at
}

function writeScaled(bytes: Uint8Array, at: number, scaled: number): number {
  const whole = Math.floor(scaled / SCALE)
  const rest = scaled - whole * SCALE
  const end = writeWhole(bytes, at, whole)
  return rest === 0 ? end : withoutZeros(bytes, writeDigits(bytes, end + 1, rest, 3))
}

/**
 * The shortest decimal that is nearer to the double than half the distance to the next one. The
 * fraction is cut into units of 10^-16, of which a double in this range is a whole number and a rest.
 */
function writeFraction(bytes: Uint8Array, at: number, size: number): number {
  const whole = Math.floor(size)
  // The fraction has 52 bits at most. In two halves, each product below is exact.
  let high = (size - whole) * HALF_BITS
  let low = high
  high = Math.floor(high)
  low = (low - high) * HALF_BITS
  let carry = Math.floor(low * HALF_DIGITS * PER_HALF)
  low = low * HALF_DIGITS - carry * HALF_BITS
  let product = high * HALF_DIGITS + carry
  let upper = Math.floor(product * PER_HALF)
  high = product - upper * HALF_BITS
  carry = Math.floor(low * HALF_DIGITS * PER_HALF)
  low = low * HALF_DIGITS - carry * HALF_BITS
  product = high * HALF_DIGITS + carry
  const lower = Math.floor(product * PER_HALF) | 0
  high = product - lower * HALF_BITS
  const rest = (high + low * PER_HALF) * PER_HALF

  const bits = 31 - Math.clz32(whole)
  const reachWhole = REACH[bits] as number
  const reachRest = REACH_RESTS[bits] as number
  // A longer step is only possible if all shorter ones are.
  let units = lower
  for (let step = 1; step <= HALF_DIGITS; step *= 10) {
    const below = lower % step
    const isDown = isNearerBelow(lower, below, step, rest)
    const far = isDown ? below : step - below - 1
    if (far > reachWhole) break
    if (far === reachWhole && (isDown ? rest : 1 - rest) >= reachRest) break
    units = lower - below + (isDown ? 0 : step)
  }
  if (units >= HALF_DIGITS) {
    units -= HALF_DIGITS
    upper++
  }
  const point = writeWhole(bytes, at, whole)
  const middle = writeDigits(bytes, point + 1, upper, 8)
  return withoutZeros(bytes, writeDigits(bytes, middle, units, 8))
}

/** In the middle, the even digit is taken, as in `String`. */
function isNearerBelow(lower: number, below: number, step: number, rest: number): boolean {
  const doubled = 2 * below
  const isMiddle = step === 1 ? rest === 0.5 : doubled === step && rest === 0
  if (isMiddle) return (((lower - below) / step) & 1) === 0
  return step === 1 ? rest < 0.5 : doubled < step
}

/** A whole number from 0 to 2^53, and a point behind its end. */
export function writeWhole(bytes: Uint8Array, at: number, whole: number): number {
  const end = writeDigits(bytes, at, whole, digitsOf(whole))
  bytes[end] = POINT
  return end
}

function digitsOf(whole: number): number {
  let digits = 1
  for (let power = 10; power <= whole; power *= 10) digits++
  return digits
}

/** So many digits of a whole number, with zeros before it. */
function writeDigits(bytes: Uint8Array, at: number, number: number, digits: number): number {
  let place = at + digits
  let small = number
  if (number >= HALF_DIGITS) {
    const high = Math.floor(number / HALF_DIGITS)
    small = number - high * HALF_DIGITS
    const middle = writeDigits(bytes, at, high, digits - 8)
    writeDigits(bytes, middle, small, 8)
    return place
  }
  small |= 0
  for (; place > at + 1; place -= 2) {
    const next = (small / 100) | 0
    const pair = 2 * (small - 100 * next)
    bytes[place - 2] = PAIRS[pair] as number
    bytes[place - 1] = PAIRS[pair + 1] as number
    small = next
  }
  if (place > at) bytes[at] = ZERO + small
  return at + digits
}

function withoutZeros(bytes: Uint8Array, end: number): number {
  while (bytes[end - 1] === ZERO) end--
  return end
}
