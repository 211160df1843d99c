import { BlockList, isIP } from 'node:net'

/** [IANA special-purpose registry] Everything that is not somebody's address in the open internet. */
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
/** Of IPv6 only this much is given out: what maps, translates or tunnels IPv4 lies outside, or below. */
const GLOBAL_IPV6 = '2000::/3'
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Without the name of an interface. */
const isPlain = (address: string): boolean => isIP(address) !== 0 && !address.includes('%')

const partsOf = (text: string): string[] => text.split(',').filter(Boolean)

/** The part of a list that is neither an address nor a network. */
export const networksFault = (text: string): string | undefined =>
  partsOf(text).find((part) => !add(new BlockList(), part))

export const networksOf = (text: string): BlockList => listOf(...partsOf(text))

function add(networks: BlockList, network: string): boolean {
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

/** Whether an address leads into the open internet and nowhere near this machine. */
export function isPublicAddress(address: string): boolean {
  if (!isPlain(address)) return false
  if (isIP(address) === 4) return !specialIpv4.check(address, 'ipv4')
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
}

/** Public, or in one of the networks that were opened on purpose. */
export const isReachable = (address: string, opened: BlockList): boolean =>
  isPublicAddress(address) ||
  (isPlain(address) && opened.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'))

/** The host of a URL, as sockets want it; WHATWG has read `0x7f.1` and its like as addresses by then. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Whoever has one address of an IPv6 network of 64 bits has all of them: they count as one. */
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
