import { setTimeout as wait } from 'node:timers/promises'
import type { Accounts } from '../access/accounts.ts'
import type { Blacklist } from '../access/blacklist.ts'
import type { Directory } from '../access/directory.ts'
import type { Excess, Meter } from '../access/meter.ts'
import type { Quotas } from '../access/quotas.ts'
import type { DiskRoom, Message } from '../bus/bus.ts'
import type { Latest } from '../history/latest.ts'
import type { SampleIds } from '../history/sample-ids.ts'
import type { Spool } from '../history/spool.ts'
import type { Clock } from '../lib/clock.ts'
import { SAMPLE_BYTES, sampleBytes } from '../lib/quota.ts'
import { encodeSample, parseReading, type Refusal, type Sample } from '../lib/sample.ts'
import { clientIdOf, isObjectTopic, isWithinTopicLimits, topicExcerpt } from '../lib/topic.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'
import { SlowLane } from './slow-lane.ts'
import { SpoolRoom } from './spool-room.ts'

type Parts = {
  spool: Spool
  ids: SampleIds
  latest: Latest
  accounts: Accounts
  meter: Meter
  directory: Directory
  quotas: Quotas
  blacklist: Blacklist
  disk: DiskRoom
  metrics: Metrics
  clock: Clock
  /** Senders that share a session with others, as at an external broker, must not be slowed down. */
  hasOwnSessions: boolean
}

/** `stored` resolves for all of them at once. */
type Group = { stored: Promise<void>; samples: Sample[] }

const EXCERPT = 256
const LOOK_EVERY = SECOND / 10
const MAX_STRANGERS = 10_000
const NOTHING_TO_STORE = Promise.resolve()

/** From the bus to the spool. The promise of `accept` is the acknowledgement. */
export class Ingest {
  readonly #parts: Parts
  /** Looked for before, and nobody's: these hold up nobody while the registry is away. */
  readonly #strangers = new Set<number>()
  readonly #stopping = new AbortController()
  #looking: Promise<boolean> | undefined
  #lookPause = LOOK_EVERY
  readonly #slowLane = new SlowLane()
  readonly #room: SpoolRoom
  #group: Group = { stored: NOTHING_TO_STORE, samples: [] }

  constructor(parts: Parts) {
    this.#parts = parts
    this.#room = new SpoolRoom(parts.spool)
  }

  /** What waits for the registry is not acknowledged and comes again. */
  stop(): void {
    this.#stopping.abort()
    this.#slowLane.close()
  }

  /** Only values on object topics are kept; everything else just passes through the broker. */
  accept(message: Message, sender: string): Promise<void> {
    const { disk, blacklist } = this.#parts
    if (!isObjectTopic(message.topic)) return NOTHING_TO_STORE
    if (!isWithinTopicLimits(message.topic)) return this.refuse('topic too long', message, sender)
    if (blacklist.keepsOut(message.topic)) return this.refuse('blacklisted', message, sender)
    return disk.isEnough ? this.#admit(message, sender) : this.#hold(message, sender)
  }

  /** Counted and noted; the sender was or will be acknowledged, so a bad message blocks nobody. */
  refuse(reason: Refusal, message: Message, sender: string): Promise<void> {
    const { payload } = message
    const topic = isWithinTopicLimits(message.topic) ? message.topic : topicExcerpt(message.topic)
    const { metrics, spool, clock, disk, blacklist } = this.#parts
    metrics.refused(reason)
    const isNews = reason !== 'blacklisted' || blacklist.count(topic)
    if (!isNews || !disk.isEnough) return NOTHING_TO_STORE
    const excerpt = payload
      .subarray(0, EXCERPT * 4)
      .toString('utf8')
      .slice(0, EXCERPT)
    return spool.refuse({ created: clock(), reason, topic, sender, payload: excerpt })
  }

  #refuseOver(excess: Excess, message: Message, sender: string): Promise<void> {
    const { meter, metrics } = this.#parts
    meter.note(excess)
    if (meter.isNews(excess)) return this.refuse(excess.reason, message, sender)
    metrics.refused(excess.reason)
    return NOTHING_TO_STORE
  }

  /** [ADR-0037] A flood that is refused as fast as it comes would cost the others as much as one that is stored. */
  async #slowDown(refused: Promise<void>): Promise<void> {
    if (this.#parts.hasOwnSessions) await this.#slowLane.wait()
    return refused
  }

  #admit(message: Message, sender: string): Promise<void> {
    const { directory, quotas } = this.#parts
    const { topic, payload } = message
    const installation = directory.installationByTopic(topic)
    const tenant = installation ? quotas.tenantOf(installation) : sender
    return this.#room.enter(tenant, topic.length + payload.length, () =>
      this.#store(message, sender)
    )
  }

  #store(message: Message, sender: string): Promise<void> {
    const { spool, ids, directory, accounts, meter, clock } = this.#parts
    const { topic, payload } = message
    const clientId = clientIdOf(topic)
    if (clientId === undefined) return this.refuse('unknown client id', message, sender)
    const installation = directory.installationByClientId(clientId)
    if (!installation) return this.#lookAgain(clientId, message, sender)
    const arrival = clock()
    const place = accounts.placeOf(installation)
    const overRate = meter.takeMessage(place, arrival)
    if (overRate) return this.#slowDown(this.#refuseOver(overRate, message, sender))
    const reading = parseReading(payload, arrival)
    if (typeof reading === 'string') return this.refuse(reading, message, sender)
    const { timestamp, value, msg } = reading
    const { id: installation_id, client_id } = installation
    const id = ids.next(arrival)
    const sample = { id, installation_id, client_id, topic, timestamp, value, msg }
    const line = encodeSample(sample)
    const lineBytes = Buffer.byteLength(line)
    // Mostly there are as many bytes as characters, and nothing has to be measured twice.
    const isPlain = lineBytes === line.length
    const bytes = isPlain ? topic.length + msg.length + SAMPLE_BYTES : sampleBytes(topic, msg)
    const excess = meter.takeSample(place, { topic, timestamp, bytes }, arrival)
    if (excess) return this.#refuseOver(excess, message, sender)
    const stored = spool.append(line, id, lineBytes)
    if (stored !== this.#group.stored) this.#group = this.#newGroup(stored)
    this.#group.samples.push(sample)
    return stored
  }

  /** It may have been made on another node a moment ago: only a registry that answers can say no. */
  async #lookAgain(clientId: number, message: Message, sender: string): Promise<void> {
    const isKnown = () => this.#parts.directory.installationByClientId(clientId) !== undefined
    for (let isSure = false; !isSure && !isKnown(); ) {
      const hasLooked = await this.#look()
      if (hasLooked) this.#remember(clientId)
      isSure = hasLooked || message.qos === 0 || this.#strangers.has(clientId)
    }
    return isKnown()
      ? this.accept(message, sender)
      : this.refuse('unknown client id', message, sender)
  }

  /** Together, and not too often. Answers whether the registry did; rejects when the platform stops. */
  #look(): Promise<boolean> {
    const { signal } = this.#stopping
    this.#looking ??= wait(this.#lookPause, undefined, { signal }).then(() => {
      // Whoever comes from now on needs a look that begins after it.
      this.#looking = undefined
      return this.#parts.directory.catchUp().then(
        () => this.#looked(true),
        () => this.#looked(false)
      )
    })
    return this.#looking
  }

  #looked(isAnswered: boolean): boolean {
    this.#lookPause = isAnswered ? LOOK_EVERY : SECOND
    return isAnswered
  }

  #remember(clientId: number): void {
    if (this.#strangers.size >= MAX_STRANGERS) this.#strangers.clear()
    this.#strangers.add(clientId)
  }

  /** Samples that are stored together become the latest together, before any of them is acknowledged. */
  #newGroup(stored: Promise<void>): Group {
    const { latest, metrics, meter } = this.#parts
    const samples: Sample[] = []
    const release = () => {
      for (const { installation_id, topic } of samples) meter.release(installation_id, topic)
    }
    void stored.then(() => {
      for (const sample of samples) latest.put(sample)
      metrics.stored(samples.length)
      release()
    }, release)
    return { stored, samples }
  }

  /** QoS 0 was promised nothing and is dropped; for the others the acknowledgement waits. */
  async #hold(message: Message, sender: string): Promise<void> {
    if (message.qos === 0) return this.refuse('disk reserve', message, sender)
    await this.#parts.disk.whenEnough()
    return this.#admit(message, sender)
  }
}
