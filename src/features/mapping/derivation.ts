import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus, Message } from '../../bus/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import { commandValue } from '../../lib/mapping/mapping.ts'
import type { DerivedValue, Refused } from '../../lib/mapping/rule.ts'
import { clientIdOf, everyBrokerTakes, isWithinTopicLimits } from '../../lib/topic.ts'
import { SECOND, toSeconds } from '../../lib/unix-time.ts'
import { endsWithin } from '../../lib/within.ts'
import type { Directory } from '../../permission/directory.ts'
import type { Accounts } from '../../quota/accounts.ts'
import type { Meter } from '../../quota/meter.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import type { Ingest } from '../../samples/ingest.ts'
import type { TopicReading } from '../../samples/together.ts'
import type { MappedFunctions } from './functions.ts'
import type { LastMessages } from './last-messages.ts'
import type { Mappings } from './mappings.ts'
import { type ActiveMapping, type MappingsOf, type ReadMessage, readMessage } from './reading.ts'
import type { WriteTopics } from './write-topics.ts'

type Parts = {
  mappings: Mappings
  lastMessages: LastMessages
  functions: MappedFunctions
  writeTopics: WriteTopics
  ingest: Pick<Ingest, 'acceptAtOnce' | 'acceptTogether' | 'refuseTogether' | 'refuse'>
  directory: Directory
  blacklist: { keepsOut(topic: string): boolean; count(topic: string): boolean }
  accounts: Accounts
  meter: Meter
  bus: () => Pick<Bus, 'publish' | 'isHeard'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'error'>
  /** Messages come back from an external broker, also those of schedules. */
  isExternal: boolean
}

const COMMANDS = 'set/'
const RETRY_MS = SECOND
/** The values are stored already, so a slow registry does not hold up their acknowledgement. */
const MAKE_LIMIT_MS = 2 * SECOND
/** Of one message. More mappings that fail would push out everything else. */
const MAX_LEDGER_LINES = 5
const MAX_NAME_CHARACTERS = 100

/**
 * Makes values of messages that are none, and messages of a make of values that somebody writes.
 * [ADR-0063]
 */
export class Derivation {
  readonly #parts: Parts
  readonly #stopping = new AbortController()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** The promise is the acknowledgement. Undefined: the message is not for a mapping. */
  accept(message: Message, sender: string): Promise<void> | undefined {
    const { mappings, lastMessages, directory, clock } = this.#parts
    if (message.payload.length === 0) return undefined
    const clientId = clientIdOf(message.topic)
    const installation = clientId && directory.installationByClientId(clientId)
    if (!installation) return undefined
    lastMessages.keep(installation.id, message.topic, message.payload, clock())
    if (!mappings.isUsed) return undefined
    const known = mappings.known(installation.id)
    if (known === null) return undefined
    return known
      ? this.#handle(message, sender, { installation, of: known })
      : this.#readFirst(message, sender, installation)
  }

  /** Waits while the registry does not answer; messages with QoS 0 do not. */
  async #readFirst(message: Message, sender: string, installation: InstallationRef): Promise<void> {
    const { mappings } = this.#parts
    const { signal } = this.#stopping
    let of = await mappings.read(installation.id).catch(() => undefined)
    while (of === undefined && message.qos > 0) {
      await wait(RETRY_MS, undefined, { signal })
      of = await mappings.read(installation.id).catch(() => undefined)
    }
    if (of) await this.#handle(message, sender, { installation, of })
  }

  #handle(
    message: Message,
    sender: string,
    { installation, of }: { installation: InstallationRef; of: MappingsOf }
  ): Promise<void> | undefined {
    const { topic, payload } = message
    if (!isWithinTopicLimits(topic)) return undefined
    const rest = topic.slice(topic.indexOf('/') + 1)
    if (rest.startsWith(COMMANDS)) {
      const isSeenTwice = this.#parts.isExternal && sender === 'schedule'
      return isSeenTwice ? undefined : this.#command(message, rest, { installation, of })
    }
    const read = readMessage(of, { topic: rest, payload }, this.#parts.clock())
    if (read.outcomes.length === 0 && read.messages === 1) return undefined
    return (
      this.#storeOne(message, installation, read) ??
      this.#store(message, sender, { installation, read })
    )
  }

  /** Most messages have one value, and nothing is in its way. Undefined: `#store` decides. */
  #storeOne(
    { topic: from, qos }: Message,
    installation: InstallationRef,
    read: ReadMessage
  ): Promise<void> | undefined {
    const { ingest, blacklist, functions } = this.#parts
    const [{ by, outcome } = {}, ...more] = read.outcomes
    const [value, ...others] = outcome?.values ?? []
    const isOne = more.length + others.length === 0 && read.messages === 1
    if (!value || !isOne || blacklist.keepsOut(from)) return undefined
    const reading = readingOf(installation, value)
    if (blacklist.keepsOut(reading.topic)) return undefined
    const stored = ingest.acceptAtOnce(installation, reading)
    const shown = functions.missing(installation.id, by?.create_missing ? [value] : [])
    // Without listeners and new functions the acknowledgement needs no further step.
    if (!stored || (shown.length === 0 && this.#parts.bus().isHeard?.(reading.topic) === false)) {
      return stored
    }
    return stored.then(() => this.#tell(installation, [reading], shown, qos))
  }

  async #store(
    message: Message,
    sender: string,
    { installation, read }: { installation: InstallationRef; read: ReadMessage }
  ): Promise<void> {
    const { ingest, blacklist, accounts, meter, clock } = this.#parts
    const { outcomes, messages } = read
    const failed = outcomes.filter(({ outcome }) => outcome.refused.length > 0)
    const readings = this.#readingsOf(installation, outcomes)
    if (outcomes.length > 0 && blacklist.keepsOut(message.topic)) {
      await ingest.refuse('blacklisted', message, sender)
      return
    }
    if (readings.length === 0) {
      // A flood of messages that fail, or that many mappings look at, is slowed down like any other.
      const excess = meter.takeMessages(accounts.placeOf(installation), clock(), messages)
      if (excess) {
        await ingest.refuseTogether({ reason: excess.reason, excess, at: 0 }, message, sender)
        return
      }
    }
    await Promise.all(
      failed.slice(0, MAX_LEDGER_LINES).map(({ by, outcome }) => {
        const detail = detailOf(by, outcome.refused[0])
        return ingest.refuse('mapping failed', message, sender, { detail })
      })
    )
    if (readings.length === 0) return
    const refusal = await ingest.acceptTogether({
      ...{ installation_id: installation.id, readings, messages },
      waitsForDisk: message.qos > 0
    })
    if (refusal) {
      await ingest.refuseTogether(refusal, message, sender)
      return
    }
    const shown = outcomes.flatMap(({ by, outcome }) => (by.create_missing ? outcome.values : []))
    await this.#tell(installation, readings, shown, message.qos)
  }

  /** Without what the blacklist keeps out. */
  #readingsOf(installation: InstallationRef, outcomes: ReadMessage['outcomes']): TopicReading[] {
    const { blacklist } = this.#parts
    const readings: TopicReading[] = []
    for (const { outcome } of outcomes) {
      for (const value of outcome.values) {
        const reading = readingOf(installation, value)
        if (blacklist.keepsOut(reading.topic)) blacklist.count(reading.topic)
        else readings.push(reading)
      }
    }
    return readings
  }

  /**
   * Publishes the readings, and makes functions for those in `shown` that have none. The values are
   * stored, so a failure must not make the sender repeat them.
   */
  #tell(
    installation: InstallationRef,
    readings: readonly TopicReading[],
    shown: readonly DerivedValue[],
    qos: Message['qos']
  ): Promise<void> {
    const { accounts, functions, log } = this.#parts
    const { tenant } = accounts.placeOf(installation)
    const bus = this.#parts.bus()
    const failed = (err: Error) => log.error({ err }, 'a value of a mapping could not be published')
    const work = readings.map(({ topic, value, timestamp }) => {
      const payload = `{"value":${value},"timestamp":${toSeconds(timestamp)},"msg":""}`
      return bus.publish(topic, payload, { qos, tenant, isStored: true }).catch(failed)
    })
    const missing = functions.missing(installation.id, shown)
    if (missing.length > 0) work.push(this.#makeFunctions(installation, missing))
    const [only] = work
    return only && work.length === 1 ? only : Promise.all(work).then(() => {})
  }

  async #makeFunctions(
    installation: InstallationRef,
    missing: readonly DerivedValue[]
  ): Promise<void> {
    const { functions, log } = this.#parts
    const made = functions
      .make(installation, missing)
      .catch((err) => log.error({ err }, 'the functions of a mapping could not be made'))
    await endsWithin(MAKE_LIMIT_MS, made)
  }

  /** The topics of functions that mappings made say what to send. Others are looked up. */
  #command(
    message: Message,
    rest: string,
    { installation, of }: { installation: InstallationRef; of: MappingsOf }
  ): Promise<void> | undefined {
    const value = of.hasMake ? commandValue(message.payload) : undefined
    if (value === undefined) return undefined
    const send = (objectTopic: string) =>
      this.#send(objectTopic, value, message, { installation, of })
    const sent = rest.startsWith('set/obj/') ? send(rest.slice('set/'.length)) : undefined
    if (sent) return sent
    const { writeTopics } = this.#parts
    return writeTopics.readOf(installation, rest).then((read) => (read ? send(read) : undefined))
  }

  #send(
    objectTopic: string,
    value: number,
    { qos }: Message,
    { installation, of }: { installation: InstallationRef; of: MappingsOf }
  ): Promise<void> | undefined {
    const levels = objectTopic.slice('obj/'.length).split('/')
    for (const { mapping } of of.active) {
      const command = mapping.command(levels, value)
      const topic = command && `${installation.client_id}/${command.topic}`
      if (topic && everyBrokerTakes(topic)) {
        // It comes back from an external broker, and must not be mapped there.
        const { tenant } = this.#parts.accounts.placeOf(installation)
        return this.#parts.bus().publish(topic, command.payload, { qos, tenant, isStored: true })
      }
    }
    return undefined
  }
}

const readingOf = (
  { client_id }: InstallationRef,
  { topic, value, timestamp }: DerivedValue
): TopicReading => ({ topic: `${client_id}/${topic}`, value, timestamp, msg: '' })

/** Names the mapping, because an installation may have many. */
const detailOf = ({ id, name }: ActiveMapping, refused: Refused | undefined): string => {
  const { path = '', reason = '' } = refused ?? {}
  const where = path === '' ? '' : `${path.slice(0, MAX_NAME_CHARACTERS)}: `
  return `mapping ${id} (${name.slice(0, MAX_NAME_CHARACTERS)}): ${where}${reason}`
}
