import type { Latest } from '../history/latest/latest.ts'
import type { Clock } from '../lib/clock.ts'
import type { Payer } from '../lib/quota.ts'
import { Turns } from '../lib/turns.ts'
import { SECOND, unixMs } from '../lib/unix-time.ts'
import type { Directory } from '../permission/directory.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { Account } from './account.ts'
import type { Quotas } from './quotas.ts'

type Parts = {
  quotas: Quotas
  directory: Directory
  latest: Pick<Latest, 'freshness' | 'pendingTopics'>
  /** Resolves when the samples that were taken so far are stored. */
  settled: () => Promise<void>
  clock: Clock
}

const INSTALLATIONS_PER_COUNT = 200
/** Counting all installations of a large organization is work, so a flood must not ask for more. */
const COUNT_EVERY_MS = 10 * SECOND

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
  /** When the topics of an organization were counted last. */
  readonly #countedAt = new WeakMap<Account, number>()

  constructor(parts: Parts) {
    const { quotas, directory } = parts
    this.#parts = parts
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

  /** The installation has so many topics now; `unsure` more values may be the first of theirs. */
  setTopics({ own, payers }: AccountPlace, topics: number, unsure = 0): void {
    const change = topics - own.topics
    const moreUnsure = unsure - own.unsureTopics
    for (const payer of payers) {
      payer.topics += change
      payer.unsureTopics += moreUnsure
    }
  }

  /** Counts the topics of a few hundred installations. */
  async countTopics(ids: readonly number[]): Promise<void> {
    const { latest, settled } = this.#parts
    const unsureOf = (id: number) => this.#places.get(id)?.own.unsureTopics ?? 0
    const before = new Map(ids.map((id) => [id, unsureOf(id)]))
    await settled()
    // They may reach history after it is counted.
    const pending = new Map(ids.map((id) => [id, latest.pendingTopics(id)]))
    const found = await latest.freshness(ids, unixMs(0))
    const topics = new Map(found.map((one) => [one.installation_id, one.topics]))
    for (const id of ids) {
      const place = topics.has(id) ? this.findPlace(id) : this.#places.get(id)
      if (!place) continue
      const since = Math.max(0, unsureOf(id) - (before.get(id) ?? 0))
      this.setTopics(place, topics.get(id) ?? 0, since + (pending.get(id) ?? 0))
    }
  }

  /** In steps. Until it is done, an organization may get some topics too many. */
  async *countAllTopics(): AsyncGenerator<void> {
    const ids = Array.from(this.#parts.directory.installations(), ({ id }) => id)
    for (const some of inGroups(ids)) yield this.countTopics(some)
  }

  /** Whether counting again can tell if the owner is full. */
  isCountDue(account: Account): boolean {
    if (account.unsureTopics === 0) return false
    const countedAt = this.#countedAt.get(account) ?? Number.NEGATIVE_INFINITY
    return this.#parts.clock() - countedAt >= COUNT_EVERY_MS
  }

  /** Counts again what may have changed: of an installation, or of all below an organization. */
  async countTopicsOf(account: Account): Promise<void> {
    if (account.kind === 'installation') return this.countTopics([account.id])
    this.#countedAt.set(account, this.#parts.clock())
    const ids: number[] = []
    const turns = new Turns()
    for (const [id, { own, payers }] of this.#places) {
      if (own.unsureTopics > 0 && payers.includes(account)) ids.push(id)
      if (turns.isOver()) await turns.next()
    }
    for (const some of inGroups(ids)) await this.countTopics(some)
  }

  #newAccount(id: number): Account {
    const { quotas } = this.#parts
    const payer = { kind: 'installation', id } as const
    return new Account(payer, quotas.limitsOf(payer) ?? quotas.defaultsOf('installation'))
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
      const nothing = { topics: 0, unsureTopics: 0, comingTopics: 0, bytes: 0 }
      if (limits) Object.assign(account, { limits, ...nothing })
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

  #remove(id: number): void {
    const place = this.#places.get(id)
    if (place) count(place, -1)
    this.#places.delete(id)
  }
}

function* inGroups(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += INSTALLATIONS_PER_COUNT) {
    yield ids.slice(at, at + INSTALLATIONS_PER_COUNT)
  }
}

/** Adds what the installation has to the accounts above it, or subtracts it. */
function count({ own, payers }: AccountPlace, sign: 1 | -1): void {
  for (const payer of payers) {
    if (payer === own) continue
    payer.topics += sign * own.topics
    payer.unsureTopics += sign * own.unsureTopics
    payer.comingTopics += sign * own.comingTopics
    payer.bytes += sign * own.bytes
  }
}
