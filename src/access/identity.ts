import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { clientIdOf } from '../lib/topic.ts'
import { HOUR, MINUTE } from '../lib/unix-time.ts'
import { findGateway } from '../registry/gateways.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { forcesSmsLogin, organizationsBelow, topOrganization } from '../registry/organizations.ts'
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
  readonly #byToken = new Map<string, { principal: Principal; token: TokenRow }>()
  readonly #byPassword = new Map<string, SignIn>()
  /** Fingerprints of gateways, by installation: open connections are asked about all the time. */
  readonly #gateways = new Map<number, string>()
  readonly #trying = new Map<string, Promise<Verified | SignInFault>>()
  /** Names and passwords are known by a digest that is worth nothing outside this process. */
  readonly #digestKey = randomBytes(32)
  #generation = 0

  constructor(registry: Registry, directory: Directory, clock: Clock) {
    this.#registry = registry
    this.#directory = directory
    this.#clock = clock
    this.throttle = new Throttle(clock)
    this.accountChanges = new RateLimit(clock, ACCOUNT_CHANGES)
  }

  /** To be called when users, roles, tokens or organizations changed; undefined: of anybody. */
  forget(users?: ReadonlySet<number>): void {
    this.#generation++
    if (users) {
      for (const [key, { principal }] of this.#byToken) {
        if (users.has(principal.userId)) this.#byToken.delete(key)
      }
      for (const [key, { principal }] of this.#byPassword) {
        if (users.has(principal.userId)) this.#byPassword.delete(key)
      }
      return
    }
    this.#byToken.clear()
    this.#byPassword.clear()
    this.#gateways.clear()
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
    const remembered = this.#byPassword.get(digest)
    if (remembered && !this.#hasExpired(remembered.principal.expireAt)) return remembered
    const generation = this.#generation
    // No e-mail address is digits alone.
    const gateway = this.#directory.installationByClientId(clientIdOf(name) ?? 0)
    const found = await (gateway
      ? this.byGateway(gateway, password, origin.address)
      : this.#byPasswordOf(name, password, origin.address))
    if ('fault' in found) return found
    if (generation === this.#generation) {
      if (this.#byPassword.size >= MAX_REMEMBERED) this.#byPassword.clear()
      this.#byPassword.set(digest, found)
    }
    return found
  }

  async #byPasswordOf(
    email: string,
    password: string,
    address: string
  ): Promise<SignIn | SignInFault> {
    const verified = await this.verify(email, password, address)
    if ('fault' in verified) return verified
    const { user, needsSecondFactor } = verified
    // The second factor is never gone round: who needs one gets in by POST and PUT /auth alone.
    const principal = needsSecondFactor ? undefined : await this.#load(user.id, undefined)
    if (!principal) return { fault: 'refused' }
    return {
      principal,
      credential: { kind: 'password', userId: user.id, fingerprint: fingerprintOf(user) }
    }
  }

  /** The gateway of an installation. `claim` saves the password where none is saved. */
  async byGateway(
    installation: InstallationRef,
    password: string,
    address: string,
    claim?: () => Promise<void>
  ): Promise<SignIn | SignInFault> {
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
    const user = await findUser(this.#registry, credential.userId)
    if (!user || fingerprintOf(user) !== credential.fingerprint) return undefined
    if (await this.#needsSecondFactor(user)) return undefined
    return this.#load(user.id, undefined)
  }

  async #fingerprintOfGateway(installationId: number): Promise<string | undefined> {
    if (!this.#directory.installation(installationId)) return undefined
    const known = this.#gateways.get(installationId)
    if (known !== undefined) return known
    const generation = this.#generation
    const saved = await findGateway(this.#registry, installationId)
    const fingerprint = saved && fingerprintOf(saved)
    if (fingerprint && generation === this.#generation) {
      this.#gateways.set(installationId, fingerprint)
    }
    return fingerprint
  }

  async #resolveToken(hash: string, origin?: Origin): Promise<Principal | undefined> {
    let known = this.#byToken.get(hash)
    if (!known) {
      const generation = this.#generation
      const token = await findToken(this.#registry, hash, ['session', 'key'])
      const principal = token && (await this.#load(token.user_id, token))
      if (!principal) return undefined
      known = { principal, token }
      if (generation === this.#generation) {
        if (this.#byToken.size >= MAX_REMEMBERED) this.#byToken.clear()
        this.#byToken.set(hash, known)
      }
    }
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

  async #load(userId: number, token: TokenRow | undefined): Promise<Principal | undefined> {
    const rights = await readRights(this.#registry, userId)
    if (!rights || this.#hasExpired(rights.expire_at)) return undefined
    const { priority, organizationIds, installationIds } = rights
    const below = new Set(await organizationsBelow(this.#registry, organizationIds))
    return {
      kind: 'user',
      owner: `user:${userId}`,
      userId,
      tokenId: token?.id,
      priority,
      expireAt: rights.expire_at,
      grants: new Grants(JSON.parse(rights.permissions)),
      limit: token?.permissions ? Grants.of(JSON.parse(token.permissions)) : undefined,
      organizationIds,
      organizationsBelow: below,
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
