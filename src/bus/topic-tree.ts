type Branch<T> = { branches: Map<string, Branch<T>>; values: Set<T> }

const newBranch = <T>(): Branch<T> => ({ branches: new Map(), values: new Set() })

/** Values under topic filters. A match costs what the topic has levels, not what the tree holds. */
export class TopicTree<T> {
  readonly #root: Branch<T> = newBranch()

  add(filter: string, value: T): void {
    let branch = this.#root
    for (const level of filter.split('/')) {
      let next = branch.branches.get(level)
      if (!next) {
        next = newBranch()
        branch.branches.set(level, next)
      }
      branch = next
    }
    branch.values.add(value)
  }

  remove(filter: string, value: T): void {
    prune(this.#root, filter.split('/'), 0, value)
  }

  match(topic: string): T[] {
    const found: T[] = []
    if (this.#root.branches.size === 0) return found
    collect(this.#root, topic.split('/'), 0, found)
    return found
  }
}

/** True when the branch is left empty. */
function prune<T>(branch: Branch<T>, levels: string[], depth: number, value: T): boolean {
  const level = levels[depth]
  if (level === undefined) branch.values.delete(value)
  else {
    const next = branch.branches.get(level)
    if (next && prune(next, levels, depth + 1, value)) branch.branches.delete(level)
  }
  return branch.values.size === 0 && branch.branches.size === 0
}

function collect<T>(branch: Branch<T>, levels: string[], depth: number, found: T[]): void {
  const level = levels[depth]
  // [MQTT 4.7.2-1] a leading wildcard does not reach topics that begin with `$`.
  const wild = depth > 0 || !level?.startsWith('$')
  const rest = wild && branch.branches.get('#')
  if (rest) for (const value of rest.values) found.push(value)
  if (level === undefined) {
    for (const value of branch.values) found.push(value)
    return
  }
  const same = branch.branches.get(level)
  if (same) collect(same, levels, depth + 1, found)
  const any = wild && branch.branches.get('+')
  if (any) collect(any, levels, depth + 1, found)
}
