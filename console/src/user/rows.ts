import type { Organization, Role, User } from './types.ts'

export type Line = { user: User; name: string; role: string; organizations: string }

export const nameOf = ({ first_name, last_name, email }: User): string =>
  `${first_name} ${last_name}`.trim() || email

/** `now` in milliseconds. */
export const hasEnded = ({ expire_at = 0 }: User, now: number): boolean =>
  expire_at > 0 && expire_at * 1000 <= now

/** The organization and all below it. */
export function idsBelow(tree: readonly Organization[], id: number): Set<number> {
  const children = Map.groupBy(tree, ({ parent }) => parent)
  const found = new Set([id])
  for (const one of found) for (const child of children.get(one) ?? []) found.add(child.id)
  return found
}

export type Wanted = {
  text: string
  organization: number | undefined
  role: number | undefined
}

/** Every word must be in the name, the address or the phone number. */
export function wantedLines(
  lines: readonly Line[],
  { text, organization, role }: Wanted,
  tree: readonly Organization[]
): Line[] {
  const words = text.toLowerCase().split(/\s+/)
  const within = organization === undefined ? undefined : idsBelow(tree, organization)
  return lines.filter(({ user, name }) => {
    const all = `${name} ${user.email} ${user.mobile}`.toLowerCase()
    return (
      words.every((word) => all.includes(word)) &&
      (within === undefined || user.organisations.some((id) => within.has(id))) &&
      (role === undefined || user.role === role)
    )
  })
}

/** Whether a grant covers all that another one covers. Grants are filters as of MQTT. */
export function covers(wide: string, narrow: string): boolean {
  const [want, have] = [wide.split('/'), narrow.split('/')]
  for (const [i, level] of want.entries()) {
    if (level === '#') return true
    if (have[i] === undefined || have[i] === '#') return false
    if (level !== '+' && level !== have[i]) return false
  }
  return want.length === have.length
}

/** What the caller has: the grants as they are written with the names that they cover. */
export type Own = { may: Readonly<Record<string, boolean>>; role: Role | undefined }

/**
 * Whether the caller may give the role, as far as the page can tell. Grants on one installation are
 * left to the platform.
 */
export function mayGive(role: Role, { may, role: own }: Own): boolean {
  if (own && role.priority > own.priority) return false
  const held = Object.keys(may).filter((name) => may[name])
  const has = (name: string) => held.some((one) => covers(one, name))
  return Object.entries(role.permissions).every(
    ([name, isGiven]) =>
      !isGiven || /^\d+\//.test(name) || has(name) || has(name.replace(/\/assigned$/, '/all'))
  )
}

/** A role of an organization is for those who belong to it or below, and nowhere else. */
export const isRoleFor = (
  { organization_id }: Role,
  organisations: readonly number[],
  tree: readonly Organization[]
): boolean => {
  if (organization_id === 0) return true
  const below = idsBelow(tree, organization_id)
  // The place of a role above what the caller sees is known to the platform only.
  return (
    !tree.some(({ id }) => id === organization_id) || organisations.every((id) => below.has(id))
  )
}
