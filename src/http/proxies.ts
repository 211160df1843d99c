import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** Whether somebody at this address is believed an X-Forwarded-For. */
export type Trust = (address: string, hop: number) => boolean

/** By TRUSTED_PROXIES: addresses and networks, comma-separated. */
export const trustIn = (proxies: string): Trust =>
  proxyAddr.compile(proxies.split(',').filter(Boolean))

/** Who began the request, as Fastify's `ip` has it; '' when the connection is gone already. */
export const callerAddress = (request: IncomingMessage, trust: Trust): string =>
  proxyAddr(request, trust) ?? ''
