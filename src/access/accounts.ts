import type { Latest } from '../history/latest.ts'
import type { Payer } from '../lib/quota.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { Account } from './account.ts'
import type { Directory } from './directory.ts'
import type { Quotas } from './quotas.ts'

type Parts = { quotas: Quotas; directory: Directory; latest: Latest }

/** An installation's account, and those above it that pay as well. */
export type Place = {
  readonly own: Account
  readonly organizationId: number
  /** `own` first. */
  readonly payers: readonly Account[]
}

/**
 * The accounts of installations and organizations. What an organization has is kept as a sum, so
 * that a message asks for a few numbers and nothing else.
 */
export class Accounts {
  readonly #parts: Parts
  readonly #places = new Map<number, Place>()
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

  placeOf(ref: InstallationRef): Place {
    const known = this.#places.get(ref.id)
    if (known?.organizationId === ref.organization_id) return known
    if (known) count(known, -1)
    const own = known?.own ?? this.#newAccount(ref.id)
    const place = this.#place(own, ref.organization_id)
    this.#places.set(ref.id, place)
    count(place, 1)
    return place
  }

  /** Undefined: the installation is gone, or the organization has no quota. */
  find({ kind, id }: Payer): Account | undefined {
    if (kind === 'organization') return this.#organization(id)
    const ref = this.#parts.directory.installation(id)
    return ref && this.placeOf(ref).own
  }

  findPlace(installationId: number): Place | undefined {
    const ref = this.#parts.directory.installation(installationId)
    return ref && this.placeOf(ref)
  }

  /** As it was placed last. */
  known(installationId: number): Place | undefined {
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

  #place(own: Account, organizationId: number): Place {
    const above = this.#parts.quotas
      .organizationsOf(organizationId)
      .flatMap(({ id }) => this.#organization(id) ?? [])
    return { own, organizationId, payers: [own, ...above] }
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

  /** Limits and who is above whom may be others now. */
  #arrange(): void {
    const { quotas } = this.#parts
    for (const account of this.#organizations.values()) {
      const limits = quotas.limitsOf(account)
      if (limits) Object.assign(account, { limits, topics: 0, comingTopics: 0, bytes: 0 })
      else this.#organizations.delete(account.id)
    }
    for (const [id, { own, organizationId }] of this.#places) {
      own.limits = quotas.limitsOf(own) ?? own.limits
      const place = this.#place(own, organizationId)
      this.#places.set(id, place)
      count(place, 1)
    }
  }

  #countTopics(installationId: number, change: number): void {
    const known = this.#places.get(installationId)
    // A new place counts what is there.
    if (known) for (const payer of known.payers) payer.topics += change
    else this.findPlace(installationId)
  }

  #remove(id: number): void {
    const place = this.#places.get(id)
    if (place) count(place, -1)
    this.#places.delete(id)
  }
}

/** What the installation has, to or from those above it. */
function count({ own, payers }: Place, sign: 1 | -1): void {
  for (const payer of payers) {
    if (payer === own) continue
    payer.topics += sign * own.topics
    payer.comingTopics += sign * own.comingTopics
    payer.bytes += sign * own.bytes
  }
}
