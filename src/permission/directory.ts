import type { IdentityChange } from '../identity/identity-change.ts'
import { Rounds } from '../lib/rounds.ts'
import { clientIdOf } from '../lib/topic.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { SECOND } from '../lib/unix-time.ts'
import { endsWithin, within } from '../lib/within.ts'
import { CHANGES_KEPT_MS, changesSince, lastChange } from '../registry/changes.ts'
import {
  assignedUsers,
  type InstallationRef,
  readInstallationRefs
} from '../registry/installations.ts'
import type { ChangeKind, Registry } from '../registry/tables.ts'

const READ_TIMEOUT_MS = 4 * SECOND
const MAX_WAIT_MS = SECOND

/**
 * Every installation in its shortest form, in memory: MQTT looks one up for each message and each
 * delivery and cannot wait. The registry's list of changes, which all nodes read, keeps it current.
 */
export class Directory {
  readonly #registry: Registry
  readonly #now: () => number
  readonly #byId = new Map<number, InstallationRef>()
  readonly #byClientId = new Map<number, InstallationRef>()
  readonly #byOrganization = new Map<number, Map<number, InstallationRef>>()
  readonly #listeners: ((change: IdentityChange | undefined) => void)[] = []
  readonly #removalListeners: ((id: number) => void)[] = []
  readonly #moveListeners: ((ref: InstallationRef) => void)[] = []
  readonly #blacklistListeners: (() => Promise<void>)[] = []
  readonly #quotaListeners: (() => Promise<void>)[] = []
  #seq = 0
  readonly #runs = new Rounds(() => this.#readOn())
  #readAt = 0
  readonly #waits = new Set<Promise<unknown>>()

  /** `now` must be a clock that runs on while the machine sleeps. */
  static async open(registry: Registry, now: () => number = Date.now): Promise<Directory> {
    const directory = new Directory(registry, now)
    await directory.#readAll()
    return directory
  }

  private constructor(registry: Registry, now: () => number) {
    this.#registry = registry
    this.#now = now
  }

  installation(id: number): InstallationRef | undefined {
    return this.#byId.get(id)
  }

  installationByClientId(clientId: number): InstallationRef | undefined {
    return this.#byClientId.get(clientId)
  }

  /** Takes a topic, or a filter without a wildcard in its first level. */
  installationByTopic(topic: string): InstallationRef | undefined {
    return this.#byClientId.get(clientIdOf(topic) ?? 0)
  }

  *inOrganizations(ids: Iterable<number>): Generator<InstallationRef> {
    for (const id of ids) yield* this.#byOrganization.get(id)?.values() ?? []
  }

  installations(): Iterable<InstallationRef> {
    return this.#byId.values()
  }

  /** Whether all installations belong to these organizations. */
  isWithin(organizations: ReadonlySet<number>): boolean {
    return [...this.#byOrganization.keys()].every((id) => organizations.has(id))
  }

  get size(): number {
    return this.#byId.size
  }

  /**
   * Called after users, roles, tokens, organizations or assignments changed; undefined means all.
   */
  onIdentityChange(listener: (change: IdentityChange | undefined) => void): void {
    this.#listeners.push(listener)
  }

  /** Called after an installation was deleted, on any node. */
  onRemoved(listener: (id: number) => void): void {
    this.#removalListeners.push(listener)
  }

  /** Called after an installation moved to another organization. */
  onMoved(listener: (ref: InstallationRef) => void): void {
    this.#moveListeners.push(listener)
  }

  /** Called after the topic blacklist changed. The directory waits for the listener. */
  onBlacklistChange(listener: () => Promise<void>): void {
    this.#blacklistListeners.push(listener)
  }

  /**
   * Called after quotas or the tree of organizations changed. The directory waits for the listener.
   */
  onQuotaChange(listener: () => Promise<void>): void {
    this.#quotaListeners.push(listener)
  }

  /** Reads the changes since the last time. A call during a run waits for the next run. */
  catchUp(): Promise<void> {
    return this.#runs.ask()
  }

  /**
   * Changes are not applied before `work` has ended, or a second has passed. It is called before
   * the commit, so a run that reads the change knows about the work.
   */
  waitFor(work: Promise<unknown>): void {
    const wait = endsWithin(MAX_WAIT_MS, work).finally(() => this.#waits.delete(wait))
    this.#waits.add(wait)
  }

  async #readOn(): Promise<void> {
    const startedAt = this.#now()
    if (startedAt - this.#readAt > CHANGES_KEPT_MS / 2) {
      await this.#readAll()
      return
    }
    const changes = await inTime(changesSince(this.#registry, this.#seq))
    await Promise.all(this.#waits)
    this.#readAt = startedAt
    const last = changes.at(-1)
    if (!last) return
    const changed = changes.filter(({ kind }) => kind === 'installation')
    if (changed.length > 0) await this.#readAgain([...new Set(changed.map(({ ref }) => ref))])
    if (changes.some(({ kind }) => kind === 'blacklist')) {
      for (const listener of this.#blacklistListeners) await listener()
    }
    if (changes.some(({ kind }) => kind === 'quota')) {
      for (const listener of this.#quotaListeners) await listener()
    }
    const known = ['installation', 'blacklist', 'quota']
    const others = changes.filter(({ kind }) => !known.includes(kind))
    const identity = await this.#identityChangeOf(others)
    this.#seq = last.seq
    if (others.length > 0) this.#tellIdentity(identity)
  }

  /**
   * Reads everything: at the start, and when the list of changes may no longer reach back so far.
   */
  async #readAll(): Promise<void> {
    const startedAt = this.#now()
    const seq = await lastChange(this.#registry)
    const refs = await readInstallationRefs(this.#registry)
    await Promise.all(this.#waits)
    const known = new Set(refs.map(({ id }) => id))
    const gone = [...this.#byId.keys()].filter((id) => !known.has(id))
    const moved = refs.filter((ref) => this.#isElsewhere(ref))
    for (const id of [...this.#byId.keys()]) this.#drop(id)
    for (const ref of refs) this.#put(ref)
    for (const listener of this.#blacklistListeners) await listener()
    for (const listener of this.#quotaListeners) await listener()
    this.#seq = seq
    this.#readAt = startedAt
    this.#tellRemoved(gone)
    this.#tellMoved(moved)
    this.#tellIdentity(undefined)
  }

  async #readAgain(ids: readonly number[]): Promise<void> {
    const refs = await readInstallationRefs(this.#registry, ids)
    const moved = refs.filter((ref) => this.#isElsewhere(ref))
    for (const id of ids) this.#drop(id)
    for (const ref of refs) this.#put(ref)
    this.#tellMoved(moved)
    this.#tellRemoved(ids.filter((id) => !this.#byId.has(id)))
  }

  /** Undefined if this version does not know the kind of a change: it may concern any caller. */
  async #identityChangeOf(
    changes: readonly { kind: ChangeKind; ref: number }[]
  ): Promise<IdentityChange | undefined> {
    const found = {
      users: new Set<number>(),
      roles: new Set<number>(),
      organizations: new Set<number>(),
      trees: new Set<number>(),
      assignments: new Set<number>(),
      gateways: new Set<number>()
    }
    for (const { kind, ref } of changes) {
      const ids = found[`${kind}s` as keyof typeof found]
      if (!ids) return undefined
      ids.add(ref)
    }
    if (found.assignments.size === 0) return found
    // Principals that had the assignment show it. Users who just got it must be looked up.
    const assigned = await inTime(assignedUsers(this.#registry, [...found.assignments]))
    return { ...found, users: new Set([...found.users, ...assigned]) }
  }

  #tellIdentity(change: IdentityChange | undefined): void {
    for (const listener of this.#listeners) listener(change)
  }

  #tellRemoved(ids: readonly number[]): void {
    for (const id of ids) {
      for (const listener of this.#removalListeners) listener(id)
    }
  }

  #isElsewhere({ id, organization_id }: InstallationRef): boolean {
    const before = this.#byId.get(id)
    return before !== undefined && before.organization_id !== organization_id
  }

  #tellMoved(refs: readonly InstallationRef[]): void {
    for (const ref of refs) {
      for (const listener of this.#moveListeners) listener(ref)
    }
  }

  #put(ref: InstallationRef): void {
    this.#byId.set(ref.id, ref)
    this.#byClientId.set(ref.client_id, ref)
    const others = this.#byOrganization.get(ref.organization_id) ?? new Map()
    this.#byOrganization.set(ref.organization_id, others.set(ref.id, ref))
  }

  #drop(id: number): void {
    const ref = this.#byId.get(id)
    if (!ref) return
    this.#byId.delete(id)
    this.#byClientId.delete(ref.client_id)
    const others = this.#byOrganization.get(ref.organization_id)
    others?.delete(id)
    if (others?.size === 0) this.#byOrganization.delete(ref.organization_id)
  }
}

/** Gives up on a silent connection, so that revoked rights end soon. The next run uses another one. */
const inTime = <T>(reading: Promise<T>): Promise<T> =>
  within(READ_TIMEOUT_MS, reading, () => new Unavailable('the registry does not answer'))
