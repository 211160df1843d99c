import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Identity } from '../../../identity/identity.ts'
import { zoneOffset } from '../../../lib/calendar.ts'
import type { Clock } from '../../../lib/clock.ts'
import { FairSlots } from '../../../lib/fair-slots.ts'
import { Rounds } from '../../../lib/rounds.ts'
import { Tally } from '../../../lib/tally.ts'
import { Ticks } from '../../../lib/ticks.ts'
import { MINUTE, SECOND, type UnixMs } from '../../../lib/unix-time.ts'
import type { Metrics } from '../../../metrics.ts'
import type { Directory } from '../../../permission/directory.ts'
import type { Principal } from '../../../permission/principal.ts'
import type { Claims } from '../../../registry/claims.ts'
import { dueEscalations } from './escalations.ts'
import { dueGroups, hurryGroups, takeChanges } from './groups.ts'
import {
  beginTries,
  dueMessages,
  endTries,
  hurryMessages,
  type MessageRow,
  nextAllowed,
  postpone,
  type Tried
} from './messages.ts'
import { planEscalation, planGroup } from './planning.ts'
import { readTold } from './reading.ts'
import { type Person, Recipients } from './recipients.ts'
import { addressOf, type SendingParts, send, TellFault } from './sending.ts'
import { sweepMessages } from './sweep.ts'
import { ToldGroups } from './told-groups.ts'

type Parts = SendingParts & {
  identity: Identity
  directory: Directory
  claims: Pick<Claims, 'take'>
  metrics: Metrics
  clock: Clock
  log: FastifyBaseLogger
  /** Of installations without a time zone. */
  timezone: string
}

/** What the messages of one tick have read. */
type Readers = { recipients: Recipients; groups: ToldGroups }

type Ready = { message: MessageRow; person: Person; principal: Principal }

const TICK_MS = 500
const NOTED_TOGETHER_MS = 20
/** Of 500 alarms or 100 groups. */
const STEPS_PER_TICK = 40
const GROUPS_PER_ROUND = 100
const MESSAGES_PER_ROUND = 200
const MAX_UNDER_WAY = 2000
/** So that the slow webhooks of one organization do not keep others waiting. */
const MAX_UNDER_WAY_EACH = 250
const COMES_BACK_AFTER_MS = 2 * SECOND
const AT_ONCE = { atOnce: 16, each: 4 }
/** When a message that nobody took is tried again. */
const TRY_AGAIN_AFTER_MS = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE]
const SWEEP_EVERY_MS = 10 * MINUTE

/**
 * Tells people of alarms. What is still to be told is in the registry, so a crash may repeat a
 * message but loses none. One node does it. [ADR-0065]
 */
export class Teller {
  readonly #parts: Parts
  readonly #slots = {
    mail: new FairSlots(AT_ONCE),
    sms: new FairSlots(AT_ONCE),
    push: new FairSlots(AT_ONCE),
    webhook: new FairSlots(AT_ONCE)
  }
  /** By message. */
  readonly #underWay = new Map<number, Promise<void>>()
  readonly #ofOrganizations = new Tally()
  readonly #stop = new AbortController()
  readonly #notes = new Rounds(() => this.#writeNotes())
  #tried: Tried[] = []
  readonly #ticks = new Ticks(TICK_MS, () =>
    this.tick().catch((err) => this.#parts.log.error({ err }, 'people could not be told of alarms'))
  )
  #ticked: UnixMs | undefined
  #sweptAt = 0
  #sweepPlace = { group: 0, message: 0 }

  constructor(parts: Parts) {
    this.#parts = parts
    // The first look at a calendar takes 20 ms, which nobody waits for now.
    zoneOffset(parts.timezone, parts.clock())
  }

  start(): void {
    this.#ticks.start()
  }

  /** A message that is cut off is sent again by the next run, or by another node. */
  async stop(): Promise<void> {
    await this.#ticks.stop()
    this.#stop.abort(new Error('the platform stops'))
    await this.settled()
  }

  /** Resolves when no message is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  /** Takes what is new, plans messages and begins to send those that are due. */
  async tick(): Promise<void> {
    const { registry, claims, clock } = this.#parts
    if (!(await claims.take('teller'))) return
    const now = clock()
    await this.#mindClock(now)
    for (let steps = 0; steps < STEPS_PER_TICK; steps++) {
      if (!(await takeChanges(registry, now))) break
    }
    const recipients = new Recipients(this.#parts)
    await this.#plan(recipients, now)
    await this.#sendDue({ recipients, groups: new ToldGroups(registry) }, now)
    if (Math.abs(now - this.#sweptAt) < SWEEP_EVERY_MS) return
    this.#sweptAt = now
    this.#sweepPlace = await sweepMessages(registry, this.#sweepPlace, now)
  }

  /** After a start as well: nobody knows what happened to the clock. */
  async #mindClock(now: UnixMs): Promise<void> {
    const { registry } = this.#parts
    const isSetBack = this.#ticked === undefined || now < this.#ticked
    if (isSetBack) {
      await hurryGroups(registry, now)
      await hurryMessages(registry, now)
    }
    this.#ticked = now
  }

  async #plan(recipients: Recipients, now: UnixMs): Promise<void> {
    const { registry, log } = this.#parts
    const parts = { ...this.#parts, recipients }
    for (let steps = 0; steps < STEPS_PER_TICK; steps++) {
      const groups = await dueGroups(registry, now, GROUPS_PER_ROUND)
      for (const group of groups) {
        // One group that fails must not stop the others.
        await planGroup(parts, group, now).catch((err) =>
          log.error({ err, group: group.id }, 'nobody could be told of a group of alarms yet')
        )
      }
      if (groups.length < GROUPS_PER_ROUND) break
    }
    for (const escalation of await dueEscalations(registry, now, GROUPS_PER_ROUND)) {
      await planEscalation(parts, escalation, now).catch((err) =>
        log.error({ err, group: escalation.group_id }, 'an alarm could not be escalated yet')
      )
    }
  }

  async #sendDue(readers: Readers, now: UnixMs): Promise<void> {
    const { registry, identity } = this.#parts
    const without = [...this.#underWay.keys()]
    const limit = Math.min(MESSAGES_PER_ROUND, MAX_UNDER_WAY - without.length)
    const due = limit > 0 ? await dueMessages(registry, now, { limit, without }) : []
    if (due.length === 0) return
    const users = [...new Set(due.map(({ user_id }) => user_id))]
    const people = await readers.recipients.find(users)
    const personOf = new Map(people.map((person) => [person.id, person]))
    const ready: Ready[] = []
    const notes: Promise<void>[] = []
    for (const message of due) {
      const principal = await identity.ofUser(message.user_id)
      const person = personOf.get(message.user_id)
      const why = whyNot(message, person, principal)
      if (why !== undefined || !person || !principal) {
        notes.push(this.#note({ ...message, result: `failed: ${why}`, again: undefined }))
      } else if (await this.#isTurn(message, principal, now)) {
        ready.push({ message, person, principal })
        this.#ofOrganizations.add(tenantOf(principal), 1)
      }
    }
    await Promise.all(notes)
    if (ready.length === 0) return
    const ids = ready.map(({ message }) => message.id)
    await beginTries(registry, ids, now)
    for (const one of ready) this.#begin(one, readers)
  }

  /** A message whose turn is later is due then. */
  async #isTurn(message: MessageRow, principal: Principal, now: UnixMs): Promise<boolean> {
    const { registry } = this.#parts
    const isCrowded = this.#ofOrganizations.of(tenantOf(principal)) >= MAX_UNDER_WAY_EACH
    const later = isCrowded
      ? now + COMES_BACK_AFTER_MS
      : message.tries === 0
        ? await nextAllowed(registry, message, now)
        : 0
    if (later > now) await postpone(registry, message.id, later)
    return later <= now
  }

  #begin(ready: Ready, readers: Readers): void {
    const { id, channel } = ready.message
    const caller = tenantOf(ready.principal)
    const turn = { caller, most: Number.POSITIVE_INFINITY, signal: this.#stop.signal }
    const slots = this.#slots[channel]
    const sending = slots
      .run(turn, () => this.#try(ready, readers))
      .catch((err) => this.#comeBack(id, err))
      .finally(() => {
        this.#underWay.delete(id)
        this.#ofOrganizations.add(caller, -1)
      })
    this.#underWay.set(id, sending)
  }

  async #try({ message, person, principal }: Ready, readers: Readers): Promise<void> {
    const { clock, metrics, log } = this.#parts
    const { id, channel, tries } = message
    const told = await readTold({ ...this.#parts, ...readers }, message)
    const address = addressOf(channel, person)
    if (told.total + told.over === 0) {
      const result = 'failed: the user may not list the alarms, or they are gone'
      return this.#note({ id, result, address, again: undefined })
    }
    try {
      await send(channel, this.#parts, told, { person, principal, stop: this.#stop.signal })
    } catch (error) {
      if (!(error instanceof TellFault) || this.#stop.signal.aborted) throw error
      metrics.toldAlarms(channel, 'failed')
      const { message: text, isFinal, cause } = error
      log.warn({ user: person.id, channel, reason: text, err: cause }, 'an alarm was not told')
      const after = isFinal ? undefined : TRY_AGAIN_AFTER_MS[tries]
      const again = after === undefined ? undefined : clock() + after
      return this.#note({ id, result: `failed: ${text}`, address, again })
    }
    metrics.toldAlarms(channel, 'sent')
    return this.#note({ id, result: 'sent', address, again: undefined })
  }

  /** Results of the same moment are written together. */
  #note({ id, result, address, again }: Tried): Promise<void> {
    this.#tried.push({ id, result, address, again })
    return this.#notes.ask()
  }

  async #writeNotes(): Promise<void> {
    await wait(NOTED_TOGETHER_MS)
    const tried = this.#tried
    this.#tried = []
    if (tried.length > 0) await endTries(this.#parts.registry, tried)
  }

  /** A message that was cut off by a stop is sent by the next run, or by another node. */
  async #comeBack(id: number, err: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { registry, clock, log } = this.#parts
    log.error({ err, message: id }, 'an alarm could not be told yet')
    await postpone(registry, id, clock() + COMES_BACK_AFTER_MS).catch((err) =>
      log.error({ err, message: id }, 'a message about alarms could not be postponed')
    )
  }
}

const tenantOf = ({ organizationIds: [first = 0] }: Principal): string => String(first)

/** Rights and wishes count at the moment at which a user is told. */
function whyNot(
  { channel, tries }: MessageRow,
  person: Person | undefined,
  principal: Principal | undefined
): string | undefined {
  if (tries > TRY_AGAIN_AFTER_MS.length) return 'it was tried too often'
  if (!principal) return 'the account has ended'
  return person?.settings.channels.includes(channel) ? undefined : 'the user does not want it'
}
