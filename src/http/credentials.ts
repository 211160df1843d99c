import type { FastifyRequest } from 'fastify'

/** Where a request comes from. */
export const originOf = ({ ip, headers }: FastifyRequest) => ({
  address: ip,
  agent: (headers['user-agent'] ?? '').slice(0, 255)
})

export const keyOf = ({ headers }: FastifyRequest): string | undefined => {
  const key = headers['x-api-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}

/** Programs that write to InfluxDB 2 say `Token`. */
export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^(?:Bearer|Token)\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** Reads Basic credentials as UTF-8 and splits them at the first colon. */
export function basicCredentials(
  request: FastifyRequest
): { name: string; password: string } | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!encoded) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 || text.includes('\0')
    ? undefined
    : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}
