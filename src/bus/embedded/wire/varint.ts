/** [MQTT 2.2.3] */
const MAX_VARINT = 268_435_455

export const varintBytes = (value: number): number =>
  value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4

/** Returns where the next byte belongs. */
export function writeVarint(bytes: Buffer, at: number, value: number): number {
  if (value > MAX_VARINT) throw new RangeError(`too large for a packet: ${value}`)
  let [rest, to] = [value, at]
  while (rest > 127) {
    bytes[to++] = (rest & 127) | 128
    rest >>= 7
  }
  bytes[to++] = rest
  return to
}
export function varint(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(varintBytes(value))
  writeVarint(bytes, 0, value)
  return bytes
}
