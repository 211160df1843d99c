import { setTimeout as wait } from 'node:timers/promises'
import type { DiskRoom, Message } from '../bus/bus.ts'
import type { Latest } from '../history/latest/latest.ts'
import { arrivalOf, type SampleIds } from '../history/sample-ids.ts'
import type { Spool } from '../history/spool/spool.ts'
import type { Clock } from '../lib/clock.ts'
import { SAMPLE_BYTES, sampleBytes } from '../lib/quota.ts'
import {
  encodeSample,
  parseReading,
  type Reading,
  type Refusal,
  type Sample
} from '../lib/sample.ts'
import { clientIdOf, isObjectTopic, isWithinTopicLimits, topicExcerpt } from '../lib/topic.ts'
import { SECOND, type UnixMs } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'
import type { Directory } from '../permission/directory.ts'
import { dayOf } from '../quota/account.ts'
import type { AccountPlace, Accounts } from '../quota/accounts.ts'
import type { KnownTopics, Meter, QuotaExcess } from '../quota/meter.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { Intake } from './direct-writer.ts'
import { Refusals } from './refusals.ts'
import { SpoolRoom } from './spool-room.ts'
import {
  everyTopic,
  type GroupRefusal,
  type ReadingGroup,
  Together,
  type TopicReading
} from './together.ts'

type Parts = {
  spool: Spool
  /** [ADR-0057] Where samples go instead of the spool. The ledger stays in the spool. */
  direct?: Intake | undefined
  ids: SampleIds
  latest: Latest
  accounts: Accounts
  meter: Meter
  directory: Directory
  /** `count` tells whether the ledger should show the message. */
  blacklist: { keepsOut(topic: string): boolean; count(topic: string): boolean }
  disk: DiskRoom
  metrics: Metrics
  clock: Clock
  log: { warn(fields: object, text: string): void }
}

type ReadMessage = {
  message: Message
  sender: string
  installation: InstallationRef
  reading: Reading
  arrival: UnixMs
}

/** Samples that are stored together. `stored` resolves for all of them. */
type SampleGroup = { stored: Promise<void>; samples: Sample[] }

const EXCERPT_CHARACTERS = 256
const LOOK_EVERY_MS = SECOND / 10
const MAX_UNKNOWN_CLIENT_IDS = 10_000
const NOTHING_TO_STORE = Promise.resolve()

/**
 * Brings samples from the bus to the spool, or to history. The promise of `accept` is the
 * acknowledgement.
 */
export class Ingest {
  readonly #parts: Parts
  /**
   * Client ids that the registry did not know. Their messages do not wait while the registry is
   * away.
   */
  readonly #unknownClientIds = new Set<number>()
  readonly #stopping = new AbortController()
  #looking: Promise<boolean> | undefined
  #lookPauseMs = LOOK_EVERY_MS
  readonly #intake: Intake
  readonly #room: SpoolRoom
  readonly #refusals: Refusals
  readonly #together: Together
  #handOn: (message: Message, sender: string) => Promise<void> | undefined = () => undefined
  /** When the newest sample arrived that is stored; 0 = there is none. */
  newestAt: number
  #group: SampleGroup = { stored: NOTHING_TO_STORE, samples: [] }

  constructor(parts: Parts) {
    this.#parts = parts
    this.#intake = parts.direct ?? parts.spool
    this.#room = new SpoolRoom(this.#intake)
    this.#refusals = new Refusals(parts)
    this.#together = new Together({
      ...parts,
      room: this.#room,
      append: (...readings) => this.#appendTogether(...readings)
    })
    this.newestAt = arrivalOf(parts.ids.last)
  }

  /** Messages that wait for the registry are not acknowledged, so they are sent again. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Who gets the messages that are no values; undefined: they are for nobody. */
  onOther(handOn: (message: Message, sender: string) => Promise<void> | undefined): void {
    this.#handOn = handOn
  }

  /** Only values on object topics are stored. Everything else only passes through the broker. */
  accept(message: Message, sender: string): Promise<void> {
    const { disk, blacklist } = this.#parts
    if (!isObjectTopic(message.topic)) return this.#handOn(message, sender) ?? NOTHING_TO_STORE
    if (!isWithinTopicLimits(message.topic)) return this.refuse('topic too long', message, sender)
    if (blacklist.keepsOut(message.topic)) return this.refuse('blacklisted', message, sender)
    return disk.isEnough ? this.#admit(message, sender) : this.#hold(message, sender)
  }

  /**
   * Stores all readings in one group of the spool, or none. They are the latest values when it
   * resolves. A refusal is not yet counted or recorded.
   */
  acceptTogether(group: ReadingGroup): Promise<GroupRefusal | undefined> {
    return this.#together.accept(group)
  }

  /**
   * Stores one value that was made of a message. Undefined: something is in its way, and
   * `acceptTogether` has to judge it.
   */
  acceptAtOnce(installation: InstallationRef, reading: TopicReading): Promise<void> | undefined {
    const { disk, accounts, meter, clock } = this.#parts
    const { topic } = reading
    const place = accounts.placeOf(installation)
    const isFree = disk.isEnough && this.#room.isOpen(place.tenant)
    if (!isFree || meter.isUnsure(place, topic)) return undefined
    const arrival = clock()
    if (meter.takeMessages(place, arrival)) return undefined
    const stored = this.#take({ installation, reading, arrival }, topic, place)
    return stored instanceof Promise
      ? this.#room.hold(place.tenant, topic.length, stored)
      : undefined
  }

  /** Counts and records the message that a refused group came from, as `refuse` does. */
  refuseTogether(refusal: GroupRefusal, message: Message, sender: string): Promise<void> {
    const { reason, excess } = refusal
    return excess ? this.#refuseOver(excess, message, sender) : this.refuse(reason, message, sender)
  }

  /**
   * Counts a refused message and records it. It is acknowledged, so a bad message blocks nobody.
   * The owner of the installation in the topic may see it, except if the sender is a stranger.
   * `detail` is for the ledger only.
   */
  refuse(
    reason: Refusal,
    message: Message,
    sender: string,
    { isStranger = false, detail = '' } = {}
  ): Promise<void> {
    const { payload } = message
    message.notStored = reason
    const topic = isWithinTopicLimits(message.topic) ? message.topic : topicExcerpt(message.topic)
    const { spool, clock, disk, blacklist, directory } = this.#parts
    const installationOf = () => (isStranger ? undefined : directory.installationByTopic(topic)?.id)
    this.#refusals.note(reason, sender, installationOf)
    const isNews = reason !== 'blacklisted' || blacklist.count(topic)
    if (!isNews || !disk.isEnough) return NOTHING_TO_STORE
    const excerpt = payload
      .subarray(0, EXCERPT_CHARACTERS * 4)
      .toString('utf8')
      .slice(0, EXCERPT_CHARACTERS)
    const installation_id = installationOf()
    const created = clock()
    const why = detail === '' ? reason : `${reason}: ${detail}`
    return spool.refuse({ created, reason: why, topic, sender, payload: excerpt, installation_id })
  }

  #refuseOver(excess: QuotaExcess, message: Message, sender: string): Promise<void> {
    const { meter, directory } = this.#parts
    meter.note(excess)
    message.isTooFast = excess.quota === 'messages_per_second'
    if (meter.isNews(excess)) return this.refuse(excess.reason, message, sender)
    const installationOf = () => directory.installationByTopic(message.topic)?.id
    message.notStored = excess.reason
    this.#refusals.note(excess.reason, sender, installationOf)
    return NOTHING_TO_STORE
  }

  #admit(message: Message, sender: string): Promise<void> {
    const { directory, accounts } = this.#parts
    const { topic, payload } = message
    const clientId = clientIdOf(topic)
    if (clientId === undefined) return this.refuse('unknown client id', message, sender)
    const installation = directory.installationByClientId(clientId)
    if (!installation) return this.#lookAgain(clientId, message, sender)
    const { tenant } = accounts.placeOf(installation)
    const bytes = topic.length + payload.length
    if (this.#room.isOpen(tenant)) {
      return this.#room.hold(tenant, bytes, this.#store(message, sender, installation))
    }
    return this.#room.wait(tenant, bytes, () => {
      // The installation may have been deleted or moved while the message waited.
      const known = directory.installation(installation.id)
      return known
        ? this.#store(message, sender, known)
        : this.#lookAgain(clientId, message, sender)
    })
  }

  #store(message: Message, sender: string, installation: InstallationRef): Promise<void> {
    const { accounts, meter, clock } = this.#parts
    const { topic, payload } = message
    const arrival = clock()
    const place = accounts.placeOf(installation)
    const overRate = meter.takeMessages(place, arrival)
    if (overRate) return this.#refuseOver(overRate, message, sender)
    const reading = parseReading(payload, arrival)
    if (typeof reading === 'string') return this.refuse(reading, message, sender)
    const read = { message, sender, installation, reading, arrival }
    if (meter.isUnsure(place, topic)) return this.#appendAfterLook(read, place)
    return this.#append(read, place)
  }

  /** The owner may have all the topics that its quota allows. */
  async #appendAfterLook(read: ReadMessage, before: AccountPlace): Promise<void> {
    const { accounts, meter } = this.#parts
    // While history does not answer, some topics too many are better than values that are lost.
    const topics = await meter.look(before).catch(() => everyTopic)
    const place = accounts.findPlace(before.own.id)
    // Without a place, the installation was deleted meanwhile.
    return place ? this.#append(read, place, topics) : this.accept(read.message, read.sender)
  }

  #append(read: ReadMessage, place: AccountPlace, topics?: KnownTopics): Promise<void> {
    const { message, sender } = read
    const taken = this.#take(read, message.topic, place, topics)
    return taken instanceof Promise ? taken : this.#refuseOver(taken, message, sender)
  }

  #take(
    { installation, reading, arrival }: Pick<ReadMessage, 'installation' | 'reading' | 'arrival'>,
    topic: string,
    place: AccountPlace,
    topics?: KnownTopics
  ): Promise<void> | QuotaExcess {
    const { ids, meter } = this.#parts
    const { timestamp, value, msg } = reading
    const { id: installation_id, client_id } = installation
    const id = ids.next(arrival)
    const sample = { id, installation_id, client_id, topic, timestamp, value, msg }
    const line = encodeSample(sample)
    const lineBytes = Buffer.byteLength(line)
    // Mostly each character is one byte. Then the texts need not be measured again.
    const isPlain = lineBytes === line.length
    const bytes = isPlain ? topic.length + msg.length + SAMPLE_BYTES : sampleBytes(topic, msg)
    const excess = meter.takeSample(place, { topic, timestamp, bytes }, arrival, topics)
    if (excess) return excess
    const stored = this.#intake.append(line, id, lineBytes)
    if (stored !== this.#group.stored) this.#group = this.#newGroup(stored)
    this.#group.samples.push(sample)
    return stored
  }

  #appendTogether(
    { id: installation_id, client_id }: InstallationRef,
    readings: readonly TopicReading[],
    arrival: UnixMs
  ): Promise<void> {
    const { ids } = this.#parts
    const first = ids.take(readings.length, arrival)
    const samples = readings.map(({ topic, timestamp, value, msg }, i) => {
      return { id: first + i, installation_id, client_id, topic, timestamp, value, msg }
    })
    const lines = samples.map(encodeSample).join('')
    const group = { count: samples.length, lastId: ids.last, bytes: Buffer.byteLength(lines) }
    const stored = this.#intake.appendTogether(lines, group)
    if (stored !== this.#group.stored) this.#group = this.#newGroup(stored)
    for (const sample of samples) this.#group.samples.push(sample)
    return stored
  }

  /**
   * The installation may be new and from another node. Only a registry that answers can say that
   * there is none.
   */
  async #lookAgain(clientId: number, message: Message, sender: string): Promise<void> {
    const isKnown = () => this.#parts.directory.installationByClientId(clientId) !== undefined
    for (let isSure = false; !isSure && !isKnown(); ) {
      const hasLooked = await this.#look()
      if (hasLooked) this.#remember(clientId)
      isSure = hasLooked || message.qos === 0 || this.#unknownClientIds.has(clientId)
    }
    return isKnown()
      ? this.accept(message, sender)
      : this.refuse('unknown client id', message, sender)
  }

  /**
   * Callers share one look, and there is a pause before it. Resolves with whether the registry
   * answered; rejects if the platform stops.
   */
  #look(): Promise<boolean> {
    const { signal } = this.#stopping
    this.#looking ??= wait(this.#lookPauseMs, undefined, { signal }).then(() => {
      // A message that comes from now on needs a look that begins later.
      this.#looking = undefined
      return this.#parts.directory.catchUp().then(
        () => this.#looked(true),
        () => this.#looked(false)
      )
    })
    return this.#looking
  }

  #looked(isAnswered: boolean): boolean {
    this.#lookPauseMs = isAnswered ? LOOK_EVERY_MS : SECOND
    return isAnswered
  }

  #remember(clientId: number): void {
    if (this.#unknownClientIds.size >= MAX_UNKNOWN_CLIENT_IDS) this.#unknownClientIds.clear()
    this.#unknownClientIds.add(clientId)
  }

  /**
   * Samples that are stored together become the latest values together, before any of them is
   * acknowledged.
   */
  #newGroup(stored: Promise<void>): SampleGroup {
    const { latest, direct, metrics, meter, clock } = this.#parts
    const samples: Sample[] = []
    const release = (isStored: boolean) => {
      for (const { installation_id, topic } of samples)
        meter.release(installation_id, topic, { isStored })
    }
    const giveUp = () => {
      release(false)
      for (const sample of samples) this.#giveBack(sample)
    }
    const isPending = direct === undefined
    void stored.then(() => {
      latest.put(samples, { isPending })
      metrics.stored(samples.length)
      this.newestAt = clock()
      release(true)
    }, giveUp)
    return { stored, samples }
  }

  /** It was charged but not stored. Its sender sends it again, and it is charged then. */
  #giveBack({ id, installation_id, topic, timestamp, msg }: Sample): void {
    const { accounts, meter, directory } = this.#parts
    const installation = directory.installation(installation_id)
    if (!installation) return
    const month = meter.monthAt(timestamp)
    const bytes = -sampleBytes(topic, msg)
    meter.charge(accounts.placeOf(installation), month, bytes, dayOf(arrivalOf(id)))
  }

  /**
   * QoS 0 promises nothing, so the message is dropped. For the others the acknowledgement waits.
   */
  async #hold(message: Message, sender: string): Promise<void> {
    if (message.qos === 0) return this.refuse('disk reserve', message, sender)
    await this.#parts.disk.whenEnough()
    return this.#admit(message, sender)
  }
}
