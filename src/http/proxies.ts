import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { isIn, networksOf } from '../lib/networks.ts'

/** Whether an X-Forwarded-For header from this address is trusted. */
export type Trust = (address: string) => boolean

/** From TRUSTED_PROXIES: addresses and networks, comma-separated. */
export function trustIn(proxies: string): Trust {
  const networks = networksOf(proxies)
  return (address) => isIn(networks, address)
}

/** The address of the caller, like Fastify's `ip`; '' when the connection is already closed. */
export const callerAddress = (request: IncomingMessage, trust: Trust): string =>
  proxyAddr(request, trust) ?? ''
