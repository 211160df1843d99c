import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Mount } from '../../lib/mount.ts'
import { Tally } from '../../lib/tally.ts'
import { isTopicName } from '../../lib/topic.ts'
import { endsWithin } from '../../lib/within.ts'
import type { BrokerRules, Session } from '../bus.ts'
import type { BrokerCharges } from './charges.ts'
import { clientIdIn, nameOf } from './client-name.ts'
import type { Connection } from './connection.ts'
import type { Deliveries } from './deliveries.ts'
import type { Excesses } from './excesses.ts'
import type { Inbound } from './inbound.ts'
import type { KeptState } from './kept.ts'
import type { BrokerLimits } from './limits.ts'
import { MAX_UNRELEASED } from './receipts.ts'
import type { Renewals } from './renewals.ts'
import type { FeedLine } from './session-feed.ts'
import type { Subscriptions } from './subscriptions.ts'
import { ALIASES, Terms } from './terms.ts'
import { Window } from './window.ts'
import { connack, connack5, writeAcks } from './wire/encode.ts'
import type { ConnectPacket, Level, Will } from './wire/packets.ts'
import { withResponseTopic } from './wire/properties.ts'
import { malformed, type Reason, reasons } from './wire/reasons.ts'

/** [MQTT 3.2.2.3] The return codes of MQTT 3. */
const codesOf3 = new Map<Reason, number>([
  [reasons.badClientId, 2],
  [reasons.unavailable, 3],
  [reasons.quota, 3],
  [reasons.badCredentials, 4],
  [reasons.notAuthorized, 5]
])
const texts = new Map<Reason, string>([
  [reasons.badClientId, 'this client id cannot be used'],
  [reasons.unavailable, 'try again later'],
  [reasons.quota, 'too many connections or sessions'],
  [reasons.badCredentials, 'wrong user name or password'],
  [reasons.badAuthMethod, 'only a user name and a password are accepted']
])
const { success, badClientId, badCredentials, unavailable } = reasons

/** How long a new connection waits until the messages of the one that it replaces are handled. */
const TAKE_OVER_MS = 5000
/** MQTT 3.1 allows no longer client id. */
const MAX_ID_CHARACTERS = 23
const MAX_KEEP_ALIVE = 65_535

/** Why a client is refused; the text is for clients of MQTT 5. */
class Refusal {
  readonly reason: Reason
  readonly text: string | undefined

  constructor(reason: Reason, text = texts.get(reason)) {
    this.reason = reason
    this.text = text
  }
}

type Parts<S extends Session> = {
  rules: BrokerRules<S>
  log: Pick<Logger, 'error'>
  kept: KeptState
  limits: BrokerLimits
  charges: BrokerCharges
  excesses: Excesses
  renewals: Renewals<S>
  subscriptions: Subscriptions<S>
  deliveries: Deliveries<S>
  inbound: Inbound<S>
  /** By client name. A connection stays here until all of its messages are handled. */
  holders: Map<string, Connection<S>>
}

/** CONNECT: who the client is, which session it has, and the answer. */
export class SignIn<S extends Session> {
  readonly #parts: Parts<S>
  readonly #perOwner = new Tally()

  constructor(parts: Parts<S>) {
    this.#parts = parts
  }

  /** Resolves when CONNACK is written. False: the client was refused, or is gone. */
  async take(connection: Connection<S>, packet: ConnectPacket): Promise<boolean> {
    const { will, level } = packet
    // Such a will would be delivered to subscribers, and end their connections.
    if (will && !isTopicName(will.topic)) throw malformed('malformed will')
    connection.isBridge = packet.isBridge
    connection.level = level
    connection.name = packet.clientId
    const { sessionExpiry } = this.#parts.limits
    if (level === 5) connection.terms = new Terms(packet.properties, sessionExpiry)
    const outcome = await this.#signIn(connection, packet).catch((error) => {
      this.#parts.log.error({ err: error }, 'MQTT sign-in failed')
      return unavailable
    })
    if (connection.isClosed) return false
    if (outcome !== success) {
      const refusal = typeof outcome === 'number' ? new Refusal(outcome) : outcome
      // [MQTT-3.2.2-5]
      connection.closeWith(refusing(level, refusal), refusing(level, { reason: refusal.reason }))
      return false
    }
    const keepAlive = this.#keepAliveOf(packet)
    const welcome = this.#welcome(connection, packet, keepAlive)
    if (!connection.canTake(welcome)) {
      connection.closeWith(refusing(level, { reason: reasons.tooLarge }))
      return false
    }
    connection.keepAlive(keepAlive)
    await this.#parts.subscriptions.restore(connection)
    if (will) await this.#keepWill(connection, will)
    if (connection.isClosed) return false
    connection.write(welcome)
    connection.isAccepted = true
    return true
  }

  /** The connection has ended, and all of its messages are handled. */
  leave(connection: Connection<S>): void {
    const { charges, kept: keptState, holders } = this.#parts
    const { owner, account, payers, kept, name, terms, isAccepted } = connection
    if (owner === undefined) return
    this.#perOwner.add(account, -1)
    charges.charge('connections', payers, -1)
    if (holders.get(name) === connection) holders.delete(name)
    if (kept) {
      if (terms) kept.expiresAfter = terms.expiresAfter
      keptState.sessions.rest(kept)
      // [MQTT-3.1.2-23]
      if (terms?.sessionExpiry === 0) void keptState.sessions.end(name)
    } else if (isAccepted) keptState.receipts.forget(name)
  }

  async #signIn(connection: Connection<S>, packet: ConnectPacket): Promise<Reason | Refusal> {
    const { rules, kept } = this.#parts
    const { clientId, isClean, level, properties } = packet
    if (properties.authMethod !== undefined) return reasons.badAuthMethod
    // [MQTT 3.1.3-8], [MQTT 1.5.3-2]
    const isNameless = clientId === '' && !isClean && level < 5
    if (isNameless || clientId.includes('\0')) return badClientId
    if (level === 3 && clientId.length > MAX_ID_CHARACTERS) return badClientId
    const session = await this.#identify(connection, packet)
    if (typeof session === 'number' || session instanceof Refusal) return session
    if (connection.isClosed) return unavailable

    const id = clientId || randomUUID() // [MQTT-3.1.3-6]
    if (rules.mayUse(session, id) === 'never') return badClientId
    // From now on the broker and the store know the client by this name. [ADR-0014]
    const name = nameOf(session.owner, id)
    connection.name = name
    connection.signIn(session)
    if (!this.#hasRoom(connection)) return reasons.quota
    if (!(await this.#takeOver(connection, isClean))) return unavailable
    // [MQTT-3.1.2-4] A client that connects clean ends the session it had.
    if (isClean) await kept.sessions.end(name)
    const { terms } = connection
    const isKept = terms ? terms.sessionExpiry > 0 || kept.sessions.has(name) : !isClean
    if (isKept && !(await this.#open(connection))) return reasons.quota
    if (terms && !isKept) connection.window = new Window(terms.receiveMaximum)
    return connection.session ? success : badCredentials
  }

  async #identify(
    { address, certificate }: Connection<S>,
    { username, password }: ConnectPacket
  ): Promise<S | Reason | Refusal> {
    const { rules, renewals } = this.#parts
    let round = renewals.count
    const answer = await rules.signIn({ username, password, address, certificate })
    if (answer === 'refused') return badCredentials
    if (answer === 'throttled') return unavailable
    if ('refused' in answer) return new Refusal(reasons.notAuthorized, answer.refused)
    let session: S | undefined = answer
    // A recheck during the sign-in did not see this session, so it is checked here.
    while (session && round !== renewals.count) {
      round = renewals.count
      session = await rules.renew(session)
    }
    return session ?? badCredentials
  }

  /** Counts the connection. A connection that is replaced makes room for the new one. */
  #hasRoom(connection: Connection<S>): boolean {
    const { rules, charges, limits, excesses, holders } = this.#parts
    const { session, account } = connection
    if (!session) return false
    const replaced = holders.has(connection.name) ? 1 : 0
    const others = this.#perOwner.of(account) - replaced
    connection.tenant = rules.tenantOf(session)
    this.#perOwner.add(account, 1)
    const payers = rules.payersOf(session)
    const payer = charges.whoIsFull('connections', payers, replaced)
    connection.payers = payers
    charges.charge('connections', payers, 1)
    if (!payer && others < limits.connectionsPerOwner) return true
    excesses.refuse('connections', connection, { payer })
    return false
  }

  /**
   * [MQTT 3.1.4-2] The will of the old connection is sent before the new client can say that it is
   * back. [MQTT 3.1.2-8] So is a will that the last process did not send.
   */
  async #takeOver(connection: Connection<S>, isClean: boolean): Promise<boolean> {
    const { holders, kept, inbound } = this.#parts
    const { name } = connection
    const before = holders.get(name)
    connection.before = before
    holders.set(name, connection)
    before?.close(reasons.takenOver, 'another connection has this client id')
    if (before && !(await endsWithin(TAKE_OVER_MS, before.ended))) return false
    connection.before = undefined
    await kept.wills.returned(name, isClean)
    const sent = kept.wills.settleLeft(name, isClean, (will) => inbound.sendLeftWill(will))
    return (await endsWithin(TAKE_OVER_MS, sent)) && !connection.isClosed
  }

  /** Opens the kept session; false if the owner has too many. */
  async #open(connection: Connection<S>): Promise<boolean> {
    const { kept, excesses } = this.#parts
    const { name, owner = '', payers, terms } = connection
    const expiresAfter = terms?.expiresAfter
    const receiveMaximum = terms?.receiveMaximum ?? Number.POSITIVE_INFINITY
    connection.kept = await kept.sessions.open(this.#lineOf(connection), {
      ...{ name, owner, payers, expiresAfter, receiveMaximum }
    })
    if (!connection.kept) excesses.refuse('sessions', connection)
    return connection.kept !== undefined
  }

  #lineOf(connection: Connection<S>): FeedLine {
    const { deliveries } = this.#parts
    return {
      get isClosed() {
        return connection.isClosed
      },
      send: (message, id, isRepeated) =>
        deliveries.deliverQueued(connection, message, { id, isRepeated }),
      release: (id) => connection.write(writeAcks([{ type: 'pubrel', id }])),
      drained: () => connection.drained(),
      fail: (error) => connection.fail(error)
    }
  }

  /** The will is on disk before CONNACK is sent. */
  async #keepWill(connection: Connection<S>, sent: Will): Promise<void> {
    const { rules, kept } = this.#parts
    const { session, mount, name, isClosed } = connection
    if (!session || isClosed) return
    const will = mount ? moved(sent, mount) : sent
    connection.will = will
    await kept.wills.put(name, will, rules.seal(session))
  }

  /** In seconds; 0 is never. MQTT 3 has no way to tell the client another one. */
  #keepAliveOf({ keepAlive, level }: ConnectPacket): number {
    const { limits } = this.#parts
    const isTooLong =
      keepAlive === 0 ? limits.keepAlive < MAX_KEEP_ALIVE : keepAlive > limits.keepAlive
    return level === 5 && isTooLong ? limits.keepAlive : keepAlive
  }

  #welcome(
    { kept, terms, name }: Connection<S>,
    { clientId, keepAlive, properties }: ConnectPacket,
    usedKeepAlive: number
  ): Buffer {
    // [MQTT 3.2.2-2]
    const isSessionPresent = kept?.isNew === false
    if (!terms) return connack(success, isSessionPresent)
    const { sessionExpiry } = terms
    const isAsAsked = sessionExpiry === (properties.sessionExpiry ?? 0)
    return connack5(success, isSessionPresent, {
      receiveMaximum: MAX_UNRELEASED,
      maximumPacketSize: this.#parts.limits.packetBytes,
      topicAliasMaximum: ALIASES,
      ...(!isAsAsked && { sessionExpiry }),
      ...(clientId === '' && { assignedClientId: clientIdIn(name) }), // [MQTT-3.2.2-16]
      ...(usedKeepAlive !== keepAlive && { serverKeepAlive: usedKeepAlive })
    })
  }
}

function refusing(
  level: Level,
  { reason, text: reasonString }: { reason: Reason; text?: string | undefined }
): Buffer {
  return level === 5
    ? connack5(reason, false, { reasonString })
    : connack(codesOf3.get(reason) ?? 3, false)
}

/** A will below the mount of its client. */
function moved(will: Will, mount: Mount): Will {
  const enter = (topic: string) => mount.enter(topic)
  const { topic, properties } = will
  return {
    ...{ ...will, topic: enter(topic) },
    properties: properties && withResponseTopic(properties, enter)
  }
}
