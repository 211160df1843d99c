/** The names that clients know. */
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
  'trace',
  // [ADR-0042] Not in the contract: the platform itself.
  'platform',
  // [ADR-0063]
  'mapping',
  // [ADR-0065]
  'rule',
  'alarm',
  // [ADR-0068]
  'certificate'
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
 * The path of a request's route, with the ids filled in. Other parameters stay as names: a metadata
 * key may be hidden from some readers, and text in place of an id may be a secret.
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

/** The id in a path; undefined when there is no valid id. */
export function traceId(value: unknown): number | undefined {
  const id = Number(idText(value))
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}
