import type { FastifyBaseLogger } from 'fastify'
import type { Identity } from '../../../identity/identity.ts'
import type { Clock } from '../../../lib/clock.ts'
import { FairSlots } from '../../../lib/fair-slots.ts'
import { Tally } from '../../../lib/tally.ts'
import { MINUTE, SECOND, type UnixMs } from '../../../lib/unix-time.ts'
import type { Metrics } from '../../../metrics.ts'
import type { Directory } from '../../../permission/directory.ts'
import type { Principal } from '../../../permission/principal.ts'
import type { Claims } from '../../../registry/claims.ts'
import { dueEscalations } from './escalations.ts'
import { dueGroups, hurryGroups, takeChanges } from './groups.ts'
import {
  beginTry,
  dueMessages,
  endTry,
  hurryMessages,
  type MessageRow,
  nextAllowed,
  postpone
} from './messages.ts'
import { planEscalation, planGroup } from './planning.ts'
import { readTold } from './reading.ts'
import { type Person, Recipients } from './recipients.ts'
import { addressOf, type SendingParts, send, TellFault } from './sending.ts'
import { channels } from './settings.ts'
import { sweepMessages } from './sweep.ts'

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

const TICK_MS = 500
/** Of 500 alarms or 100 groups. */
const STEPS_PER_TICK = 40
const GROUPS_PER_ROUND = 100
const MESSAGES_PER_ROUND = 200
const MAX_UNDER_WAY = 1000
/** So that the slow webhooks of one organization do not keep others waiting. */
const MAX_UNDER_WAY_EACH = 40
const COMES_BACK_AFTER_MS = 5 * SECOND
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
  readonly #slots = new Map(channels.map((channel) => [channel, new FairSlots(AT_ONCE)]))
  /** By message. */
  readonly #underWay = new Map<number, Promise<void>>()
  readonly #ofOrganizations = new Tally()
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> = Promise.resolve()
  #ticked: UnixMs | undefined
  #sweptAt = 0
  #sweepPlace = { group: 0, message: 0 }

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#ticking = this.tick()
        .catch((err) => this.#parts.log.error({ err }, 'people could not be told of alarms'))
        .finally(() => {
          if (this.#timer) this.start()
        })
    }, TICK_MS)
  }

  /** A message that is cut off is sent again by the next run, or by another node. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#ticking
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
    await this.#sendDue(recipients, now)
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

  async #sendDue(recipients: Recipients, now: UnixMs): Promise<void> {
    const { registry } = this.#parts
    const without = [...this.#underWay.keys()]
    const limit = Math.min(MESSAGES_PER_ROUND, MAX_UNDER_WAY - without.length)
    if (limit <= 0) return
    for (const message of await dueMessages(registry, now, { limit, without })) {
      const { id } = message
      const sending = this.#send(message, recipients, now)
        .catch((err) => this.#comeBack(id, err))
        .finally(() => this.#underWay.delete(id))
      this.#underWay.set(id, sending)
    }
  }

  async #comeBack(id: number, err: unknown): Promise<void> {
    const { registry, clock, log } = this.#parts
    log.error({ err, message: id }, 'an alarm could not be told yet')
    await postpone(registry, id, clock() + COMES_BACK_AFTER_MS).catch((err) =>
      log.error({ err, message: id }, 'a message about alarms could not be postponed')
    )
  }

  async #send(message: MessageRow, recipients: Recipients, now: UnixMs): Promise<void> {
    const { registry, identity } = this.#parts
    const { user_id, channel, id, tries } = message
    const isLast = tries > TRY_AGAIN_AFTER_MS.length
    const principal = await identity.ofUser(user_id)
    const [person] = await recipients.find([user_id])
    const why = isLast ? 'it was tried too often' : whyNot(message, person, principal)
    if (why !== undefined || !person || !principal) {
      const result = `failed: ${why}`
      await endTry(registry, id, { result, address: message.address, again: undefined })
      return
    }
    const caller = String(principal.organizationIds[0] ?? 0)
    if (this.#ofOrganizations.of(caller) >= MAX_UNDER_WAY_EACH) {
      await postpone(registry, id, now + COMES_BACK_AFTER_MS)
      return
    }
    const allowedAt = tries === 0 ? await nextAllowed(registry, message, now) : 0
    if (allowedAt > now) {
      await postpone(registry, id, allowedAt)
      return
    }
    this.#ofOrganizations.add(caller, 1)
    try {
      const slots = this.#slots.get(channel)
      const signal = this.#stop.signal
      await slots?.run({ caller, most: Number.POSITIVE_INFINITY, signal }, () =>
        this.#try(message, { person, principal }, recipients)
      )
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error
    } finally {
      this.#ofOrganizations.add(caller, -1)
    }
  }

  async #try(
    message: MessageRow,
    { person, principal }: { person: Person; principal: Principal },
    recipients: Recipients
  ): Promise<void> {
    const { registry, clock, metrics, log } = this.#parts
    const { id, channel, tries } = message
    await beginTry(registry, message, clock())
    const told = await readTold({ ...this.#parts, recipients }, message)
    const address = addressOf(channel, person)
    if (told.total + told.over === 0) {
      const result = 'failed: the user may not list the alarms, or they are gone'
      await endTry(registry, id, { result, address, again: undefined })
      return
    }
    try {
      await send(channel, this.#parts, told, { person, principal, stop: this.#stop.signal })
      await endTry(registry, id, { result: 'sent', address, again: undefined })
      metrics.toldAlarms(channel, 'sent')
    } catch (error) {
      // The next run tries it again.
      if (!(error instanceof TellFault) || this.#stop.signal.aborted) throw error
      metrics.toldAlarms(channel, 'failed')
      const { message: text, isFinal, cause } = error
      log.warn({ user: person.id, channel, reason: text, err: cause }, 'an alarm was not told')
      const wait = isFinal ? undefined : TRY_AGAIN_AFTER_MS[tries]
      const again = wait === undefined ? undefined : clock() + wait
      await endTry(registry, id, { result: `failed: ${text}`, address, again })
    }
  }
}

/** Rights and wishes count at the moment at which a user is told. */
function whyNot(
  { channel }: MessageRow,
  person: Person | undefined,
  principal: Principal | undefined
): string | undefined {
  if (!principal) return 'the account has ended'
  return person?.settings.channels.includes(channel) ? undefined : 'the user does not want it'
}
