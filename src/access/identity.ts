import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { clientIdOf } from '../lib/topic.ts'
import { HOUR, MINUTE } from '../lib/unix-time.ts'
import { findGateway } from '../registry/gateways.ts'
import type { InstallationRef } from '../registry/installations.ts'
import {
  forcesSmsLogin,
  organizationsAbove,
  organizationsBelow,
  topOrganization
} from '../registry/organizations.ts'
import type { Registry } from '../registry/tables.ts'
import { findToken, type TokenRow, touchToken } from '../registry/tokens.ts'
import {
  findUser,
  findUserByEmail,
  organizationsOf,
  readRights,
  type UserRow
} from '../registry/users.ts'
import type { Directory } from './directory.ts'
import { gatewayPrincipal } from './gateway.ts'
import { concerns, type IdentityChange } from './identity-change.ts'
import { isPassword, NO_PASSWORD } from './password.ts'
import { Grants } from './permission.ts'
import type { Principal } from './principal.ts'
import { Throttle } from './throttle.ts'
import { hasEnded, hashToken } from './tokens.ts'

/** What a caller showed and may be asked for again; never the secret itself. */
export type Credential =
  | { kind: 'token'; hash: string }
  | { kind: 'password'; userId: number; fingerprint: string }
  | { kind: 'gateway'; installation: InstallationRef; fingerprint: string }

type PasswordCredential = Exclude<Credential, { kind: 'token' }>
type PasswordSignIn = { principal: Principal; credential: PasswordCredential }
type KnownToken = { principal: Principal; token: TokenRow }

export type SignIn = { principal: Principal; credential: Credential }
export type SignInFault = { fault: 'refused' } | { fault: 'throttled'; retryAfter: number }
export type Verified = { user: UserRow; needsSecondFactor: boolean }
/** From where a request comes. */
export type Origin = { address: string; agent: string }

/** How often the last use of a token is written down. */
const TOUCH_EVERY = MINUTE
const MAX_REMEMBERED = 10_000
/** Each one is told by mail, and nobody floods an address with those. */
const ACCOUNT_CHANGES = { most: 10, window: HOUR }

/** Turns tokens and passwords into principals, remembering both until something changes. */
export class Identity {
  readonly throttle: Throttle
  /** How often somebody may change what they sign in with, by user. */
  readonly accountChanges: RateLimit
  readonly #registry: Registry
  readonly #directory: Directory
  readonly #clock: Clock
  readonly #byToken = new Map<string, KnownToken>()
  /** Names and passwords that were right, until the account or the gateway changes. */
  readonly #byPassword = new Map<string, PasswordCredential>()
  /** By user and fingerprint. */
  readonly #renewed = new Map<string, Principal>()
  /** Fingerprints of gateways, by installation: open connections are asked about all the time. */
  readonly #gateways = new Map<number, string>()
  readonly #trying = new Map<string, Promise<Verified | SignInFault>>()
  /** Names and passwords are known by a digest that is worth nothing outside this process. */
  readonly #digestKey = randomBytes(32)
  /** For what is being read from the registry: the changes it may have missed. */
  readonly #reading = new Set<(IdentityChange | undefined)[]>()

  constructor(registry: Registry, directory: Directory, clock: Clock) {
    this.#registry = registry
    this.#directory = directory
    this.#clock = clock
    this.throttle = new Throttle(clock)
    this.accountChanges = new RateLimit(clock, ACCOUNT_CHANGES)
  }

  /** To be called when users, roles, tokens or organizations changed; undefined: any of them. */
  forget(change?: IdentityChange): void {
    for (const missed of this.#reading) missed.push(change)
    if (change) {
      deleteWhere(this.#byToken, ({ principal }) => concerns(change, principal))
      deleteWhere(this.#renewed, (principal) => concerns(change, principal))
      deleteWhere(this.#byPassword, (credential) => isAbout(change, credential))
      for (const id of change.gateways) this.#gateways.delete(id)
      return
    }
    for (const known of [this.#byToken, this.#renewed, this.#byPassword, this.#gateways]) {
      known.clear()
    }
  }

  /** Keeps what was read, unless it may have changed meanwhile. */
  async #read<T>(
    read: () => Promise<T>,
    keep: { isTouched: (change: IdentityChange, found: T) => boolean; in: (found: T) => void }
  ): Promise<T> {
    const missed: (IdentityChange | undefined)[] = []
    this.#reading.add(missed)
    let found: T
    try {
      found = await read()
    } finally {
      this.#reading.delete(missed)
    }
    // In the same moment: a change that comes next finds it kept.
    if (missed.every((change) => change && !keep.isTouched(change, found))) keep.in(found)
    return found
  }

  async byToken(token: string, origin?: Origin): Promise<SignIn | undefined> {
    const credential = { kind: 'token', hash: hashToken(token) } as const
    const principal = await this.#resolveToken(credential.hash, origin)
    return principal && { principal, credential }
  }

  /**
   * Any name with a token as password, e-mail and password where no second factor is needed, or a
   * client id and the password of its gateway.
   */
  async byNameAndPassword(
    name: string,
    password: string,
    origin: Origin
  ): Promise<SignIn | SignInFault> {
    const byToken = await this.byToken(password, origin)
    if (byToken) return byToken
    const digest = this.#digest(name, password)
    const known = this.#byPassword.get(digest)
    const renewed = known && (await this.renew(known))
    if (renewed) return { principal: renewed, credential: known }
    // No e-mail address is digits alone.
    const gateway = this.#directory.installationByClientId(clientIdOf(name) ?? 0)
    return this.#read(
      () =>
        gateway
          ? this.byGateway(gateway, password, origin.address)
          : this.#byPasswordOf(name, password, origin.address),
      {
        isTouched: (change, found) => 'fault' in found || isAbout(change, found.credential),
        in: (found) => {
          if ('credential' in found) remember(this.#byPassword, digest, found.credential)
        }
      }
    )
  }

  async #byPasswordOf(
    email: string,
    password: string,
    address: string
  ): Promise<PasswordSignIn | SignInFault> {
    const verified = await this.verify(email, password, address)
    if ('fault' in verified) return verified
    const { user } = verified
    const fingerprint = fingerprintOf(user)
    const credential = { kind: 'password', userId: user.id, fingerprint } as const
    // The second factor is never gone round: who needs one gets in by POST and PUT /auth alone.
    const principal = verified.needsSecondFactor ? undefined : await this.renew(credential)
    return principal ? { principal, credential } : { fault: 'refused' }
  }

  /** The gateway of an installation. `claim` saves the password where none is saved. */
  async byGateway(
    installation: InstallationRef,
    password: string,
    address: string,
    claim?: () => Promise<void>
  ): Promise<PasswordSignIn | SignInFault> {
    const name = `gateway ${installation.id}`
    const retryAfter = this.throttle.wait(name, address)
    if (retryAfter > 0) return { fault: 'throttled', retryAfter }
    this.throttle.tried(name, address)
    let saved = await findGateway(this.#registry, installation.id)
    if (!saved && claim) {
      await claim()
      saved = await findGateway(this.#registry, installation.id)
    }
    if (!saved || !(await isPassword(password, saved.password_hash, address)))
      return { fault: 'refused' }
    this.throttle.succeeded(name, address)
    const fingerprint = fingerprintOf(saved)
    const credential = { kind: 'gateway', installation, fingerprint } as const
    return { principal: gatewayPrincipal(installation), credential }
  }

  /** Whether these are an account's e-mail and password; tries are counted. */
  verify(email: string, password: string, address: string): Promise<Verified | SignInFault> {
    // A client that opens with many requests at once is one try, not many.
    const digest = this.#digest(email, password, address)
    let trying = this.#trying.get(digest)
    if (!trying) {
      trying = this.#verify(email, password, address).finally(() => this.#trying.delete(digest))
      this.#trying.set(digest, trying)
    }
    return trying
  }

  async #verify(email: string, password: string, address: string): Promise<Verified | SignInFault> {
    const retryAfter = this.throttle.wait(email, address)
    if (retryAfter > 0) return { fault: 'throttled', retryAfter }
    // Counted before the slow part, so that guesses side by side count like guesses in a row.
    this.throttle.tried(email, address)
    // No account has a NUL in its name, and PostgreSQL refuses to look for one.
    const user = email.includes('\0') ? undefined : await findUserByEmail(this.#registry, email)
    const isRight = await isPassword(password, user?.password_hash || NO_PASSWORD, address)
    if (!user || !isRight || this.#hasExpired(user.expire_at)) return { fault: 'refused' }
    this.throttle.succeeded(email, address)
    return { user, needsSecondFactor: await this.#needsSecondFactor(user) }
  }

  /** The same caller as of now; undefined when the token, user or password ended. */
  async renew(credential: Credential): Promise<Principal | undefined> {
    if (credential.kind === 'token') return this.#resolveToken(credential.hash)
    if (credential.kind === 'gateway') {
      const { installation, fingerprint } = credential
      const isSame = fingerprint === (await this.#fingerprintOfGateway(installation.id))
      return isSame ? gatewayPrincipal(installation) : undefined
    }
    const key = `${credential.userId} ${credential.fingerprint}`
    const known = this.#renewed.get(key)
    if (known) return this.#hasExpired(known.expireAt) ? undefined : known
    return this.#read(() => this.#readAgain(credential), {
      isTouched: (change, principal) => !principal || concerns(change, principal),
      in: (principal) => {
        if (principal) remember(this.#renewed, key, principal)
      }
    })
  }

  async #readAgain({
    userId,
    fingerprint
  }: Extract<Credential, { kind: 'password' }>): Promise<Principal | undefined> {
    const user = await findUser(this.#registry, userId)
    if (!user || fingerprintOf(user) !== fingerprint) return undefined
    return (await this.#needsSecondFactor(user)) ? undefined : this.#load(userId, undefined)
  }

  async #fingerprintOfGateway(installationId: number): Promise<string | undefined> {
    if (!this.#directory.installation(installationId)) return undefined
    const known = this.#gateways.get(installationId)
    if (known !== undefined) return known
    const saved = await this.#read(() => findGateway(this.#registry, installationId), {
      isTouched: ({ gateways }) => gateways.has(installationId),
      in: (found) => {
        if (found) this.#gateways.set(installationId, fingerprintOf(found))
      }
    })
    return saved && fingerprintOf(saved)
  }

  async #resolveToken(hash: string, origin?: Origin): Promise<Principal | undefined> {
    const known = this.#byToken.get(hash) ?? (await this.#readToken(hash))
    if (!known) return undefined
    const now = this.#clock()
    const { principal, token } = known
    if (hasEnded(token, now) || this.#hasExpired(principal.expireAt)) return undefined
    const isFirstUse = token.address === '' && origin !== undefined
    if (isFirstUse || token.last_used + TOUCH_EVERY <= now) {
      const { agent, address } = origin ?? token
      Object.assign(token, { last_used: now, agent, address })
      await touchToken(this.#registry, token.id, { now, agent, address })
    }
    return principal
  }

  #readToken(hash: string): Promise<KnownToken | undefined> {
    const read = async () => {
      const token = await findToken(this.#registry, hash, ['session', 'key'])
      const principal = token && (await this.#load(token.user_id, token))
      return principal && { principal, token }
    }
    return this.#read(read, {
      isTouched: (change, found) => !found || concerns(change, found.principal),
      in: (found) => {
        if (found) remember(this.#byToken, hash, found)
      }
    })
  }

  async #load(userId: number, token: TokenRow | undefined): Promise<Principal | undefined> {
    const rights = await readRights(this.#registry, userId)
    if (!rights || this.#hasExpired(rights.expire_at)) return undefined
    const { priority, organizationIds, installationIds } = rights
    const below = new Set(await organizationsBelow(this.#registry, organizationIds))
    const above = new Set(await organizationsAbove(this.#registry, organizationIds))
    return {
      kind: 'user',
      owner: `user:${userId}`,
      userId,
      tokenId: token?.id,
      priority,
      roleId: rights.role_id,
      expireAt: rights.expire_at,
      grants: new Grants(JSON.parse(rights.permissions)),
      limit: token?.permissions ? Grants.of(JSON.parse(token.permissions)) : undefined,
      organizationIds,
      organizationsBelow: below,
      organizationsAbove: above,
      reachesTop: below.has(await topOrganization(this.#registry)),
      assigned: new Set(installationIds)
    }
  }

  #hasExpired(at: number): boolean {
    return at > 0 && at <= this.#clock()
  }

  #digest(...parts: string[]): string {
    return createHmac('sha256', this.#digestKey).update(parts.join('\0')).digest('base64')
  }

  async #needsSecondFactor(user: { id: number; sms_login: number }): Promise<boolean> {
    if (user.sms_login) return true
    return forcesSmsLogin(this.#registry, await organizationsOf(this.#registry, user.id))
  }
}

/** Another one when the password changes. It may lie on disk: no password can be tried against it. */
const fingerprintOf = ({ password_hash }: { password_hash: string }): string =>
  hash('sha256', password_hash, 'base64url')

const isAbout = ({ users, gateways }: IdentityChange, credential: PasswordCredential): boolean =>
  credential.kind === 'gateway'
    ? gateways.has(credential.installation.id)
    : users.has(credential.userId)

function remember<T>(known: Map<string, T>, key: string, found: T): void {
  if (known.size >= MAX_REMEMBERED) known.clear()
  known.set(key, found)
}

function deleteWhere<T>(known: Map<string, T>, is: (value: T) => boolean): void {
  for (const [key, value] of known) if (is(value)) known.delete(key)
}
