import type { NetworkInterfaceInfo } from 'node:os'

const EVERY_ADDRESS = ['0.0.0.0', '[::]', '[::ffff:0:0]']
/** Where nobody is called by a machine of another network. */
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i
const HOST_AND_PORT = /^(\w[\w-]*(\.[\w-]+)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i
const MAX_NAME = 253

/** An IPv6 address stands in brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** `0.0.0.0`, `::` and their other spellings: good to listen on, but nobody can be called there. */
export function isEveryAddress(host: string): boolean {
  const url = `http://${inUrl(host)}`
  return URL.canParse(url) && EVERY_ADDRESS.includes(new URL(url).hostname)
}

/** The first by which others reach a machine that listens on every address; IPv4 goes first. */
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

/** The address that a Host header means; undefined when it names no single host and port. */
export function originOfHost(scheme: 'http' | 'https', host: string): string | undefined {
  const url = `${scheme}://${host}`
  if (host.length > MAX_NAME || !HOST_AND_PORT.test(host) || !URL.canParse(url)) return undefined
  const { hostname, port, origin } = new URL(url)
  return port === '0' || EVERY_ADDRESS.includes(hostname) ? undefined : origin
}
