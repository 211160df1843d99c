import type { DiskRoom } from '../bus/bus.ts'
import { MAX_GROUP_SAMPLES } from '../history/spool/spool.ts'
import type { Clock } from '../lib/clock.ts'
import type { Reading, Refusal } from '../lib/sample.ts'
import { clientIdOf, isObjectTopic, isWithinTopicLimits } from '../lib/topic.ts'
import { Turns } from '../lib/turns.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { Directory } from '../permission/directory.ts'
import type { AccountPlace, Accounts } from '../quota/accounts.ts'
import type { GroupExcess, KnownTopics, Meter, QuotaExcess } from '../quota/meter.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { SpoolRoom } from './spool-room.ts'

type Parts = {
  accounts: Accounts
  meter: Meter
  directory: Directory
  blacklist: { keepsOut(topic: string): boolean }
  disk: DiskRoom
  clock: Clock
  room: SpoolRoom
  /** Resolves when all of them are stored and are the latest values. */
  append(source: InstallationRef, readings: readonly TopicReading[], arrival: UnixMs): Promise<void>
}

export type TopicReading = Reading & { topic: string }

/** Readings of one installation that came in one message or request. */
export type ReadingGroup = {
  installation_id: number
  /** At most `MAX_GROUP_SAMPLES`, on object topics with the client id. */
  readings: readonly TopicReading[]
  /**
   * How many messages they are for the quota. Over HTTP each reading is one. Readings that were
   * made from one MQTT message are one together, or none if it was counted already.
   */
  messages: number
  /** While the disk is full, wait and do not refuse. */
  waitsForDisk: boolean
}

/** Nothing of the group is stored. `at` is the place of the reading that is the reason. */
export type GroupRefusal = { reason: Refusal; at: number; excess?: QuotaExcess }

const refusalOf = (over: GroupExcess | undefined): GroupRefusal | undefined =>
  over && { reason: over.excess.reason, at: over.at, excess: over.excess }
const gone: GroupRefusal = { reason: 'unknown client id', at: 0 }
export const everyTopic: KnownTopics = { has: () => true }

/** Judges the readings of a group by the rules for single messages, and stores all or none. */
export class Together {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async accept(group: ReadingGroup): Promise<GroupRefusal | undefined> {
    const { disk, accounts, room } = this.#parts
    const { readings, installation_id, waitsForDisk } = group
    if (readings.length === 0) return undefined
    if (readings.length > MAX_GROUP_SAMPLES) throw new RangeError('too many readings together')
    if (!disk.isEnough && !waitsForDisk) return { reason: 'disk reserve', at: 0 }
    if (!disk.isEnough) await disk.whenEnough()
    const fault = await this.#faultIn(readings, installation_id)
    if (fault) return fault
    const place = accounts.findPlace(installation_id)
    if (!place) return gone
    const { tenant } = place
    const bytes = readings.reduce((sum, { topic, msg }) => sum + topic.length + msg.length, 0)
    let refused: GroupRefusal | undefined
    const store = async () => {
      refused = await this.#store(group)
    }
    if (room.isOpen(tenant)) await room.hold(tenant, bytes, store())
    else await room.wait(tenant, bytes, store)
    return refused
  }

  async #store(group: ReadingGroup): Promise<GroupRefusal | undefined> {
    const { directory, accounts, meter, clock, append } = this.#parts
    const { installation_id, readings, messages } = group
    // It may have been deleted or moved while the group waited.
    const installation = directory.installation(installation_id)
    if (!installation) return gone
    const arrival = clock()
    const place = accounts.placeOf(installation)
    const overRate = messages > 0 && meter.takeMessages(place, arrival, messages)
    if (overRate) return { reason: overRate.reason, excess: overRate, at: 0 }
    const over = meter.takeSamples(place, readings, arrival)
    const refused = over?.isUnsure
      ? await this.#takeAfterLook(place, readings, arrival)
      : refusalOf(over)
    if (refused) return refused
    await append(installation, readings, arrival)
    return undefined
  }

  async #faultIn(
    readings: readonly TopicReading[],
    installationId: number
  ): Promise<GroupRefusal | undefined> {
    const { blacklist, directory } = this.#parts
    const { client_id } = directory.installation(installationId) ?? {}
    if (client_id === undefined) return gone
    const turns = new Turns()
    for (let at = 0; at < readings.length; at++) {
      const topic = readings[at]?.topic ?? ''
      const isOwn = isObjectTopic(topic) && clientIdOf(topic) === client_id
      if (!isOwn) return { reason: 'forbidden topic', at }
      if (!isWithinTopicLimits(topic)) return { reason: 'topic too long', at }
      if (blacklist.keepsOut(topic)) return { reason: 'blacklisted', at }
      if (turns.isOver()) await turns.next()
    }
    return undefined
  }

  /** The owner may have all the topics that its quota allows. */
  async #takeAfterLook(
    before: AccountPlace,
    readings: readonly TopicReading[],
    arrival: UnixMs
  ): Promise<GroupRefusal | undefined> {
    const { accounts, meter } = this.#parts
    // While history does not answer, some topics too many are better than values that are lost.
    const topics = await meter.look(before).catch(() => everyTopic)
    const place = accounts.findPlace(before.own.id)
    if (!place) return gone
    return refusalOf(meter.takeSamples(place, readings, arrival, topics))
  }
}
