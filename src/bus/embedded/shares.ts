import { unshared } from '../../lib/topic.ts'
import { TopicTree } from '../../lib/topic-tree.ts'
import type { Qos, Subscription } from './wire/packets.ts'

/** What a connection, or a kept session, has as a filter of a group. */
type Share = Pick<Subscription, 'qos' | 'rap' | 'id'>
type Member<C extends Share, K extends Share> = {
  /** Of the client. */
  name: string
  connected: C | undefined
  kept: K | undefined
}
type Members<C extends Share, K extends Share> = Map<string, Member<C, K>>
/** By name of the client. `turn` goes round, whoever joins or leaves. */
type Group<C extends Share, K extends Share> = {
  connected: Members<C, K>
  /** Kept sessions whose clients are not connected. */
  offline: Members<C, K>
  turn: { connected: Turn<C, K>; offline: Turn<C, K> }
}
type Turn<C extends Share, K extends Share> = Iterator<Member<C, K>> | undefined
/** Which filter of which client. Groups of different accounts with the same name stay apart. */
export type Place = { account: string; filter: string; name: string }
/** The members that get a message. */
export type Chosen<C, K> = { connected: C[]; kept: K[] }

/** [MQTT5 4.8.2] */
export const isShared = (filter: string): boolean => filter.startsWith('$share/')

/**
 * Shared subscriptions: of each group one member gets a message. Connected members take turns. If
 * none is connected, the kept sessions of the group do.
 */
export class Shares<C extends Share, K extends Share> {
  readonly #groups = new Map<string, Group<C, K>>()
  readonly #byFilter = new TopicTree<Group<C, K>>()

  connect(place: Place, connected: C | undefined): void {
    this.#change(place, (member) => {
      member.connected = connected
    })
  }

  keep(place: Place, kept: K | undefined): void {
    this.#change(place, (member) => {
      member.kept = kept
    })
  }

  isHeard(topic: string): boolean {
    return this.#byFilter.match(topic).length > 0
  }

  /** Undefined: the message is for no group. */
  choose(topic: string, qos: Qos): Chosen<C, K> | undefined {
    if (this.#groups.size === 0) return undefined
    const groups = this.#byFilter.match(topic)
    if (groups.length === 0) return undefined
    const chosen: Chosen<C, K> = { connected: [], kept: [] }
    for (const group of groups) {
      const member = next(group, qos)
      if (!member) continue
      const { connected, kept } = member
      if (connected) chosen.connected.push(connected)
      if (kept && kept.qos > 0 && qos > 0) chosen.kept.push(kept)
    }
    return chosen
  }

  #change({ account, filter, name }: Place, change: (member: Member<C, K>) => void): void {
    const inner = unshared(filter)
    if (inner === undefined) return
    const key = `${account}\n${filter}`
    let group = this.#groups.get(key)
    if (!group) {
      const turn = { connected: undefined, offline: undefined }
      group = { connected: new Map(), offline: new Map(), turn }
      this.#groups.set(key, group)
      this.#byFilter.add(inner, group)
    }
    const { connected, offline } = group
    const member = connected.get(name) ??
      offline.get(name) ?? { name, connected: undefined, kept: undefined }
    change(member)
    if (member.connected) connected.set(name, member)
    else connected.delete(name)
    if (member.kept && !member.connected) offline.set(name, member)
    else offline.delete(name)
    if (connected.size + offline.size > 0) return
    this.#groups.delete(key)
    this.#byFilter.remove(inner, group)
  }
}

/** The member whose turn it is. */
function next<C extends Share, K extends Share>(
  group: Group<C, K>,
  qos: Qos
): Member<C, K> | undefined {
  const which = group.connected.size > 0 ? 'connected' : 'offline'
  if (which === 'offline' && qos === 0) return undefined
  const member = group.turn[which]?.next().value
  if (member) return member
  const turn = group[which].values()
  group.turn[which] = turn
  return turn.next().value
}
