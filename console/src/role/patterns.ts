import { permissionTexts } from '../texts/permissions-en.ts'

export type Action = keyof typeof permissionTexts
const actions = Object.keys(permissionTexts) as Action[]

/** These are one name each; the other actions end in `all` or `assigned`. */
const plain: ReadonlySet<string> = new Set([
  ...['edge/app/create', 'edge/app/list', 'edge/app/update', 'file/update/organization'],
  ...['gateway/registration/policy', 'installation/create', 'ledger/read', 'metrics/read'],
  ...['mobile/create', 'mqtt/blacklist/topic/manage', 'mqtt/subscribe/broad'],
  ...['notification/executor/manage', 'oauth2_client/admin/create_delete'],
  ...['oauth2_client/admin/update', 'organization/create_delete', 'organization/list'],
  ...['organization/list/all', 'organization/update', 'permission/explain'],
  ...['registration/policy/create_delete', 'registration/policy/list'],
  ...['registration/policy/update', 'role/create_delete', 'role/list', 'role/update'],
  ...['system/backup', 'system/client/list', 'trace/list', 'trace/list/system'],
  ...['user/create/delete', 'user/list'],
  ...['user/list/assigned', 'user/security/token/create_delete'],
  ...['user/security/token/list/all', 'user/update'],
  ...['external/node-red/*', 'external/node-red/read']
])

export const isPlain = (action: string): boolean => plain.has(action)
const namesOf = (action: Action): string[] =>
  isPlain(action) ? [action] : [`${action}/all`, `${action}/assigned`]

/** Every name that the platform knows. */
export const catalogue: readonly string[] = actions.flatMap(namesOf).sort()
const known = new Set(catalogue)
export const isKnown = (name: string): boolean => known.has(name)

export type Scope = 'all' | 'assigned' | undefined

/** What a name is about; undefined if the platform does not know it. */
export function actionOf(name: string): { action: Action; scope: Scope } | undefined {
  const action = actions.find((one) => namesOf(one).includes(name))
  if (!action) return undefined
  if (isPlain(action)) return { action, scope: undefined }
  return { action, scope: name.endsWith('/all') ? 'all' : 'assigned' }
}

/** The actions by the first word of their names. */
export const groups: ReadonlyMap<string, Action[]> = Map.groupBy(
  actions,
  (action) => action.split('/')[0] ?? ''
)

export const isPattern = (text: string): boolean => {
  const levels = text.split('/')
  return (
    text !== '' &&
    levels.every((level, i) =>
      level === '#' ? i === levels.length - 1 : level === '+' || !/[+#\0]/.test(level)
    )
  )
}

/** Whether the pattern `wide` grants all that `narrow` grants. `narrow` may be a name. */
export function covers(wide: string, narrow: string): boolean {
  const want = wide.split('/')
  const have = narrow.split('/')
  for (const [i, level] of want.entries()) {
    if (level === '#') return true
    const own = have[i]
    if (own === undefined || own === '#') return false
    if (level !== '+' && level !== own) return false
  }
  return want.length === have.length
}

/** The installation that a grant names, and the rest of it. */
export function scopedTo(pattern: string): { installation_id: number; rest: string } | undefined {
  const [, id, rest] = /^(\d+)\/(.+)$/s.exec(pattern) ?? []
  return id && rest ? { installation_id: Number(id), rest } : undefined
}

/** The names that a pattern covers. With an installation in front: on that one. */
export function coveredBy(pattern: string): string[] {
  const rest = scopedTo(pattern)?.rest ?? pattern
  return catalogue.filter((name) => covers(rest, name))
}

/**
 * Whether one who has these grants may give this one to others. Whether they reach the installation
 * that it names is known to the platform alone.
 */
export function mayGive(own: Readonly<Record<string, boolean>>, pattern: string): boolean {
  const grants = Object.keys(own).filter((grant) => own[grant])
  const has = (one: string) => grants.some((grant) => !scopedTo(grant) && covers(grant, one))
  const scoped = scopedTo(pattern)
  if (scoped) {
    // On an installation of their organizations people give what they have on all of them.
    const named = grants.some((grant) => scopedTo(grant) && covers(grant, pattern))
    return named || has(scoped.rest.replace(/\/assigned$/, '/all'))
  }
  if (has(pattern)) return true
  if (pattern === 'user/list/assigned') return has('user/list')
  return pattern.endsWith('/assigned') && has(pattern.replace(/assigned$/, 'all'))
}
