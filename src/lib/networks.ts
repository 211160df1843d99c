import { BlockList, isIP } from 'node:net'

/** [IANA special-purpose registry] Everything that is not a public internet address. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4'
]
/**
 * Only these IPv6 addresses are given out. Those that map, translate or tunnel IPv4 are outside, or
 * listed below.
 */
const GLOBAL_IPV6 = '2000::/3'
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Networks that a setting may call by their name. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
}

/** An address without an interface name. */
const isPlain = (address: string): boolean => isIP(address) !== 0 && !address.includes('%')

const partsOf = (text: string): string[] => text.split(',').filter(Boolean)

/** The first part of a list that is not an address, a network or the name of one. */
export const networksFault = (text: string): string | undefined =>
  partsOf(text).find((part) => !add(new BlockList(), part))

export const networksOf = (text: string): BlockList => listOf(...partsOf(text))

function add(networks: BlockList, network: string): boolean {
  const named = NAMED[network]
  if (named) return named.every((one) => add(networks, one))
  const [address = '', prefix, more] = network.split('/')
  const version = isIP(address)
  const bits = version === 4 ? 32 : 128
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  const isNetwork = isPlain(address) && more === undefined && length >= 0 && length <= bits
  if (!isNetwork) return false
  networks.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6')
  return true
}

function listOf(...networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) add(list, network)
  return list
}

const specialIpv4 = listOf(...SPECIAL_IPV4)
const globalIpv6 = listOf(GLOBAL_IPV6)
const specialIpv6 = listOf(...SPECIAL_IPV6)

/** Whether an address is in the public internet, and not in a local or special network. */
export function isPublicAddress(address: string): boolean {
  if (!isPlain(address)) return false
  if (isIP(address) === 4) return !specialIpv4.check(address, 'ipv4')
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
}

/** Whether an address is public, or in one of the opened networks. */
export const isReachable = (address: string, opened: BlockList): boolean =>
  isPublicAddress(address) || isIn(opened, address)

export const isIn = (networks: BlockList, address: string): boolean =>
  isPlain(address) && networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

/**
 * The host of a URL in the form for sockets. The URL parser has already read `0x7f.1` and the like
 * as addresses.
 */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * The key to count an address by. An IPv6 /64 network counts as one, because one owner has all of
 * it.
 */
export function homeOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (isIP(plain) !== 6) return address
  const [head = '', tail = ''] = hostOf(new URL(`http://[${plain}]`)).split('::')
  const groupsOf = (text: string) => text.split(':').filter(Boolean)
  const [first, last] = [groupsOf(head), groupsOf(tail)]
  const groups = [...first, ...Array(8 - first.length - last.length).fill('0'), ...last]
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') {
    const bytes = groups.slice(6).map((group) => Number.parseInt(group, 16))
    return bytes.flatMap((two) => [two >> 8, two & 255]).join('.')
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
