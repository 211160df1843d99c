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
import type { Mappings } from './mappings.ts'
import { type ActiveMapping, type MappingsOf, readMessage } from './reading.ts'

type Parts = {
  mappings: Mappings
  functions: MappedFunctions
  ingest: Pick<Ingest, 'acceptTogether' | 'refuseTogether' | 'refuse'>
  directory: Directory
  blacklist: { keepsOut(topic: string): boolean; count(topic: string): boolean }
  accounts: Accounts
  meter: Meter
  bus: () => Pick<Bus, 'publish'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'error'>
  /** Messages come back from an external broker, also those of schedules. */
  isExternal: boolean
}

const COMMANDS = 'set/obj/'
const RETRY_MS = SECOND
/** The values are stored already, so a slow registry does not hold up their acknowledgement. */
const MAKE_LIMIT_MS = 2 * SECOND
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
    const { mappings, directory } = this.#parts
    if (!mappings.isUsed || message.payload.length === 0) return undefined
    const clientId = clientIdOf(message.topic)
    const installation = clientId && directory.installationByClientId(clientId)
    if (!installation) return undefined
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
    return read.length > 0 ? this.#store(message, sender, { installation, read }) : undefined
  }

  async #store(
    message: Message,
    sender: string,
    { installation, read }: { installation: InstallationRef; read: ReturnType<typeof readMessage> }
  ): Promise<void> {
    const { ingest, blacklist, accounts, meter, clock } = this.#parts
    const failed = read.filter(({ outcome }) => outcome.refused.length > 0)
    const readings = this.#readingsOf(installation, read)
    if (blacklist.keepsOut(message.topic)) {
      await ingest.refuse('blacklisted', message, sender)
      return
    }
    if (readings.length === 0 && failed.length > 0) {
      // A flood of messages that fail is slowed down like any other.
      const excess = meter.takeMessage(accounts.placeOf(installation), clock())
      if (excess) {
        await ingest.refuseTogether({ reason: excess.reason, excess, at: 0 }, message, sender)
        return
      }
    }
    for (const { by, outcome } of failed) {
      const detail = detailOf(by, outcome.refused[0])
      await ingest.refuse('mapping failed', message, sender, { detail })
    }
    if (readings.length === 0) return
    const refusal = await ingest.acceptTogether({
      ...{ installation_id: installation.id, readings, messages: 1 },
      waitsForDisk: message.qos > 0
    })
    if (refusal) {
      await ingest.refuseTogether(refusal, message, sender)
      return
    }
    await this.#publish(installation, readings, message.qos)
    const created = read.flatMap(({ by, outcome }) => (by.create_missing ? outcome.values : []))
    if (created.length > 0) await this.#makeFunctions(installation, created)
  }

  /** Without what the blacklist keeps out. */
  #readingsOf(
    { client_id }: InstallationRef,
    read: ReturnType<typeof readMessage>
  ): TopicReading[] {
    const { blacklist } = this.#parts
    const readings: TopicReading[] = []
    for (const { outcome } of read) {
      for (const { topic: rest, value, timestamp } of outcome.values) {
        const topic = `${client_id}/${rest}`
        if (blacklist.keepsOut(topic)) blacklist.count(topic)
        else readings.push({ topic, value, timestamp, msg: '' })
      }
    }
    return readings
  }

  /** The values are stored, so a failure must not make the sender repeat them. */
  async #publish(
    installation: InstallationRef,
    readings: readonly TopicReading[],
    qos: Message['qos']
  ): Promise<void> {
    const { accounts, log } = this.#parts
    const { tenant } = accounts.placeOf(installation)
    const bus = this.#parts.bus()
    const publish = ({ topic, value, timestamp }: TopicReading) => {
      const payload = `{"value":${value},"timestamp":${toSeconds(timestamp)},"msg":""}`
      return bus.publish(topic, payload, { qos, tenant, isStored: true })
    }
    await Promise.all(readings.map(publish)).catch((err) =>
      log.error({ err }, 'values of a mapping could not be published')
    )
  }

  async #makeFunctions(
    installation: InstallationRef,
    values: readonly DerivedValue[]
  ): Promise<void> {
    const { functions, log } = this.#parts
    const missing = functions.missing(installation.id, values)
    if (missing.length === 0) return
    const made = functions
      .make(installation, missing)
      .catch((err) => log.error({ err }, 'the functions of a mapping could not be made'))
    await endsWithin(MAKE_LIMIT_MS, made)
  }

  #command(
    { payload, qos }: Message,
    rest: string,
    { installation, of }: { installation: InstallationRef; of: MappingsOf }
  ): Promise<void> | undefined {
    const value = commandValue(payload)
    if (value === undefined) return undefined
    const levels = rest.slice(COMMANDS.length).split('/')
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

/** Names the mapping, because an installation may have many. */
const detailOf = ({ id, name }: ActiveMapping, refused: Refused | undefined): string => {
  const { path = '', reason = '' } = refused ?? {}
  const where = path === '' ? '' : `${path.slice(0, MAX_NAME_CHARACTERS)}: `
  return `mapping ${id} (${name.slice(0, MAX_NAME_CHARACTERS)}): ${where}${reason}`
}
