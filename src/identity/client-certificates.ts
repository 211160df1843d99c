import type { Clock } from '../lib/clock.ts'
import type { Directory } from '../permission/directory.ts'
import type { Principal } from '../permission/principal.ts'
import { type CertificateRow, findCertificate } from '../registry/certificates.ts'
import type { Registry } from '../registry/tables.ts'
import { gatewayPrincipal } from './gateway.ts'
import type { IdentityChange } from './identity-change.ts'

/** Why a certificate does not sign in. */
export type CertificateFault = 'not registered' | 'revoked' | 'expired' | 'not yet valid'

export type KnownCertificate = { id: number; principal: Principal }

const MAX_REMEMBERED = 10_000

/** Turns client certificates into principals, and remembers them until something changes. */
export class ClientCertificates {
  readonly #registry: Registry
  readonly #directory: Directory
  readonly #clock: Clock
  /** By fingerprint. Open connections are checked very often. */
  readonly #known = new Map<string, CertificateRow>()
  #changes = 0

  constructor(registry: Registry, directory: Directory, clock: Clock) {
    this.#registry = registry
    this.#directory = directory
    this.#clock = clock
  }

  /** Undefined means that everything may have changed. */
  forget(change?: IdentityChange): void {
    this.#changes++
    if (!change) this.#known.clear()
    else if (change.gateways.size > 0) {
      for (const [fingerprint, { installation_id }] of this.#known) {
        if (change.gateways.has(installation_id)) this.#known.delete(fingerprint)
      }
    }
  }

  /** It signs in as the gateway of its installation. [ADR-0068] */
  async find(fingerprint: string): Promise<KnownCertificate | CertificateFault> {
    const row = this.#known.get(fingerprint) ?? (await this.#read(fingerprint))
    const installation = row && this.#directory.installation(row.installation_id)
    if (!installation) return 'not registered'
    if (row.revoked !== null) return 'revoked'
    const now = this.#clock()
    if (now >= row.not_after) return 'expired'
    if (now < row.not_before) return 'not yet valid'
    const { mount_prefix: prefix } = row
    const mount = prefix === null ? undefined : { installation_id: installation.id, prefix }
    return { id: row.id, principal: gatewayPrincipal(installation, mount) }
  }

  async #read(fingerprint: string): Promise<CertificateRow | undefined> {
    const changes = this.#changes
    const row = await findCertificate(this.#registry, fingerprint)
    // A change during the read may have been missed.
    if (row && changes === this.#changes) {
      if (this.#known.size >= MAX_REMEMBERED) this.#known.clear()
      this.#known.set(fingerprint, row)
    }
    return row
  }
}
