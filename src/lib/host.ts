import type { NetworkInterfaceInfo } from 'node:os'

const EVERY_ADDRESS = ['0.0.0.0', '[::]', '[::ffff:0:0]']
/** Addresses that other networks cannot reach. */
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i
const HOST_AND_PORT = /^(\w[\w-]*(\.[\w-]+)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i
const MAX_HOST_CHARACTERS = 253

/** Puts an IPv6 address in brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/**
 * `0.0.0.0`, `::` and their other spellings. A server can listen on them, but no client can call
 * them.
 */
export function isEveryAddress(host: string): boolean {
  const url = `http://${inUrl(host)}`
  return URL.canParse(url) && EVERY_ADDRESS.includes(new URL(url).hostname)
}

/**
 * The first address by which others reach a machine that listens on every address. IPv4 comes
 * first.
 */
export function firstAddress(
  listening: string,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>
): string {
  const addresses = Object.values(interfaces)
    .flatMap((one) => one ?? [])
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
  const families = listening.includes(':') ? ['IPv4', 'IPv6'] : ['IPv4']
  const [first] = families.flatMap((name) => addresses.filter(({ family }) => family === name))
  return first?.address ?? '127.0.0.1'
}

/** The origin of a Host header; undefined when it does not name one host and port. */
export function originOfHost(scheme: 'http' | 'https', host: string): string | undefined {
  const url = `${scheme}://${host}`
  if (host.length > MAX_HOST_CHARACTERS || !HOST_AND_PORT.test(host) || !URL.canParse(url))
    return undefined
  const { hostname, port, origin } = new URL(url)
  return port === '0' || EVERY_ADDRESS.includes(hostname) ? undefined : origin
}

/** Of a URL. */
export const isLoopback = (url: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** ClickHouse needs a database name in the path, and nothing after it. */
export function isDatabaseUrl(text: string): boolean {
  const { pathname, search, hash } = new URL(text)
  return /^\/[A-Za-z_]\w*$/.test(pathname) && search === '' && hash === ''
}
