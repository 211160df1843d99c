import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/**
 * Columns of numbers as few bytes, exact. Each number is foretold, either from the one before
 * (`steps`) or from a straight line through all of them (`line`), and only what is missing is kept.
 * These are small numbers: their lowest bytes come first, then the next higher ones, and zstd makes
 * little of bytes that are nearly always the same. Values with few decimals are whole numbers after
 * a multiplication. All other values keep the eight bytes of a double. [ADR-0045]
 */
const KIND = { steps: 0, doubles: 1, line: 2 }
const HEADER_BYTES = 20
const DOUBLE_BYTES = 8
const NOTHING = Buffer.alloc(0)
/** The number of samples that are asked for the usual difference. */
const PROBES = 101
const MAX_DECIMALS = 6
/** Differences of differences stay exact below this range. */
const MAX_RANGE = 2 ** 51
/** What is far from a line stays exact below this range. */
const MAX_LINE_RANGE = 2 ** 49
/** A block is much smaller. A file from elsewhere must not fill the memory. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
const BOUND = { maxOutputLength: MAX_UNPACKED_BYTES }
/** The least that zlib takes. */
const MIN_CHUNK_BYTES = 64
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** How a column is kept: what foretells the numbers, and the bytes of what is missing. */
type Column = { header: Buffer; planes: Uint8Array }

/** Whole numbers, such as times and ids. */
export function packInts(numbers: Float64Array): Buffer {
  return packColumn(columnOfWhole(numbers, 0) ?? columnOfDoubles(numbers))
}

/** Any values. */
export function packValues(values: Float64Array): Buffer {
  return packColumn(columnOfValues(values))
}

function packColumn({ header, planes }: Column): Buffer {
  return planes.length === 0 ? header : Buffer.concat([header, zstdCompressSync(planes, LEVEL)])
}

function columnOfValues(values: Float64Array): Column {
  const decimals = decimalsOf(values)
  const whole = decimals === undefined ? undefined : scaled(values, 10 ** decimals)
  return (whole && columnOfWhole(whole, decimals ?? 0)) ?? columnOfDoubles(values)
}

/** What `packInts` or `packValues` packed. `numbers` is filled, if it is given. */
export function unpack(
  packed: Buffer,
  count: number,
  numbers: Float64Array = new Float64Array(count)
): Float64Array {
  const begin = headerBytes(packed)
  const bytes = count * widthOf(packed)
  fill(numbers, packed, bytes === 0 ? NOTHING : planesIn(packed.subarray(begin), bytes))
  return numbers
}

/** Short columns of any values. To start zstd would take longer than to read all of them. */
export function packTable(columns: readonly Float64Array[]): Buffer {
  return Buffer.concat(
    columns.map(columnOfValues).flatMap(({ header, planes }) => [header, planes])
  )
}

/** What `packTable` packed, as so many columns. */
export function unpackTable(packed: Buffer, columns: number, rows: number): Float64Array[] {
  const all = new Float64Array(columns * rows)
  let at = 0
  return Array.from({ length: columns }, (_, column) => {
    const header = packed.subarray(at)
    const begin = headerBytes(header)
    const end = begin + rows * widthOf(header)
    const numbers = all.subarray(column * rows, (column + 1) * rows)
    fill(numbers, header, header.subarray(begin, end))
    at += end
    return numbers
  })
}

const headerBytes = (header: Buffer): number => (header[0] === KIND.doubles ? 1 : HEADER_BYTES)

/** So many bytes belong to each number. */
const widthOf = (header: Buffer): number =>
  header[0] === KIND.doubles ? DOUBLE_BYTES : (header[1] as number)

function fill(numbers: Float64Array, header: Buffer, planes: Buffer): void {
  if (header[0] === KIND.doubles) fillDoubles(numbers, planes)
  else if (header[0] === KIND.line) fillLine(numbers, header, planes)
  else fillSteps(numbers, header, planes)
}

/** The decimals that all of the packed values have at most; undefined when they are many. */
export const decimalsIn = (packed: Buffer): number | undefined =>
  packed[0] === KIND.doubles ? undefined : headerOf(packed).decimals

/** All of so many bytes at once, because zlib otherwise joins pieces of 16 KiB. */
const planesIn = (packed: Buffer, bytes: number): Buffer =>
  zstdDecompressSync(packed, {
    ...BOUND,
    chunkSize: Math.min(Math.max(bytes, MIN_CHUNK_BYTES), MAX_UNPACKED_BYTES)
  })

/** The first number and the difference, if all differences of whole numbers are the same. */
export function regularSteps(packed: Buffer): { first: number; step: number } | undefined {
  if (packed[0] !== KIND.steps) return undefined
  const { first, step, width, decimals } = headerOf(packed)
  return width === 0 && decimals === 0 ? { first, step } : undefined
}

function headerOf(packed: Buffer) {
  return {
    width: packed[1] as number,
    decimals: packed[2] as number,
    first: packed.readDoubleLE(4),
    step: packed.readDoubleLE(12)
  }
}

/** Undefined when the numbers are too far apart. */
function columnOfWhole(numbers: Float64Array, decimals: number): Column | undefined {
  const { min, max } = endsOf(numbers)
  if (max - min > MAX_RANGE) return undefined
  const steps = stepRests(numbers)
  const isLinePossible = steps.greatest > 0 && max - min <= MAX_LINE_RANGE
  const line = isLinePossible ? lineRests(numbers) : undefined
  const { kind, first, slope, rests, greatest } = line && line.bits < steps.bits ? line : steps
  const width = bytesOf(greatest)
  const header = Buffer.alloc(HEADER_BYTES)
  header.set([kind, width, decimals])
  header.writeDoubleLE(first, 4)
  header.writeDoubleLE(slope, 12)
  return { header, planes: planesOf(rests, width) }
}

/** `bits` says about how much the rests will take. */
type Rests = {
  kind: number
  first: number
  slope: number
  rests: Float64Array
  greatest: number
  bits: number
}

function stepRests(numbers: Float64Array): Rests {
  const step = middleSlope(numbers, 1)
  const rests = new Float64Array(numbers.length)
  let [greatest, bits] = [0, 0]
  for (let i = 1; i < numbers.length; i++) {
    const rest = unsigned((numbers[i] as number) - (numbers[i - 1] as number) - step)
    if (rest > greatest) greatest = rest
    bits += bitsOf(rest)
    rests[i] = rest
  }
  return { kind: KIND.steps, first: numbers[0] ?? 0, slope: step, rests, greatest, bits }
}

function lineRests(numbers: Float64Array): Rests {
  const slope = middleSlope(numbers, numbers.length >> 1)
  const first = middleOf(numbers.length, (i) => (numbers[i] as number) - Math.round(i * slope))
  const rests = new Float64Array(numbers.length)
  let [greatest, bits] = [0, 0]
  for (let i = 0; i < numbers.length; i++) {
    const rest = unsigned((numbers[i] as number) - Math.round(i * slope) - first)
    if (rest > greatest) greatest = rest
    bits += bitsOf(rest)
    rests[i] = rest
  }
  return { kind: KIND.line, first, slope, rests, greatest, bits }
}

/** 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ... */
const unsigned = (rest: number): number => (rest >= 0 ? 2 * rest : -2 * rest - 1)
const bitsOf = (rest: number): number => 32 - Math.clz32(Math.min(rest, 0xff_ff_ff_ff))

/** The middle one of some slopes between numbers that are so many places apart. */
const middleSlope = (numbers: Float64Array, apart: number): number =>
  middleOf(
    numbers.length - apart,
    (i) => ((numbers[i + apart] as number) - (numbers[i] as number)) / apart
  )

/** The middle one of what `at` says of some places; 0 if there are none. */
function middleOf(places: number, at: (i: number) => number): number {
  const probes = Math.max(Math.min(PROBES, places), 0)
  const found = new Float64Array(probes)
  for (let i = 0; i < probes; i++) found[i] = at(Math.floor((i * places) / probes))
  return found.sort()[probes >> 1] ?? 0
}

const bytesOf = (greatest: number): number => {
  let bytes = 0
  for (let rest = greatest; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes
}

function planesOf(numbers: Float64Array, width: number): Uint8Array {
  const count = numbers.length
  const planes = new Uint8Array(count * width)
  for (let i = 0; i < count; i++) {
    const number = numbers[i] as number
    const low = number >>> 0
    planes[i] = low
    for (let plane = 1; plane < Math.min(width, 4); plane++)
      planes[plane * count + i] = low >>> (8 * plane)
    if (width <= 4) continue
    const high = Math.floor(number / 2 ** 32)
    for (let plane = 4; plane < width; plane++)
      planes[plane * count + i] = high >>> (8 * (plane - 4))
  }
  return planes
}

/** One loop for each usual width, because a general one takes three times as long. */
function fillSteps(numbers: Float64Array, header: Buffer, planes: Buffer): void {
  const { first, step, width, decimals } = headerOf(header)
  const count = numbers.length
  const scale = 10 ** decimals
  if (count === 0) return
  if (width === 0) {
    for (let i = 0; i < count; i++) numbers[i] = (first + i * step) / scale
    return
  }
  let sum = first
  numbers[0] = sum / scale
  if (width === 1) {
    for (let i = 1; i < count; i++) {
      const rest = planes[i] as number
      sum += ((rest >>> 1) ^ -(rest & 1)) + step
      numbers[i] = sum / scale
    }
  } else if (width === 2) {
    const high = planes.subarray(count)
    for (let i = 1; i < count; i++) {
      const rest = (planes[i] as number) | ((high[i] as number) << 8)
      sum += ((rest >>> 1) ^ -(rest & 1)) + step
      numbers[i] = sum / scale
    }
  } else {
    const rests = restsOf(planes, count, width)
    for (let i = 1; i < count; i++) {
      sum += signed(rests[i] as number) + step
      numbers[i] = sum / scale
    }
  }
}

function fillLine(numbers: Float64Array, header: Buffer, planes: Buffer): void {
  const { first, step, width, decimals } = headerOf(header)
  const count = numbers.length
  const scale = 10 ** decimals
  if (width === 0) {
    for (let i = 0; i < count; i++) numbers[i] = (Math.round(i * step) + first) / scale
    return
  }
  if (width === 1) {
    for (let i = 0; i < count; i++) {
      const rest = planes[i] as number
      numbers[i] = (((rest >>> 1) ^ -(rest & 1)) + Math.round(i * step) + first) / scale
    }
  } else if (width === 2) {
    const high = planes.subarray(count)
    for (let i = 0; i < count; i++) {
      const rest = (planes[i] as number) | ((high[i] as number) << 8)
      numbers[i] = (((rest >>> 1) ^ -(rest & 1)) + Math.round(i * step) + first) / scale
    }
  } else {
    const rests = restsOf(planes, count, width)
    for (let i = 0; i < count; i++)
      numbers[i] = (signed(rests[i] as number) + Math.round(i * step) + first) / scale
  }
}

function restsOf(planes: Buffer, count: number, width: number): Float64Array {
  const rests = new Float64Array(count)
  for (let plane = 0, weight = 1; plane < width; plane++, weight *= 256) {
    const bytes = planes.subarray(plane * count, (plane + 1) * count)
    for (let i = 0; i < count; i++) rests[i] = (rests[i] as number) + (bytes[i] as number) * weight
  }
  return rests
}

const signed = (rest: number): number => (rest % 2 === 0 ? rest / 2 : -(rest + 1) / 2)

/** How many decimals all values have at most; undefined when there are too many. */
function decimalsOf(values: Float64Array): number | undefined {
  let decimals = 0
  let scale = 1
  for (const value of values) {
    if (Object.is(value, -0)) return undefined
    while (Math.round(value * scale) / scale !== value) {
      if (++decimals > MAX_DECIMALS) return undefined
      scale = 10 ** decimals
    }
  }
  return decimals
}

/** Undefined when a value is not exact after the multiplication. */
function scaled(values: Float64Array, scale: number): Float64Array | undefined {
  const whole = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    const number = Math.round(value * scale)
    if (number / scale !== value || Math.abs(number) > MAX_RANGE) return undefined
    whole[i] = number
  }
  return whole
}

function columnOfDoubles(values: Float64Array): Column {
  const count = values.length
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const planes = new Uint8Array(bytes.length)
  for (let plane = 0; plane < DOUBLE_BYTES; plane++)
    for (let i = 0; i < count; i++)
      planes[plane * count + i] = bytes[DOUBLE_BYTES * i + plane] as number
  return { header: Buffer.from([KIND.doubles]), planes }
}

function fillDoubles(numbers: Float64Array, planes: Buffer): void {
  const count = numbers.length
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  for (let plane = 0; plane < DOUBLE_BYTES; plane++)
    for (let i = 0; i < count; i++)
      bytes[DOUBLE_BYTES * i + plane] = planes[plane * count + i] as number
}

function endsOf(numbers: Float64Array): { min: number; max: number } {
  let min = numbers[0] ?? 0
  let max = min
  for (const number of numbers) {
    if (number < min) min = number
    if (number > max) max = number
  }
  return { min, max }
}

/** Texts, many of them empty or the same. */
export function packTexts(texts: readonly string[]): Buffer {
  const bytes = texts.map((text) => Buffer.from(text))
  const lengths = Buffer.alloc(4 * texts.length)
  for (const [i, text] of bytes.entries()) lengths.writeUInt32LE(text.length, 4 * i)
  return zstdCompressSync(Buffer.concat([lengths, ...bytes]), LEVEL)
}

export function unpackTexts(packed: Buffer, count: number): string[] {
  const bytes = zstdDecompressSync(packed, BOUND)
  let at = 4 * count
  return Array.from({ length: count }, (_, i) => {
    const start = at
    at += bytes.readUInt32LE(4 * i)
    return start === at ? '' : bytes.toString('utf8', start, at)
  })
}
