import type { Latest } from '../history/latest/latest.ts'
import type { Payer } from '../lib/quota.ts'
import type { Directory } from '../permission/directory.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { Account } from './account.ts'
import type { Quotas } from './quotas.ts'

type Parts = { quotas: Quotas; directory: Directory; latest: Latest }

/** The account of an installation, and the accounts above it that also pay. */
export type AccountPlace = {
  readonly own: Account
  readonly organizationId: number
  /** Installations of the same tenant share one turn. */
  readonly tenant: string
  /** `own` is the first. */
  readonly payers: readonly Account[]
}

/**
 * The accounts of installations and organizations. An organization has the sum of everything below
 * it, so that a message needs only a few numbers.
 */
export class Accounts {
  readonly #parts: Parts
  readonly #places = new Map<number, AccountPlace>()
  readonly #organizations = new Map<number, Account>()

  constructor(parts: Parts) {
    const { quotas, directory, latest } = parts
    this.#parts = parts
    for (const ref of directory.installations()) {
      if (latest.count(ref.id) > 0) this.placeOf(ref)
    }
    latest.onCount((installationId, change) => this.#countTopics(installationId, change))
    quotas.onChange(() => this.#arrange())
    directory.onMoved((ref) => {
      if (this.#places.has(ref.id)) this.placeOf(ref)
    })
    directory.onRemoved((id) => this.#remove(id))
  }

  placeOf(ref: InstallationRef): AccountPlace {
    const known = this.#places.get(ref.id)
    if (known?.organizationId === ref.organization_id) return known
    if (known) count(known, -1)
    const own = known?.own ?? this.#newAccount(ref.id)
    const place = this.#place(own, ref.organization_id)
    this.#places.set(ref.id, place)
    count(place, 1)
    return place
  }

  /** Undefined: the installation was deleted, or the organization has no quota. */
  find({ kind, id }: Payer): Account | undefined {
    if (kind === 'organization') return this.#organization(id)
    const ref = this.#parts.directory.installation(id)
    return ref && this.placeOf(ref).own
  }

  findPlace(installationId: number): AccountPlace | undefined {
    const ref = this.#parts.directory.installation(installationId)
    return ref && this.placeOf(ref)
  }

  /** The place as it was computed last. */
  known(installationId: number): AccountPlace | undefined {
    return this.#places.get(installationId)
  }

  *all(): Generator<Account> {
    yield* this.installations()
    yield* this.#organizations.values()
  }

  *installations(): Generator<Account> {
    for (const { own } of this.#places.values()) yield own
  }

  #newAccount(id: number): Account {
    const { quotas, latest } = this.#parts
    const payer = { kind: 'installation', id } as const
    const account = new Account(payer, quotas.limitsOf(payer) ?? quotas.defaultsOf('installation'))
    account.topics = latest.count(id)
    return account
  }

  #above(organizationId: number): readonly Account[] {
    const { quotas } = this.#parts
    return quotas.organizationsOf(organizationId).flatMap(({ id }) => this.#organization(id) ?? [])
  }

  #place(own: Account, organizationId: number, above = this.#above(organizationId)): AccountPlace {
    const tenant = this.#parts.quotas.tenantOf({ id: own.id, organization_id: organizationId })
    return { own, organizationId, tenant, payers: [own, ...above] }
  }

  #organization(id: number): Account | undefined {
    const known = this.#organizations.get(id)
    if (known) return known
    const payer = { kind: 'organization', id } as const
    const limits = this.#parts.quotas.limitsOf(payer)
    if (!limits) return undefined
    const account = new Account(payer, limits)
    this.#organizations.set(id, account)
    return account
  }

  /** Computes all places and sums again, because limits or organizations have changed. */
  #arrange(): void {
    const { quotas } = this.#parts
    for (const account of this.#organizations.values()) {
      const limits = quotas.limitsOf(account)
      if (limits) Object.assign(account, { limits, topics: 0, comingTopics: 0, bytes: 0 })
      else this.#organizations.delete(account.id)
    }
    const above = new Map<number, readonly Account[]>()
    for (const [id, { own, organizationId }] of this.#places) {
      own.limits = quotas.limitsOf(own) ?? own.limits
      const known = above.get(organizationId) ?? this.#above(organizationId)
      above.set(organizationId, known)
      const place = this.#place(own, organizationId, known)
      this.#places.set(id, place)
      count(place, 1)
    }
  }

  #countTopics(installationId: number, change: number): void {
    const known = this.#places.get(installationId)
    // A new place counts all topics itself.
    if (known) for (const payer of known.payers) payer.topics += change
    else this.findPlace(installationId)
  }

  #remove(id: number): void {
    const place = this.#places.get(id)
    if (place) count(place, -1)
    this.#places.delete(id)
  }
}

/** Adds what the installation has to the accounts above it, or subtracts it. */
function count({ own, payers }: AccountPlace, sign: 1 | -1): void {
  for (const payer of payers) {
    if (payer === own) continue
    payer.topics += sign * own.topics
    payer.comingTopics += sign * own.comingTopics
    payer.bytes += sign * own.bytes
  }
}
