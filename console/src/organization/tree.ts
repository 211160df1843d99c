import type { Schemas } from '../../../tools/client/client.ts'

type Simple = Schemas['OrganizationSimple']
export type Branch = { id: number; name: string; children: Branch[] }

/** The organizations below each other, by name. A parent that is not seen makes a root. */
export function branchesOf(all: readonly Simple[], language: string): Branch[] {
  const order = new Intl.Collator(language, { numeric: true })
  const byId = new Map<number, Branch>()
  for (const { id, name } of [...all].sort((a, b) => order.compare(a.name, b.name)))
    byId.set(id, { id, name, children: [] })
  const parents = new Map(all.map(({ id, parent }) => [id, parent]))
  const roots: Branch[] = []
  for (const branch of byId.values()) {
    const parent = byId.get(parents.get(branch.id) ?? 0)
    ;(parent?.children ?? roots).push(branch)
  }
  return roots
}

/** Those whose name has the text, with all above them. */
export function found(branches: readonly Branch[], text: string): Branch[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return [...branches]
  return branches.flatMap((branch) => {
    const children = found(branch.children, text)
    const isFound = branch.name.toLowerCase().includes(wanted)
    return isFound || children.length > 0 ? [{ ...branch, children }] : []
  })
}

/** `Top / Middle / Low`: names alone may be the same. */
export function pathOf(all: ReadonlyMap<number, Simple>, id: number): string {
  const names: string[] = []
  const seen = new Set<number>()
  for (let one = all.get(id); one && !seen.has(one.id); one = all.get(one.parent)) {
    seen.add(one.id)
    names.unshift(one.name)
  }
  return names.join(' / ')
}

/** The topmost organization above it that the caller sees. */
export function rootOf(all: ReadonlyMap<number, Simple>, id: number): number {
  let root = id
  const seen = new Set<number>()
  for (let one = all.get(id); one && !seen.has(one.id); one = all.get(one.parent)) {
    seen.add(one.id)
    root = one.id
  }
  return root
}

/** How many organizations are below it. */
export const sizeOf = ({ children }: Branch): number =>
  children.reduce((sum, child) => sum + 1 + sizeOf(child), 0)

/**
 * How many things are in each organization and below it. `places`: the organizations of each thing,
 * which counts once.
 */
export function countsOf(
  all: ReadonlyMap<number, Simple>,
  places: readonly (readonly number[])[]
): Map<number, number> {
  const counts = new Map<number, number>()
  for (const ids of places) {
    const above = new Set<number>()
    for (const id of ids)
      for (let one = all.get(id); one && !above.has(one.id); one = all.get(one.parent))
        above.add(one.id)
    for (const id of above) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** What is in organizations, by the ids of organizations. */
export function insideOf(
  ids: ReadonlySet<number>,
  installations: readonly { name: string; organization_id: number }[],
  users: readonly { organisations: readonly number[] }[]
) {
  return {
    organizations: ids.size - 1,
    installations: installations.filter(({ organization_id }) => ids.has(organization_id)),
    members: users.filter(({ organisations }) => organisations.some((id) => ids.has(id))).length,
    /** They belong nowhere else, so they go with it. */
    onlyThere: users.filter(
      ({ organisations }) => organisations.length > 0 && organisations.every((id) => ids.has(id))
    ).length
  }
}
