import { clientIdOf, filterCovers, topicMatches } from '../lib/topic.ts'

const MAX_REMEMBERED_NAMES = 500

/**
 * [contract: Permissions map] Explicit grants; a permission that no grant covers is false.
 * [ADR-0006]
 */
export class Grants {
  readonly #patterns: string[] = []
  /** Patterns that begin with an installation id apply to that installation only. */
  readonly #prefixed = new Map<number, string[]>()
  readonly #known = new Map<string, boolean>()

  static of(names: readonly string[]): Grants {
    return new Grants(Object.fromEntries(names.map((name) => [name, true])))
  }

  constructor(permissions: Readonly<Record<string, boolean>>) {
    for (const [pattern, granted] of Object.entries(permissions)) {
      if (granted !== true) continue
      const installationId = clientIdOf(pattern)
      if (installationId === undefined) this.#patterns.push(pattern)
      else
        this.#prefixed.set(installationId, [...(this.#prefixed.get(installationId) ?? []), pattern])
    }
  }

  covers(name: string): boolean {
    let known = this.#known.get(name)
    if (known === undefined) {
      known = this.#patterns.some((pattern) => topicMatches(pattern, name))
      // Callers choose some names, so the number of remembered ones is limited.
      if (this.#known.size < MAX_REMEMBERED_NAMES) this.#known.set(name, known)
    }
    return known
  }

  /**
   * True if these grants cover everything that the pattern grants. A right on all installations
   * includes the assigned ones, and the right to see all users includes the assigned ones.
   */
  coversPattern(pattern: string): boolean {
    const has = (name: string) => this.#patterns.some((own) => filterCovers(own, name))
    if (has(pattern)) return true
    if (!pattern.endsWith('/assigned')) return false
    const opensUsers = topicMatches(pattern, 'user/list/assigned')
    if (opensUsers && !has('user/list/assigned') && !has('user/list')) return false
    return pattern === 'user/list/assigned' || has(pattern.replace(/assigned$/, 'all'))
  }

  /** The same for a pattern that names an installation; only grants that name it too are used. */
  coversPatternIn(installationId: number, pattern: string): boolean {
    return (this.#prefixed.get(installationId) ?? []).some((own) => filterCovers(own, pattern))
  }

  /** True with a grant such as `12/functionx/#`, in whichever organization installation 12 is. */
  coversIn(installationId: number, action: string): boolean {
    const patterns = this.#prefixed.get(installationId)
    if (!patterns) return false
    return [`${installationId}/${action}/all`, `${installationId}/${action}/assigned`].some(
      (name) => patterns.some((pattern) => topicMatches(pattern, name))
    )
  }

  /**
   * The types that names such as `functionx/zwave/view` grant on an installation. Grants that name
   * the installation always count; the others count if it is visible.
   */
  types(
    resource: string,
    verb: string,
    { id, isVisible }: { id: number; isVisible: boolean }
  ): 'all' | ReadonlySet<string> {
    const named = (this.#prefixed.get(id) ?? []).map((pattern) => pattern.replace(/^\d+\//, ''))
    const types = new Set<string>()
    for (const pattern of isVisible ? [...this.#patterns, ...named] : named) {
      const type = typeIn(pattern.split('/'), resource, verb)
      if (type === '+') return 'all'
      if (type !== undefined) types.add(type)
    }
    return types
  }

  /** All patterns, as they were written. */
  get patterns(): readonly string[] {
    return [...this.#patterns, ...[...this.#prefixed.values()].flat()]
  }

  get installationIds(): Iterable<number> {
    return this.#prefixed.keys()
  }
}

/** Words at the place of the type in names that are not about types. */
const isNoType = (word: string): boolean =>
  ['#', 'list', 'create_delete', 'update', 'edit', 'view'].includes(word)

/** The type that a pattern grants; `+` means every type. */
function typeIn(levels: readonly string[], resource: string, verb: string): string | undefined {
  const [first, type = '', last = '', ...more] = levels
  if (first === '#') return '+'
  if (first !== '+' && first !== resource) return undefined
  if (type === '#' && last === '') return '+'
  if (more.length > 1 || (more.length === 1 && more[0] !== '#')) return undefined
  const isVerb = last === verb || last === '+' || last === '#'
  return isVerb && !isNoType(type) ? type : undefined
}
