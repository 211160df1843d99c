import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type BrokerRules, ownClientIds } from '../bus/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { hasWildcard, unshared } from '../lib/topic.ts'
import { HOUR, MINUTE, SECOND } from '../lib/unix-time.ts'
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
} from '../registry/broker-clients.ts'
import type { Registry } from '../registry/tables.ts'
import { concerns, type IdentityChange } from './identity-change.ts'
import type { MqttSession } from './mqtt-rules.ts'
import { holds, holdsName, type Principal } from './principal.ts'
import { isSameSecret } from './tokens.ts'

type Known = {
  username: string
  until: number
  session: Promise<Found>
  isLoaded: boolean
  /** What the registry said when it last answered. */
  last: { found: Found; at: number } | undefined
}
/** Who signed in with a client id. */
type Found = MqttSession | 'platform' | undefined
/** Whom an external broker asks about. */
export type BrokerUser = { clientId: string; username: string }
/** Ends a client's connection, and what the broker keeps for it if told so; false: not possible now. */
export type CutOff = (clientId: string, options: { endsSession: boolean }) => Promise<boolean>

type Parts = {
  registry: Registry
  rules: BrokerRules<MqttSession>
  clock: Clock
  /** Name and password of the platform itself; an empty name: it connects without one. */
  account: { username: string; password: string }
  log: Pick<Logger, 'warn'>
}

const MAX_CLIENT_ID = 255
const MAX_USERNAME = 1024
/** Made-up client ids of one owner must not fill the table. */
const PER_OWNER = 100_000
/** How long an answer may be old. What changes in the registry is seen at once. */
const FRESH = SECOND
/** How long it may be old while the registry is away. */
const STALE = 10 * MINUTE
/** Brokers wait for five seconds. */
const REGISTRY_LIMIT = 2 * SECOND
/** When the registry is asked again after that. */
const RETRY = 10 * SECOND
const TOUCH_EVERY = HOUR
const MAX_REMEMBERED = 100_000
const PAGE = 500
/** No principal's. */
const PLATFORM = 'platform'

/**
 * The catalogue for a broker that is a server of its own. Its questions carry no password and any
 * name may come with a token, so the sign-in leaves in the registry who a client id is [ADR-0027].
 */
export class BrokerAccess {
  readonly #parts: Parts
  readonly #known = new Map<string, Known>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** To be called when users, roles, tokens or organizations changed; undefined: any of them. */
  forget(change?: IdentityChange): void {
    for (const [row, { isLoaded, last }] of this.#known) {
      const session = isLoaded ? last?.found : undefined
      const isSame = change && typeof session === 'object' && !concerns(change, session.principal)
      if (!isSame) this.#known.delete(row)
    }
  }

  /** Nobody else can sign in under its name. It is no proof: who signed in is in the registry. */
  isPlatform(username: string): boolean {
    const { account } = this.#parts
    return account.username !== '' && username === account.username
  }

  /** `address` is the device's own, or empty where the broker does not tell it. */
  async signIn(
    { clientId, username }: BrokerUser,
    password: string,
    address: string
  ): Promise<'platform' | 'user' | 'refused' | 'throttled'> {
    const { rules, registry, clock, account, log } = this.#parts
    if (this.isPlatform(username)) {
      // Never throttled: others must not be able to lock it out.
      if (!isName(clientId, MAX_CLIENT_ID) || !isSameSecret(password, account.password)) {
        return 'refused'
      }
      const client_id = ownRow(clientId)
      const client = { client_id, username, owner: PLATFORM, sealed: '', seen: clock() }
      await claimBrokerClient(registry, client, Number.POSITIVE_INFINITY)
      this.#known.delete(client_id)
      return 'platform'
    }
    if (!isName(clientId, MAX_CLIENT_ID) || isOwn(clientId)) return 'refused'
    if (username !== '' && !isName(username, MAX_USERNAME)) return 'refused'
    const session = await rules.signIn({ username, password, address: address.slice(0, 64) })
    if (typeof session === 'string') return session
    const use = rules.mayUse(session, clientId)
    if (use === 'never') return 'refused'
    const owner = ownerOf(session)
    const sealed = rules.seal(session)
    const client = { client_id: clientId, username, owner, sealed, seen: clock() }
    const claim = await claimBrokerClient(registry, client, PER_OWNER)
    if (claim === 'full') log.warn({ owner, clientId }, 'too many MQTT client ids of one owner')
    // Not yet: the broker waits for this answer, and would give it what it kept for the other.
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
    // Also where it cuts off: Mosquitto drops what waits for a client and may not be read.
    if (session === 'platform') return true
    return session !== undefined && isTopic(topic) && this.#parts.rules.mayReceive(session, topic)
  }

  /**
   * A broker that asks again for every delivery may serve filters that begin with a wildcard to
   * whoever may have them; another one only to those who may receive everything.
   */
  async maySubscribe(
    user: BrokerUser,
    given: string,
    { asksForDeliveries }: { asksForDeliveries: boolean }
  ): Promise<boolean> {
    const session = await this.#sessionOf(user)
    if (session === 'platform') return isOwn(user.clientId)
    // As a member of the group that the platform reads in, it would take messages away.
    if (given.startsWith(`$share/${ownClientIds}`)) return false
    const filter = unshared(given)
    if (!session || filter === undefined || filter.startsWith('$')) return false
    if (!this.#parts.rules.maySubscribe(session, filter)) return false
    return asksForDeliveries || !/^[+#]/.test(filter) || mayReceiveAll(session.principal)
  }

  /**
   * Every client whose credential has ended since it signed in goes, and with an owner who is gone,
   * or who lost the client id, also what is kept for it. Where that fails again next time.
   */
  async cutOffEnded(cutOff: CutOff): Promise<void> {
    const { registry, rules, clock } = this.#parts
    // Many devices share a credential.
    const holds = new Map<string, boolean>()
    let page: Awaited<ReturnType<typeof brokerClientsAfter>> = []
    do {
      page = await brokerClientsAfter(registry, page.at(-1)?.client_id ?? '', PAGE)
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
    } while (page.length === PAGE)
  }

  /**
   * The client ids of others that were not used since are free, each when its connection is cut
   * off: a silent one may still be open. Ends where that fails; returns how many there were.
   */
  async freeUnused(unusedSince: number, cutOff: CutOff): Promise<number> {
    const { registry } = this.#parts
    let freed = 0
    let page: string[] = []
    do {
      const after = page.at(-1) ?? ''
      const options = { unusedSince, but: PLATFORM, after, limit: PAGE }
      page = await unusedBrokerClients(registry, options)
      for (const clientId of page) {
        if (!(await cutOff(clientId, { endsSession: true }))) return freed
        if (await freeBrokerClient(registry, clientId, unusedSince)) freed++
        await freeBrokerClient(registry, ownRow(clientId), Number.MAX_SAFE_INTEGER)
      }
    } while (page.length === PAGE)
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
    if (!isName(clientId, MAX_CLIENT_ID)) return undefined
    const row = this.isPlatform(username) ? ownRow(clientId) : clientId
    const now = this.#parts.clock()
    const known = this.#known.get(row)
    if (known && known.username === username && known.until > now) return known.session
    const last = known?.username === username ? known.last : undefined
    const load = this.#load(row, username)
    const session = last ? within(REGISTRY_LIMIT, load) : load
    const asked: Known = { username, until: now + FRESH, session, last, isLoaded: false }
    asked.session = session.then(
      (found) => {
        asked.last = { found, at: now }
        asked.isLoaded = true
        return found
      },
      (error) => {
        // A short absence of the registry must not end the connection of every device.
        if (last && now - last.at < STALE) {
          asked.until = now + RETRY
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
    const [oldest] = this.#known.size < MAX_REMEMBERED ? [] : this.#known.keys()
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
    if (client.seen + TOUCH_EVERY <= now) await touchBrokerClient(registry, client, now)
    return session
  }
}

function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  const done = new AbortController()
  const tooLate = wait(limit, undefined, { signal: done.signal }).then((): never => {
    throw new Error('the registry does not answer')
  })
  return Promise.race([promise, tooLate]).finally(() => done.abort())
}

/** Also of installations that do not exist yet. */
const mayReceiveAll = (principal: Principal): boolean =>
  holds(principal, 'mqtt/subscribe/broad') &&
  holdsName(principal, 'mqtt/subscribe/all') &&
  principal.reachesTop

/** EMQX asks at SUBSCRIBE only: a restricted key must not find what a wider one subscribed to. */
const ownerOf = ({ owner, principal: { limit, tokenId } }: MqttSession): string =>
  limit === undefined ? owner : `${owner} key:${tokenId}`

const isOwn = (clientId: string): boolean => clientId.startsWith(ownClientIds)

/** Where the platform's own sign-in is kept: the row of a client that it cuts off stays as it is. */
const ownRow = (clientId: string): string =>
  isOwn(clientId) ? clientId : `${ownClientIds}for-${clientId}`

const isName = (text: string, max: number): boolean =>
  text !== '' && text.length <= max && !text.includes('\0')

const isTopic = (text: string): boolean => text !== '' && !hasWildcard(text) && text[0] !== '$'
