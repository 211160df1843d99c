import { isDeepStrictEqual } from 'node:util'
import {
  type Limits,
  type Overrides,
  type Payer,
  type PayerKind,
  payerName,
  payerNamed,
  type QuotaName
} from '../lib/quota.ts'
import { Turns } from '../lib/turns.ts'
import type { Directory } from '../permission/directory.ts'
import type { Principal } from '../permission/principal.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { readParents } from '../registry/organizations.ts'
import type { Registry } from '../registry/tables.ts'
import { readQuotas } from './overrides.ts'

type Defaults = Readonly<Record<PayerKind, Limits>>
/** What only the broker can count. */
export type CountedByBus = 'connections' | 'filters'
type Count = (payer: Payer) => number
type Parts = {
  registry: Registry
  directory: Directory
  defaults: Defaults
  /** Samples of all installations stay for so many days; 0: for ever. */
  historyDays?: number
}

const noOverrides: Overrides = {}

/** Organizations that pay for one message. An older version allowed deeper organizations. */
export const MAX_PAYERS = 32

/**
 * How much each owner may use, and who pays: an installation and every organization above it,
 * except the top organization, which has no quota. All in memory, because messages cannot wait.
 * [ADR-0037]
 */
export class Quotas {
  readonly #parts: Parts
  #overrides: ReadonlyMap<string, Overrides> = new Map()
  #parents: ReadonlyMap<number, number | null> = new Map()
  /** The path of each organization that was asked for. */
  readonly #paths = new Map<number, readonly Payer[]>()
  /**
   * Organizations that were asked for before this node knew them: the installation may be known
   * first.
   */
  readonly #missed = new Set<number>()
  readonly #listeners: (() => void)[] = []
  readonly #counts = new Map<QuotaName, Count>()

  static async open(parts: Parts): Promise<Quotas> {
    const quotas = new Quotas(parts)
    await quotas.#read()
    parts.directory.onQuotaChange(() => quotas.#read())
    return quotas
  }

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Called after a quota has changed, or an organization was moved or deleted. A new organization
   * changes nothing for the others.
   */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** The broker gives the function that counts. */
  countBy(name: CountedByBus, count: Count): void {
    this.#counts.set(name, count)
  }

  /** 0 if nobody counts, as with an external broker. */
  counted(name: CountedByBus, payer: Payer): number {
    return this.#counts.get(name)?.(payer) ?? 0
  }

  /** Infinite for the top organization and for deleted organizations. */
  limit(kind: PayerKind, id: number, name: QuotaName): number {
    return this.limitsOf({ kind, id })?.[name] ?? Number.POSITIVE_INFINITY
  }

  /** Undefined: the owner has no quota. */
  limitsOf(payer: Payer): Limits | undefined {
    const { kind, id } = payer
    if (kind === 'organization' && typeof this.#parents.get(id) !== 'number') return undefined
    const defaults = this.#parts.defaults[kind]
    const overrides = this.#overrides.get(payerName(payer))
    return overrides ? { ...defaults, ...overrides } : defaults
  }

  defaultsOf(kind: PayerKind): Limits {
    return this.#parts.defaults[kind]
  }

  overridesOf(payer: Payer): Overrides {
    return this.#overrides.get(payerName(payer)) ?? noOverrides
  }

  /** How long samples stay on the whole platform; undefined: for ever. */
  get platformDays(): number | undefined {
    return this.#parts.historyDays || undefined
  }

  /**
   * [ADR-0048] How long samples of the owner stay: the least of its own days, those of the
   * organizations above and those of the platform; undefined: for ever.
   */
  historyDaysOf({ kind, id }: Payer): number | undefined {
    const organization =
      kind === 'organization' ? id : this.#parts.directory.installation(id)?.organization_id
    const own = kind === 'installation' ? [{ kind, id }] : []
    const days = [...own, ...this.organizationsOf(organization ?? 0)].map(
      (payer) => this.overridesOf(payer).history_days ?? Number.POSITIVE_INFINITY
    )
    const least = Math.min(...days, this.platformDays ?? Number.POSITIVE_INFINITY)
    return Number.isFinite(least) ? least : undefined
  }

  /** The installations whose samples stay for fewer days than those of the platform. */
  async *shortened(): AsyncGenerator<{ id: number; days: number }> {
    const owners = [...this.#overrides].filter(([, { history_days }]) => history_days !== undefined)
    const payers = owners.map(([name]) => payerNamed(name))
    const { directory } = this.#parts
    // Without an organization among them, all other installations need no look.
    const refs = payers.some(({ kind }) => kind === 'organization')
      ? directory.installations()
      : payers.flatMap(({ id }) => directory.installation(id) ?? [])
    const turns = new Turns()
    for (const { id } of refs) {
      if (turns.isOver(10)) await turns.next()
      const days = this.historyDaysOf({ kind: 'installation', id })
      if (days !== undefined && days !== this.platformDays) yield { id, days }
    }
  }

  /** The organization and those above it, without the top; at most the uppermost `MAX_PAYERS`. */
  organizationsOf(id: number): readonly Payer[] {
    if (!this.#parents.has(id)) this.#missed.add(id)
    const unknown: number[] = []
    for (const one of this.#upwards(id)) {
      if (this.#paths.has(one)) break
      unknown.push(one)
    }
    const parent = this.#parents.get(unknown.at(-1) ?? id) ?? 0
    let path = this.#paths.get(unknown.length > 0 ? parent : id) ?? []
    for (const one of unknown.reverse()) {
      path = [{ kind: 'organization' as const, id: one }, ...path].slice(-MAX_PAYERS)
      this.#paths.set(one, path)
    }
    return path
  }

  payersOfInstallation({ id, organization_id }: InstallationRef): Payer[] {
    return [{ kind: 'installation', id }, ...this.organizationsOf(organization_id)]
  }

  /**
   * Who pays for what a principal does. Nobody pays for a principal that reaches the top
   * organization.
   */
  payersOf({ kind, assigned, organizationIds, reachesTop }: Principal): Payer[] {
    if (reachesTop) return []
    if (kind === 'gateway') {
      const refs = [...assigned].map((id) => this.#parts.directory.installation(id))
      return refs.flatMap((ref) => (ref ? this.payersOfInstallation(ref) : []))
    }
    const payers = new Map<number, Payer>()
    for (const id of organizationIds) {
      for (const one of this.#upwards(id)) {
        // The organizations above it are already in the map.
        if (payers.has(one)) break
        payers.set(one, { kind: 'organization', id: one })
      }
    }
    return [...payers.values()]
  }

  /**
   * The tenant of an installation: the uppermost organization below the top. An installation of the
   * top organization is a tenant of its own.
   */
  tenantOf({ id, organization_id }: Pick<InstallationRef, 'id' | 'organization_id'>): string {
    return payerName(this.organizationsOf(organization_id).at(-1) ?? { kind: 'installation', id })
  }

  *#upwards(id: number): Generator<number> {
    let [at, parent] = [id, this.#parents.get(id)]
    // Only the top organization has no parent.
    while (typeof parent === 'number') {
      yield at
      at = parent
      parent = this.#parents.get(at)
    }
  }

  async #read(): Promise<void> {
    const { registry } = this.#parts
    const rows = await readParents(registry)
    const parents = new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
    const overrides = await readQuotas(registry)
    const hasChanged =
      [...this.#parents].some(([id, parent]) => parents.get(id) !== parent) ||
      [...this.#missed].some((id) => parents.has(id)) ||
      !isDeepStrictEqual(overrides, this.#overrides)
    this.#parents = parents
    this.#overrides = overrides
    this.#paths.clear()
    for (const id of [...this.#missed]) if (parents.has(id)) this.#missed.delete(id)
    if (hasChanged) for (const listener of this.#listeners) listener()
  }
}
