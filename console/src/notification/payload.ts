export const examplePayload = '{\n  "value": 21.5\n}'

/** The JSON object in a text; undefined: there is none. Nothing is an empty one. */
export function readPayload(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

type Status = { topic: string; value: number; timestamp: number; msg: string }

/** The newest value of a function as the payload of a notification. */
export const payloadOf = (name: string, { topic, value, timestamp, msg }: Status): string =>
  JSON.stringify({ name, topic, value, timestamp, ...(msg !== '' && { msg }) }, null, 2)
