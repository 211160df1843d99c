import type { Logger } from 'pino'
import { type BrokerRules, ownClientIds } from '../../bus/bus.ts'
import type { FailedSignIns } from '../../identity/failed-sign-ins.ts'
import { concerns, type IdentityChange } from '../../identity/identity-change.ts'
import { isSameSecret } from '../../identity/tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { Seldom } from '../../lib/seldom.ts'
import { hasWildcard, unshared } from '../../lib/topic.ts'
import { HOUR, MINUTE, SECOND } from '../../lib/unix-time.ts'
import { within } from '../../lib/within.ts'
import type { MqttSession } from '../../permission/mqtt-rules.ts'
import { holds, holdsName, type Principal } from '../../permission/principal.ts'
import type { Registry } from '../../registry/tables.ts'
import {
  brokerClientsAfter,
  claimBrokerClient,
  deleteBrokerClient,
  endBrokerClient,
  findBrokerClient,
  freeBrokerClient,
  handOverBrokerClient,
  takeBrokerClient,
  touchBrokerClient,
  unusedBrokerClients
} from './clients.ts'

type Known = {
  username: string
  until: number
  session: Promise<Found>
  isLoaded: boolean
  /** The last answer of the registry. */
  last: { found: Found; at: number } | undefined
}
/** The session that signed in with a client id. */
type Found = MqttSession | 'platform' | undefined
/** The client that an external broker asks about. */
export type BrokerUser = { clientId: string; username: string }
/** Ends a client's connection and, with `endsSession`, its session. False if not possible now. */
export type CutOff = (clientId: string, options: { endsSession: boolean }) => Promise<boolean>

type Parts = {
  registry: Registry
  rules: BrokerRules<MqttSession>
  failedSignIns: FailedSignIns
  clock: Clock
  /** The platform's own name and password; with an empty name it connects without them. */
  account: { username: string; password: string }
  log: Pick<Logger, 'warn'>
}

const MAX_CLIENT_ID_LENGTH = 255
const MAX_USERNAME_LENGTH = 1024
/** One owner must not fill the table with made-up client ids. */
const MAX_CLIENT_IDS_PER_OWNER = 100_000
/** How old a remembered answer may be. `forget` removes answers that changes concern at once. */
const FRESH_FOR_MS = SECOND
/** How old an answer may be while the registry does not answer. */
const STALE_FOR_MS = 10 * MINUTE
/** Brokers give up after five seconds. */
const REGISTRY_TIMEOUT_MS = 2 * SECOND
/** When the registry is asked again after it did not answer. */
const RETRY_AFTER_MS = 10 * SECOND
const TOUCH_EVERY_MS = HOUR
const MAX_REMEMBERED_CLIENTS = 100_000
const CLIENTS_PER_PAGE = 500
/** The owner of the platform's own client ids; no principal has this name. */
const PLATFORM = 'platform'

/**
 * Applies the permissions for an external broker. Its questions have no password, and a token works
 * with any user name. So the sign-in stores in the registry who uses a client id [ADR-0027].
 */
export class BrokerAccess {
  readonly #parts: Parts
  readonly #known = new Map<string, Known>()
  readonly #mounted = new Seldom(MINUTE)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Call this when users, roles, tokens or organizations changed; undefined means all of them. */
  forget(change?: IdentityChange): void {
    for (const [row, { isLoaded, last }] of this.#known) {
      const session = isLoaded ? last?.found : undefined
      const isSame = change && typeof session === 'object' && !concerns(change, session.principal)
      if (!isSame) this.#known.delete(row)
    }
  }

  /** Whether this is the platform's user name. It is no proof: the registry knows who signed in. */
  isPlatform(username: string): boolean {
    const { account } = this.#parts
    return account.username !== '' && username === account.username
  }

  /** `address` is the address of the device, or empty if the broker does not tell it. */
  async signIn(
    { clientId, username }: BrokerUser,
    password: string,
    address: string
  ): Promise<'platform' | 'user' | 'refused' | 'throttled'> {
    const { rules, failedSignIns, registry, clock, account, log } = this.#parts
    if (this.isPlatform(username)) {
      // Never throttled: others must not be able to lock out the platform.
      if (!isName(clientId, MAX_CLIENT_ID_LENGTH) || !isSameSecret(password, account.password)) {
        failedSignIns.note({ over: 'mqtt', reason: 'refused', account: username, address })
        return 'refused'
      }
      const client_id = ownRow(clientId)
      const client = { client_id, username, owner: PLATFORM, sealed: '', seen: clock() }
      await claimBrokerClient(registry, client, Number.POSITIVE_INFINITY)
      this.#known.delete(client_id)
      return 'platform'
    }
    if (!isName(clientId, MAX_CLIENT_ID_LENGTH) || isOwn(clientId)) return 'refused'
    if (username !== '' && !isName(username, MAX_USERNAME_LENGTH)) return 'refused'
    const session = await rules.signIn({ username, password, address: address.slice(0, 64) })
    if (typeof session === 'string') return session
    if ('refused' in session) return 'refused'
    if (session.mount) {
      // The broker would let it publish and subscribe outside of its mount. [ADR-0062]
      if (this.#mounted.isDue(session.owner, clock())) {
        log.warn({ owner: session.owner, clientId }, 'a key with a mount needs the embedded broker')
      }
      failedSignIns.note({ over: 'mqtt', reason: 'refused', account: username, address })
      return 'refused'
    }
    const use = rules.mayUse(session, clientId)
    if (use === 'never') return 'refused'
    const owner = ownerOf(session)
    const sealed = rules.seal(session)
    const client = { client_id: clientId, username, owner, sealed, seen: clock() }
    const claim = await claimBrokerClient(registry, client, MAX_CLIENT_IDS_PER_OWNER)
    if (claim === 'full') log.warn({ owner, clientId }, 'too many MQTT client ids of one owner')
    // Refused this time: the broker still has the session of the other owner, which must end first.
    if (claim === 'taken' && use === 'always') await takeBrokerClient(registry, clientId, owner)
    this.#known.delete(clientId)
    return claim === 'claimed' ? 'user' : 'refused'
  }

  async mayPublish(user: BrokerUser, topic: string): Promise<boolean> {
    const session = await this.#sessionOf(user)
    if (session === 'platform') return isOwn(user.clientId)
    return session !== undefined && isTopic(topic) && this.#parts.rules.mayPublish(session, topic)
  }

  async mayReceive(user: BrokerUser, topic: string): Promise<boolean> {
    const session = await this.#sessionOf(user)
    // Also when it cuts off a client: Mosquitto drops queued messages that may not be received.
    if (session === 'platform') return true
    return session !== undefined && isTopic(topic) && this.#parts.rules.mayReceive(session, topic)
  }

  /**
   * A filter that begins with a wildcard needs a broker that asks again for every delivery. With
   * another broker only a caller who may receive everything gets it.
   */
  async maySubscribe(
    user: BrokerUser,
    given: string,
    { asksForDeliveries }: { asksForDeliveries: boolean }
  ): Promise<boolean> {
    const session = await this.#sessionOf(user)
    if (session === 'platform') return isOwn(user.clientId)
    // In the platform's own shared group, the client would take messages away from the platform.
    if (given.startsWith(`$share/${ownClientIds}`)) return false
    const filter = unshared(given)
    if (!session || filter === undefined || filter.startsWith('$')) return false
    if (!this.#parts.rules.maySubscribe(session, filter)) return false
    return asksForDeliveries || !/^[+#]/.test(filter) || mayReceiveAll(session.principal)
  }

  /**
   * Cuts off every client whose credential has ended. If the owner was deleted or lost the client
   * id, the broker also drops the session. A failed cut-off is tried again next time.
   */
  async cutOffEnded(cutOff: CutOff): Promise<void> {
    const { registry, rules, clock } = this.#parts
    // Many devices share a credential.
    const holds = new Map<string, boolean>()
    let page: Awaited<ReturnType<typeof brokerClientsAfter>> = []
    do {
      page = await brokerClientsAfter(registry, page.at(-1)?.client_id ?? '', CLIENTS_PER_PAGE)
      const gone = await rules.gone(new Set(page.map(({ owner }) => owner)))
      for (const client of page) {
        const { client_id, owner, sealed, seen } = client
        const isGone = gone.has(owner)
        if (isGone || seen === 0) {
          if (!(await cutOff(client_id, { endsSession: true }))) continue
          if (isGone) await this.#forget(client)
          else await handOverBrokerClient(registry, client_id, clock())
          continue
        }
        if (sealed === '') continue
        const credential = `${owner} ${sealed}`
        const isGood = holds.get(credential) ?? (await this.#unseal(client)) !== undefined
        holds.set(credential, isGood)
        if (isGood || !(await cutOff(client_id, { endsSession: false }))) continue
        await endBrokerClient(registry, client_id, sealed)
      }
    } while (page.length === CLIENTS_PER_PAGE)
  }

  /**
   * Frees the client ids that were not used since `unusedSince`, except the platform's own. Each is
   * cut off first, because a silent connection may still be open. Stops at the first failure.
   * Returns how many were freed.
   */
  async freeUnused(unusedSince: number, cutOff: CutOff): Promise<number> {
    const { registry } = this.#parts
    let freed = 0
    let page: string[] = []
    do {
      const after = page.at(-1) ?? ''
      const options = { unusedSince, but: PLATFORM, after, limit: CLIENTS_PER_PAGE }
      page = await unusedBrokerClients(registry, options)
      for (const clientId of page) {
        if (!(await cutOff(clientId, { endsSession: true }))) return freed
        if (await freeBrokerClient(registry, clientId, unusedSince)) freed++
        await freeBrokerClient(registry, ownRow(clientId), Number.MAX_SAFE_INTEGER)
      }
    } while (page.length === CLIENTS_PER_PAGE)
    return freed
  }

  async #forget(client: { client_id: string; owner: string }): Promise<void> {
    const { registry } = this.#parts
    await deleteBrokerClient(registry, client)
    await deleteBrokerClient(registry, { client_id: ownRow(client.client_id), owner: PLATFORM })
  }

  async #unseal({
    owner,
    sealed
  }: {
    owner: string
    sealed: string
  }): Promise<MqttSession | undefined> {
    const session = sealed === '' ? undefined : await this.#parts.rules.unseal(sealed)
    return session && ownerOf(session) === owner ? session : undefined
  }

  async #sessionOf({ clientId, username }: BrokerUser): Promise<Found> {
    if (!isName(clientId, MAX_CLIENT_ID_LENGTH)) return undefined
    const row = this.isPlatform(username) ? ownRow(clientId) : clientId
    const now = this.#parts.clock()
    const known = this.#known.get(row)
    if (known && known.username === username && known.until > now) return known.session
    const last = known?.username === username ? known.last : undefined
    const load = this.#load(row, username)
    const session = last ? within(REGISTRY_TIMEOUT_MS, load, noAnswer) : load
    const asked: Known = { username, until: now + FRESH_FOR_MS, session, last, isLoaded: false }
    asked.session = session.then(
      (found) => {
        asked.last = { found, at: now }
        asked.isLoaded = true
        return found
      },
      (error) => {
        // A short failure of the registry must not disconnect every device.
        if (last && now - last.at < STALE_FOR_MS) {
          asked.until = now + RETRY_AFTER_MS
          return last.found
        }
        if (this.#known.get(row) === asked) {
          if (known) this.#known.set(row, known)
          else this.#known.delete(row)
        }
        throw error
      }
    )
    this.#remember(row, asked)
    return asked.session
  }

  #remember(row: string, known: Known): void {
    this.#known.delete(row)
    const [oldest] = this.#known.size < MAX_REMEMBERED_CLIENTS ? [] : this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(row, known)
  }

  async #load(row: string, username: string): Promise<Found> {
    const { registry, clock } = this.#parts
    const client = await findBrokerClient(registry, row)
    if (!client || client.username !== username) return undefined
    const session = client.owner === PLATFORM ? PLATFORM : await this.#unseal(client)
    if (!session) return undefined
    const now = clock()
    if (client.seen + TOUCH_EVERY_MS <= now) await touchBrokerClient(registry, client, now)
    return session
  }
}

/** Everything includes installations that do not exist yet. */
const mayReceiveAll = (principal: Principal): boolean =>
  holds(principal, 'mqtt/subscribe/broad') &&
  holdsName(principal, 'mqtt/subscribe/all') &&
  principal.reachesTop

/**
 * EMQX asks at SUBSCRIBE only. So a restricted key must not get a session in which the user's other
 * keys subscribed to more.
 */
const ownerOf = ({ owner, principal: { limit, tokenId } }: MqttSession): string =>
  limit === undefined ? owner : `${owner} key:${tokenId}`

const isOwn = (clientId: string): boolean => clientId.startsWith(ownClientIds)

/**
 * The row for the platform's own sign-in. The row of the client that it cuts off stays as it is.
 */
const ownRow = (clientId: string): string =>
  isOwn(clientId) ? clientId : `${ownClientIds}for-${clientId}`

const isName = (text: string, max: number): boolean =>
  text !== '' && text.length <= max && !text.includes('\0')

const isTopic = (text: string): boolean => text !== '' && !hasWildcard(text) && text[0] !== '$'

const noAnswer = () => new Error('the registry does not answer')
