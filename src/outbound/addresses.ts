import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { SECOND } from '../lib/unix-time.ts'

const HOSTS = '/etc/hosts'
/** The first try waits this long; the second waits longer. */
const FIRST_TRY_MS = 2 * SECOND
const MAX_TRIES = 2

/**
 * Every address of a name, from the hosts file or else from DNS. Unlike `dns.lookup` it blocks no
 * thread while a slow server answers, and `signal` ends it completely. `servers` replaces the name
 * servers of the machine.
 */
export async function addressesOf(
  name: string,
  signal: AbortSignal,
  servers?: readonly string[]
): Promise<LookupAddress[]> {
  const known = hostsOf(await readFile(HOSTS, 'utf8').catch(() => ''), name)
  if (known.length > 0) return known
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: MAX_TRIES })
  if (servers) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const [ipv4] = answers
    if (found.length === 0 && ipv4.status === 'rejected') throw ipv4.reason
    return found.map(withFamily)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** [hosts(5)] Each line has an address and its names. */
export function hostsOf(hosts: string, name: string): LookupAddress[] {
  const wanted = name.toLowerCase().replace(/\.$/, '')
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return isIP(address) !== 0 && names.includes(wanted) ? [withFamily(address)] : []
  })
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })
