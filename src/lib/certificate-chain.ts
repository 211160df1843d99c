import { X509Certificate } from 'node:crypto'

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g
/** [RFC 5280, 4.2.1.12] The purpose of a certificate that a client shows. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

/**
 * The certificates of a PEM text, in their order. Undefined when there is none, when there are too
 * many, or when one cannot be read.
 */
export function certificatesIn(pem: string, most: number): X509Certificate[] | undefined {
  const blocks = pem.match(BLOCK) ?? []
  if (blocks.length === 0 || blocks.length > most) return undefined
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return undefined
  }
}

/** As 64 hexadecimal digits. */
export const fingerprintOf = ({ fingerprint256 }: { fingerprint256: string }): string =>
  fingerprint256.replaceAll(':', '').toLowerCase()

export const isForClients = ({ ca, keyUsage }: X509Certificate): boolean =>
  // The purposes of all kinds are named keyUsage here; without any, all are allowed.
  !ca && (keyUsage === undefined || keyUsage.includes(CLIENT_AUTH))

/**
 * Whether one of the authorities has signed the first certificate, by way of the others. Signatures
 * are checked from the authority on, so no key is used that the authority does not vouch for.
 */
export function isSignedBy(
  authorities: readonly X509Certificate[],
  [first, ...others]: readonly X509Certificate[]
): boolean {
  if (!first) return false
  const path = [first]
  for (;;) {
    const last = path.at(-1) ?? first
    const signed = authorities.some(
      (authority) => last.checkIssued(authority) && isPathFrom(authority, path)
    )
    if (signed) return true
    const next = others.find(
      (other) => other.ca && !path.includes(other) && last.checkIssued(other)
    )
    if (!next) return false
    path.push(next)
  }
}

/** The path leads from the client's certificate up to one that the authority has signed. */
function isPathFrom(authority: X509Certificate, path: readonly X509Certificate[]): boolean {
  let key = authority.publicKey
  for (const certificate of path.toReversed()) {
    if (!certificate.verify(key)) return false
    key = certificate.publicKey
  }
  return true
}
