import { isDeepStrictEqual } from 'node:util'
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

/** Organizations that pay for one message. Those of an older version may lie deeper. */
export const MAX_PAYERS = 32

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
  /** Asked for before they were known: an installation may be heard of sooner than its organization. */
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

  /** Called after a quota changed, or an organization moved or went; a new one changes nothing for others. */
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

  /** The organization and those above it, without the top: the uppermost `MAX_PAYERS` of them. */
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

  /** Who pays for what somebody does: nobody for those who reach the top organization. */
  payersOf({ kind, assigned, organizationIds, reachesTop }: Principal): Payer[] {
    if (reachesTop) return []
    if (kind === 'gateway') {
      const refs = [...assigned].map((id) => this.#parts.directory.installation(id))
      return refs.flatMap((ref) => (ref ? this.payersOfInstallation(ref) : []))
    }
    const payers = new Map<number, Payer>()
    for (const id of organizationIds) {
      for (const one of this.#upwards(id)) {
        // Those above it are there already.
        if (payers.has(one)) break
        payers.set(one, { kind: 'organization', id: one })
      }
    }
    return [...payers.values()]
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
    const rows = await readParents(registry)
    const parents = new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
    const overrides = await readQuotas(registry)
    const isTold =
      [...this.#parents].some(([id, parent]) => parents.get(id) !== parent) ||
      [...this.#missed].some((id) => parents.has(id)) ||
      !isDeepStrictEqual(overrides, this.#overrides)
    this.#parents = parents
    this.#overrides = overrides
    this.#paths.clear()
    for (const id of [...this.#missed]) if (parents.has(id)) this.#missed.delete(id)
    if (isTold) for (const listener of this.#listeners) listener()
  }
}
