import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { freeMemory } from '../lib/free-memory.ts'
import { Turns } from '../lib/turns.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends an answer that is already JSON text. The route's schema only describes it. */
export const sendJsonText = (reply: FastifyReply, text: string | Uint8Array) =>
  reply.type(JSON_TYPE).send(text)

/** The same for bytes that nobody else uses. Their memory is free again as soon as they are sent. */
export function sendOwnJson(reply: FastifyReply, bytes: Uint8Array) {
  reply.raw.once('finish', () => freeMemory(bytes))
  return sendJsonText(reply, bytes)
}

/** A part is sent when it has this many characters. */
const PART_CHARACTERS = 64 * 1024

type ToJson<Item> = (item: Item) => string | undefined

/**
 * Sends a list of any length without blocking other requests. `jsonOf` answers undefined to leave
 * an item out. An error before the first part still gets its own answer.
 */
export async function sendJsonParts<Item>(
  reply: FastifyReply,
  parts: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  jsonOf: ToJson<Item>
) {
  return sendJsonTexts(reply, textsOf(parts, jsonOf))
}

/** Converts each item with `show`; undefined leaves it out. */
export async function* each<Item, Shown>(
  parts: AsyncIterable<readonly Item[]>,
  show: (item: Item) => Shown | undefined
): AsyncGenerator<Shown[]> {
  for await (const part of parts) yield part.map(show).filter((one) => one !== undefined)
}

/**
 * Like `sendJsonParts`, for items with a schema. By default this is the item schema of the route.
 */
export const sendList = <Item>(
  reply: FastifyReply,
  parts: AsyncIterable<readonly Item[]>,
  schema: TSchema = described(reply)
) => {
  // The compiled serializer is cached by schema, so pass the same schema object each time.
  const jsonOf = reply.compileSerializationSchema(schema as Record<string, unknown>)
  return sendJsonParts(reply, parts, jsonOf as ToJson<unknown>)
}

function described({ routeOptions }: FastifyReply): TSchema {
  const { response } = routeOptions.schema as { response: { 200: { items: TSchema } } }
  return response[200].items
}

/** Each text holds some objects, separated by commas. */
export async function sendJsonTexts(reply: FastifyReply, texts: AsyncGenerator<string>) {
  const first = await texts.next()
  if (first.done) return sendJsonText(reply, '[]')
  const second = await texts.next()
  if (second.done) return sendJsonText(reply, `[${first.value}]`)
  const all = list(`[${first.value},${second.value}`, texts)
  return reply.type(JSON_TYPE).send(Readable.from(all))
}

/** So much is sent at once: each further write costs more than the copy. */
const MAX_BYTES_IN_ONE_SEND = 1024 * 1024
/** Longer parts are not copied. */
const MAX_COPIED_BYTES = 256 * 1024

/** Parts of a list, each with its own memory: some items in UTF-8, separated by commas. */
type OwnParts = readonly Uint8Array[]
const COMMA = Buffer.from(',')

/** Sends a list that is already JSON text, with a text before and after it. The parts are used up. */
export function sendJsonBytes(reply: FastifyReply, begin: string, parts: OwnParts, end: string) {
  const items = parts.flatMap((part, at) => (at === 0 ? [part] : [COMMA, part]))
  const all = [Buffer.from(begin), ...items, Buffer.from(end)]
  const size = all.reduce((sum, { length }) => sum + length, 0)
  if (size <= MAX_BYTES_IN_ONE_SEND) {
    const whole = joined(all)
    parts.forEach(freeMemory)
    return sendOwnJson(reply, whole)
  }
  const held = new Set(parts)
  reply.raw.once('finish', () => held.forEach(freeMemory))
  const stream = Readable.from(together(all, held), { objectMode: false })
  return reply.type(JSON_TYPE).header('content-length', size).send(stream)
}

/** The same bytes in fewer pieces. `held` has the memory to be freed: parts, and copies in place of them. */
function* together(all: readonly Uint8Array[], held: Set<Uint8Array>): Generator<Uint8Array> {
  let some: Uint8Array[] = []
  let size = 0
  const copyOfSome = () => {
    const copy = joined(some)
    for (const piece of some) if (held.delete(piece)) freeMemory(piece)
    held.add(copy)
    some = []
    size = 0
    return copy
  }
  for (const piece of all) {
    const isLong = piece.length > MAX_COPIED_BYTES
    if (size > 0 && (isLong || size + piece.length > MAX_BYTES_IN_ONE_SEND)) yield copyOfSome()
    if (isLong) yield piece
    else {
      some.push(piece)
      size += piece.length
    }
  }
  if (size > 0) yield copyOfSome()
}

/** With its own memory, unlike `Buffer.concat`, which is not set to 0 before. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Each text holds some items, separated by commas. */
async function* textsOf<Item>(
  parts: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  jsonOf: ToJson<Item>
): AsyncGenerator<string> {
  const turns = new Turns()
  let texts: string[] = []
  let characters = 0
  for await (const items of parts) {
    for (const item of items) {
      const text = jsonOf(item)
      if (text !== undefined) texts.push(text)
      characters += text?.length ?? 0
      if (characters >= PART_CHARACTERS) {
        yield texts.join()
        texts = []
        characters = 0
      }
      if (turns.isLate()) await turns.next()
    }
  }
  if (texts.length > 0) yield texts.join()
}

async function* list(begin: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield begin
  for await (const text of texts) yield `,${text}`
  yield ']'
}
