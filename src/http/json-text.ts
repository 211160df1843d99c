import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Answers that are JSON text already; the route's schema describes them, nothing serializes again. */
export const sendJsonText = (reply: FastifyReply, text: string | Uint8Array) =>
  reply.type(JSON_TYPE).send(text)

const CHUNK = 500

type ToJson<Item> = (item: Item) => string | undefined

export const sendJsonList = <Item>(
  reply: FastifyReply,
  items: readonly Item[],
  jsonOf: ToJson<Item>
) => sendJsonParts(reply, [items], jsonOf)

/**
 * A list of any length without holding up the others; `jsonOf` answers undefined for what is left
 * out. What fails before the first items are there still gets an answer of its own.
 */
export async function sendJsonParts<Item>(
  reply: FastifyReply,
  parts: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  jsonOf: ToJson<Item>
) {
  return sendJsonTexts(reply, textsOf(parts, jsonOf))
}

/** Some objects each, separated by commas. */
export async function sendJsonTexts(reply: FastifyReply, texts: AsyncGenerator<string>) {
  const first = await texts.next()
  if (first.done) return sendJsonText(reply, '[]')
  const second = await texts.next()
  if (second.done) return sendJsonText(reply, `[${first.value}]`)
  const all = joined(`[${first.value},${second.value}`, texts)
  return reply.type(JSON_TYPE).send(Readable.from(all))
}

/** Some items each, separated by commas. */
async function* textsOf<Item>(
  parts: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  jsonOf: ToJson<Item>
): AsyncGenerator<string> {
  for await (const items of parts) {
    for (let start = 0; start < items.length; start += CHUNK) {
      const texts = items
        .slice(start, start + CHUNK)
        .map(jsonOf)
        .filter(Boolean)
      if (texts.length > 0) yield texts.join()
      await nextTurn()
    }
  }
}

async function* joined(begin: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield begin
  for await (const text of texts) yield `,${text}`
  yield ']'
}
