import type { KindReach, Reach } from '../../src/features/search/query.ts'
import type { Question } from '../../src/features/search/search.ts'
import type { Scope } from '../../src/lib/scope.ts'
import type { SearchKind } from '../../src/registry/tables.ts'

/** The expected content of the registry, and a second search in the simplest way. */
export type Entity = {
  kind: SearchKind
  id: number
  installation_id: number
  type: string
  name: string
  notes: string
  meta: Record<string, string>
  protected_meta: Record<string, string>
}

export type Model = { entities: Entity[]; organizationOf: Map<number, number> }

const order: SearchKind[] = ['device', 'function', 'installation']

/** The ids in the order of the results, and the total number. */
export function expected(model: Model, { query, reach }: Question) {
  const found = model.entities
    .filter((entity) => {
      const own = reach[entity.kind]
      return own && isSeen(model, entity, own) && isMatch(model, entity, own, query)
    })
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.id - b.id)
  return {
    total: found.length,
    results: found.slice(query.offset, query.offset + query.limit).map((entity) => ({
      type: entity.kind,
      id: entity.id,
      allMetadata: pairs(model, entity, reach[entity.kind])
    }))
  }
}

function isSeen(model: Model, { type, installation_id }: Entity, { visible, types }: KindReach) {
  if (!model.organizationOf.has(installation_id)) return false
  const some = types.get(installation_id)
  return isIn(model, installation_id, visible) || some === 'all' || some?.has(type)
}

function isIn(model: Model, id: number, reach: Reach): boolean {
  if (reach === 'everything') return true
  const inside = ({ organizationIds, installationIds, within }: Scope): boolean =>
    (organizationIds.includes(model.organizationOf.get(id) ?? 0) || installationIds.includes(id)) &&
    (!within || inside(within))
  return inside(reach)
}

const pairs = (model: Model, entity: Entity, reach: KindReach | undefined) =>
  reach && isIn(model, entity.installation_id, reach.seesProtected)
    ? { ...entity.meta, ...entity.protected_meta }
    : entity.meta

function isMatch(model: Model, entity: Entity, own: KindReach, query: Question['query']): boolean {
  const { wanted, filters } = query
  const meta = Object.entries(pairs(model, entity, own))
  const passes = filters.every(({ key, patterns }) =>
    meta.some(
      ([name, value]) =>
        name.toLowerCase() === key && patterns.some((pattern) => regExp(pattern).test(value))
    )
  )
  if (!passes || wanted.by === 'everything') return passes
  if (wanted.by === 'id') return entity.id === wanted.id
  const isObject = entity.kind !== 'installation'
  const fields = [
    isObject ? entity.meta['name'] || `${entity.type} ${entity.id}` : entity.name,
    isObject ? entity.type : String(1000 + entity.id),
    isObject ? (entity.meta['note'] ?? '') : entity.notes,
    ...meta.map(([, value]) => value)
  ]
  const { text } = wanted
  return fields.some((field) => regExp(text.includes('*') ? text : `*${text}*`).test(field))
}

const regExp = (pattern: string): { test(text: string): boolean } => {
  const source = pattern
    .toLowerCase()
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  const whole = new RegExp(`^${source}$`, 's')
  return { test: (text) => whole.test(text.toLowerCase()) }
}
