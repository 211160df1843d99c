import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Answers that are JSON text already; the route's schema describes them, nothing serializes again. */
export const sendJsonText = (reply: FastifyReply, text: string | Uint8Array) =>
  reply.type(JSON_TYPE).send(text)

const CHUNK = 500

/** A list of any length without holding up the others: `jsonOf` answers undefined for what is left out. */
export function sendJsonList<Item>(
  reply: FastifyReply,
  items: readonly Item[],
  jsonOf: (item: Item) => string | undefined
) {
  if (items.length > CHUNK) return reply.type(JSON_TYPE).send(Readable.from(chunks(items, jsonOf)))
  return sendJsonText(reply, `[${items.map(jsonOf).filter(Boolean).join()}]`)
}

async function* chunks<Item>(
  items: readonly Item[],
  jsonOf: (item: Item) => string | undefined
): AsyncGenerator<string> {
  let comma = '['
  for (let start = 0; start < items.length; start += CHUNK) {
    const texts = items
      .slice(start, start + CHUNK)
      .map(jsonOf)
      .filter(Boolean)
    if (texts.length > 0) {
      yield comma + texts.join()
      comma = ','
    }
    await setImmediate()
  }
  yield comma === '[' ? '[]' : ']'
}
