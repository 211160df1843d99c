import type { IdentityChange } from '../identity/identity-change.ts'
import { Rounds } from '../lib/rounds.ts'
import { clientIdOf } from '../lib/topic.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { SECOND } from '../lib/unix-time.ts'
import { endsWithin, within } from '../lib/within.ts'
import { CHANGES_KEPT_MS, changesSince, lastChange } from '../registry/changes.ts'
import {
  assignedUsers,
  clientIdOfInstallation,
  type InstallationRef,
  idOfClientId,
  readAllInstallationRefs,
  readInstallationRefs
} from '../registry/installations.ts'
import type { ChangeKind, Registry } from '../registry/tables.ts'
import { InstallationTable } from './installation-table.ts'

const READ_TIMEOUT_MS = 4 * SECOND
const MAX_WAIT_MS = SECOND

/**
 * Every installation in its shortest form, in memory, 24 bytes each: MQTT looks one up for each
 * message and each delivery and cannot wait. The registry's list of changes, which all nodes read,
 * keeps it current.
 */
export class Directory {
  readonly #registry: Registry
  readonly #now: () => number
  #table = new InstallationTable()
  readonly #listeners: ((change: IdentityChange | undefined) => void)[] = []
  readonly #removalListeners: ((id: number) => void)[] = []
  readonly #moveListeners: ((ref: InstallationRef) => void)[] = []
  readonly #blacklistListeners: (() => Promise<void>)[] = []
  readonly #quotaListeners: (() => Promise<void>)[] = []
  readonly #mappingListeners: InstallationsListener[] = []
  readonly #ruleListeners: InstallationsListener[] = []
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
    const organization_id = this.#table.organizationOf(id)
    return organization_id === undefined ? undefined : refOf(id, organization_id)
  }

  installationByClientId(clientId: number): InstallationRef | undefined {
    return this.installation(idOfClientId(clientId))
  }

  /** Takes a topic, or a filter without a wildcard in its first level. */
  installationByTopic(topic: string): InstallationRef | undefined {
    return this.installationByClientId(clientIdOf(topic) ?? 0)
  }

  *inOrganizations(organizations: Iterable<number>): Generator<InstallationRef> {
    for (const organization of organizations) {
      for (const id of this.#table.inOrganization(organization)) yield refOf(id, organization)
    }
  }

  /** By id. */
  *installations(): Generator<InstallationRef> {
    for (const id of this.#table.ids()) yield refOf(id, this.#table.organizationOf(id) ?? 0)
  }

  /** Whether all installations belong to these organizations. */
  isWithin(organizations: ReadonlySet<number>): boolean {
    for (const id of this.#table.organizations()) if (!organizations.has(id)) return false
    return true
  }

  get size(): number {
    return this.#table.size
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

  /** Called after mappings of these installations changed. The directory waits for the listener. */
  onMappingChange(listener: InstallationsListener): void {
    this.#mappingListeners.push(listener)
  }

  /** The same for rules. */
  onRuleChange(listener: InstallationsListener): void {
    this.#ruleListeners.push(listener)
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
    await tell(this.#mappingListeners, installationsOf(changes, 'mapping'))
    await tell(this.#ruleListeners, installationsOf(changes, 'rule'))
    const others = changes.filter(({ kind }) => !knownKinds.has(kind))
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
    const table = new InstallationTable()
    for await (const refs of readAllInstallationRefs(this.#registry)) {
      for (const { id, organization_id } of refs) table.put(id, organization_id)
    }
    await Promise.all(this.#waits)
    const before = this.#table
    this.#table = table
    const gone = [...before.ids()].filter((id) => table.organizationOf(id) === undefined)
    const moved = [...before.ids()].flatMap((id) => {
      const now = table.organizationOf(id)
      return now === undefined || now === before.organizationOf(id) ? [] : [refOf(id, now)]
    })
    for (const listener of this.#blacklistListeners) await listener()
    for (const listener of this.#quotaListeners) await listener()
    await tell(this.#mappingListeners, 'all')
    await tell(this.#ruleListeners, 'all')
    this.#seq = seq
    this.#readAt = startedAt
    this.#tellRemoved(gone)
    this.#tellMoved(moved)
    this.#tellIdentity(undefined)
  }

  async #readAgain(ids: readonly number[]): Promise<void> {
    const refs = await readInstallationRefs(this.#registry, ids)
    const moved = refs.filter((ref) => this.#isElsewhere(ref))
    for (const id of ids) this.#table.delete(id)
    for (const { id, organization_id } of refs) this.#table.put(id, organization_id)
    this.#tellMoved(moved)
    this.#tellRemoved(ids.filter((id) => this.#table.organizationOf(id) === undefined))
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
    const before = this.#table.organizationOf(id)
    return before !== undefined && before !== organization_id
  }

  #tellMoved(refs: readonly InstallationRef[]): void {
    for (const ref of refs) {
      for (const listener of this.#moveListeners) listener(ref)
    }
  }
}

/** What is not about callers and their permissions. */
const knownKinds: ReadonlySet<ChangeKind> = new Set([
  ...(['installation', 'blacklist', 'quota'] as const),
  ...(['installation_mapping', 'organization_mapping'] as const),
  ...(['installation_rule', 'organization_rule'] as const)
])

type Installations = readonly number[] | 'all'
type InstallationsListener = (installations: Installations) => Promise<void>

/** The installations whose own things changed; `all` if those of an organization did. */
function installationsOf(
  changes: readonly { kind: ChangeKind; ref: number }[],
  what: 'mapping' | 'rule'
): Installations {
  if (changes.some(({ kind }) => kind === `organization_${what}`)) return 'all'
  const own = changes.filter(({ kind }) => kind === `installation_${what}`)
  return [...new Set(own.map(({ ref }) => ref))]
}

async function tell(
  listeners: readonly InstallationsListener[],
  installations: Installations
): Promise<void> {
  if (installations.length === 0) return
  for (const listener of listeners) await listener(installations)
}

const refOf = (id: number, organization_id: number): InstallationRef => ({
  id,
  client_id: clientIdOfInstallation(id),
  organization_id
})

/** Gives up on a silent connection, so that revoked rights end soon. The next run uses another one. */
const inTime = <T>(reading: Promise<T>): Promise<T> =>
  within(READ_TIMEOUT_MS, reading, () => new Unavailable('the registry does not answer'))
