import {
  type Limits,
  type Overrides,
  type Payer,
  type PayerKind,
  payerName,
  type QuotaName
} from '../lib/quota.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { readParents } from '../registry/organizations.ts'
import { readQuotas } from '../registry/quotas.ts'
import type { Registry } from '../registry/tables.ts'
import type { Directory } from './directory.ts'
import type { Principal } from './principal.ts'

type Defaults = Readonly<Record<PayerKind, Limits>>
/** What only the broker can count: how much of it somebody pays for. */
export type CountedByBus = 'connections' | 'filters'
type Count = (payer: Payer) => number
type Parts = { registry: Registry; directory: Directory; defaults: Defaults }

const noOverrides: Overrides = {}

/**
 * How much each owner may have, and who pays: an installation and every organization above it, but
 * for the top, which has no quota. In memory, because messages cannot wait. [ADR-0037]
 */
export class Quotas {
  readonly #parts: Parts
  #overrides: ReadonlyMap<string, Overrides> = new Map()
  #parents: ReadonlyMap<number, number | null> = new Map()
  /** The path of each organization that was asked for. */
  readonly #paths = new Map<number, readonly Payer[]>()
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

  /** Called after quotas changed, or which organization is below which. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** The broker says how it counts. */
  countBy(name: CountedByBus, count: Count): void {
    this.#counts.set(name, count)
  }

  /** 0 where nobody counts, as with an external broker. */
  counted(name: CountedByBus, payer: Payer): number {
    return this.#counts.get(name)?.(payer) ?? 0
  }

  /** Infinite for the top organization and for organizations that are gone. */
  limit(kind: PayerKind, id: number, name: QuotaName): number {
    return this.limitsOf({ kind, id })?.[name] ?? Number.POSITIVE_INFINITY
  }

  /** Undefined: it has no quota. */
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

  /** The organization and all above it, without the top. */
  organizationsOf(id: number): readonly Payer[] {
    let path = this.#paths.get(id)
    if (!path) {
      path = [...this.#upwards(id)].map((id) => ({ kind: 'organization', id }))
      this.#paths.set(id, path)
    }
    return path
  }

  payersOfInstallation({ id, organization_id }: InstallationRef): Payer[] {
    return [{ kind: 'installation', id }, ...this.organizationsOf(organization_id)]
  }

  /** Who pays for what somebody does: nobody for those who reach the top organization. */
  payersOf({ kind, assigned, organizationIds, reachesTop }: Principal): Payer[] {
    if (reachesTop) return []
    if (kind === 'gateway') {
      const refs = [...assigned].map((id) => this.#parts.directory.installation(id))
      return refs.flatMap((ref) => (ref ? this.payersOfInstallation(ref) : []))
    }
    const all = organizationIds.flatMap((id) => this.organizationsOf(id))
    return [...new Map(all.map((payer) => [payer.id, payer])).values()]
  }

  /** Who shares one turn where tenants take turns: all below an organization right below the top. */
  tenantOf(installation: InstallationRef): string {
    const { id, organization_id } = installation
    return payerName(this.organizationsOf(organization_id).at(-1) ?? { kind: 'installation', id })
  }

  *#upwards(id: number): Generator<number> {
    let [at, parent] = [id, this.#parents.get(id)]
    // Only the top has nobody above it.
    while (typeof parent === 'number') {
      yield at
      at = parent
      parent = this.#parents.get(at)
    }
  }

  async #read(): Promise<void> {
    const { registry } = this.#parts
    const [parents, overrides] = [await readParents(registry), await readQuotas(registry)]
    this.#parents = new Map(parents.map(({ id, parent_id }) => [id, parent_id]))
    this.#overrides = overrides
    this.#paths.clear()
    for (const listener of this.#listeners) listener()
  }
}
