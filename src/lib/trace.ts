/** As clients know them. */
export const traceObjects = [
  'installation',
  'gateway',
  'organization',
  'user',
  'device',
  'function',
  'schedule',
  'notification_output',
  'notification_message',
  'output_executor',
  'edge_app',
  'edge_app_instance',
  'file',
  'role',
  'gateway_registration_policy',
  'user_registration_policy',
  'mqtt',
  'trace'
] as const
export const traceActions = [
  'create',
  'delete',
  'update',
  'view',
  'failed',
  'execute',
  'auth'
] as const

export type TraceObject = (typeof traceObjects)[number]
export type TraceAction = (typeof traceActions)[number]

/**
 * The path of a request by its route, with the ids in it. Anything else stays a name: a metadata key
 * may be one that not everybody sees, and text in the place of an id may be a secret.
 */
export const tracePath = (url: string, params: Readonly<Record<string, unknown>>): string =>
  url
    .replace(/(?<=.)\/$/, '')
    .replace(/:(\w+)/g, (_, name: string) => idText(params[name]) ?? `{${name}}`)
    .replace(/\*$/, '{meta_key}')

function idText(value: unknown): string | undefined {
  const text = String(value)
  return text === 'me' || /^\d{1,16}$/.test(text) ? text : undefined
}

/** The id in a path, checked or not; undefined when there is none. */
export function traceId(value: unknown): number | undefined {
  const id = Number(idText(value))
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}
