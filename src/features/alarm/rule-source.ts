import { RuleSet } from '../../lib/alarm/rule-set.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { listModelx } from '../../registry/modelx.ts'
import { listRules, type RuleOwner, type RuleRow, ruleOwnersOf } from '../../registry/rules.ts'
import type { Registry } from '../../registry/tables.ts'
import type { Rules } from './watched.ts'

/** Of the definitions of organizations that are kept, in characters. */
const MAX_CHARACTERS = 16 * 1024 * 1024

/** Reads the rules of installations. Those of an organization are read once for all of them. */
export class RuleSource {
  readonly #registry: Registry
  readonly #timezone: string
  readonly #shared = new Map<number, RuleRow[]>()
  #characters = 0
  #changes = 0

  /** `timezone`: of installations that have none. */
  constructor(registry: Registry, timezone: string) {
    this.#registry = registry
    this.#timezone = timezone
  }

  /** Rules of organizations have changed. */
  forget(): void {
    this.#changes++
    this.#shared.clear()
    this.#characters = 0
  }

  /** Undefined: the installation is gone, or it has no rule. */
  async of({
    id,
    client_id
  }: Pick<InstallationRef, 'id' | 'client_id'>): Promise<Rules | undefined> {
    const found = await ruleOwnersOf(this.#registry, id)
    if (!found) return undefined
    const rows: RuleRow[] = []
    for (const owner of found.owners) for (const row of await this.#rulesOf(owner)) rows.push(row)
    if (rows.length === 0) return undefined
    const zone = found.timezone || this.#timezone
    const rules = await RuleSet.of(rows, { clientId: client_id, zone })
    const functions = rules.needsFunctions ? await this.#addFunctions(rules, id) : 0
    return { rules, zone, read: rows.length + functions }
  }

  async #rulesOf(owner: RuleOwner): Promise<RuleRow[]> {
    const known = owner.kind === 'organization' ? this.#shared.get(owner.id) : undefined
    if (known) return known
    const changes = this.#changes
    const rows: RuleRow[] = []
    for await (const part of listRules(this.#registry, owner, { activeOnly: true })) {
      for (const row of part) rows.push(row)
    }
    // They may have changed while they were read.
    if (owner.kind === 'organization' && changes === this.#changes) this.#keep(owner.id, rows)
    return rows
  }

  #keep(organizationId: number, rows: RuleRow[]): void {
    if (this.#characters > MAX_CHARACTERS) this.forget()
    this.#shared.set(organizationId, rows)
    for (const { definition } of rows) this.#characters += definition.length
  }

  /** Answers how many were read. */
  async #addFunctions(rules: RuleSet, installation_id: number): Promise<number> {
    const ref = { kind: 'function', installation_id } as const
    let read = 0
    for await (const part of listModelx(this.#registry, ref)) {
      read += part.length
      for (const { type, meta: text } of part) {
        const meta = JSON.parse(text) as Record<string, string>
        const topic = meta['topic_read']
        if (topic) rules.addFunction({ topic, type, meta })
      }
    }
    return read
  }
}
