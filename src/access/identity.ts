import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { MINUTE } from '../lib/unix-time.ts'
import { forcesSmsLogin, organizationsBelow } from '../registry/organizations.ts'
import type { Registry } from '../registry/tables.ts'
import { findToken, touchToken } from '../registry/tokens.ts'
import { findUser, findUserByEmail, organizationsOf, readRights } from '../registry/users.ts'
import { isPassword, NO_PASSWORD } from './password.ts'
import { Grants } from './permission.ts'
import type { Principal } from './principal.ts'
import { Throttle } from './throttle.ts'
import { hashToken, IDLE } from './tokens.ts'

/** What a caller showed and may be asked for again; never the secret itself. */
export type Credential =
  | { kind: 'token'; hash: string }
  | { kind: 'password'; userId: number; passwordHash: string }

export type SignIn = { principal: Principal; credential: Credential }
export type SignInFault = { fault: 'refused' } | { fault: 'throttled'; retryAfter: number }

/** How often the last use of a token is written down. */
const TOUCH_EVERY = 10 * MINUTE
const MAX_REMEMBERED = 10_000

/** Turns tokens and passwords into principals, remembering both until something changes. */
export class Identity {
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #throttle: Throttle
  readonly #byToken = new Map<string, { principal: Principal; expires: number; lastUsed: number }>()
  readonly #byPassword = new Map<string, SignIn>()
  readonly #trying = new Map<string, Promise<SignIn | SignInFault>>()
  /** Names and passwords are known by a digest that is worth nothing outside this process. */
  readonly #digestKey = randomBytes(32)
  #generation = 0

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry
    this.#clock = clock
    this.#throttle = new Throttle(clock)
  }

  /** To be called when users, roles, tokens or organizations changed. */
  forget(): void {
    this.#generation++
    this.#byToken.clear()
    this.#byPassword.clear()
  }

  async byToken(token: string): Promise<SignIn | undefined> {
    const credential = { kind: 'token', hash: hashToken(token) } as const
    const principal = await this.#resolveToken(credential.hash)
    return principal && { principal, credential }
  }

  /** Any name with a token as password, or e-mail and password. */
  async byNameAndPassword(
    name: string,
    password: string,
    address: string
  ): Promise<SignIn | SignInFault> {
    const byToken = await this.byToken(password)
    if (byToken) return byToken
    const digest = this.#digest(name, password)
    const remembered = this.#byPassword.get(digest)
    if (remembered) return remembered
    const generation = this.#generation
    const found = await this.byPassword(name, password, address)
    if ('principal' in found && generation === this.#generation) {
      if (this.#byPassword.size >= MAX_REMEMBERED) this.#byPassword.clear()
      this.#byPassword.set(digest, found)
    }
    return found
  }

  /** E-mail and password alone, as POST /auth wants them. */
  byPassword(email: string, password: string, address: string): Promise<SignIn | SignInFault> {
    // A client that opens with many requests at once is one try, not many.
    const digest = this.#digest(email, password, address)
    let trying = this.#trying.get(digest)
    if (!trying) {
      trying = this.#tryPassword(email, password, address).finally(() =>
        this.#trying.delete(digest)
      )
      this.#trying.set(digest, trying)
    }
    return trying
  }

  async #tryPassword(
    email: string,
    password: string,
    address: string
  ): Promise<SignIn | SignInFault> {
    const retryAfter = this.#throttle.wait(email, address)
    if (retryAfter > 0) return { fault: 'throttled', retryAfter }
    // Counted before the slow part, so that guesses side by side count like guesses in a row.
    this.#throttle.tried(email, address)
    const user = await findUserByEmail(this.#registry, email)
    const isRight = await isPassword(password, user?.password_hash ?? NO_PASSWORD)
    // The second factor is never gone round: who needs one gets in by POST and PUT /auth alone.
    if (!user || !isRight || (await this.#needsSecondFactor(user))) return { fault: 'refused' }
    const principal = await this.#load(user.id, undefined)
    if (!principal) return { fault: 'refused' }
    this.#throttle.succeeded(email, address)
    return {
      principal,
      credential: { kind: 'password', userId: user.id, passwordHash: user.password_hash }
    }
  }

  /** The same caller as of now; undefined when the token, user or password ended. */
  async renew(credential: Credential): Promise<Principal | undefined> {
    if (credential.kind === 'token') return this.#resolveToken(credential.hash)
    const user = await findUser(this.#registry, credential.userId)
    if (user?.password_hash !== credential.passwordHash) return undefined
    if (await this.#needsSecondFactor(user)) return undefined
    return this.#load(user.id, undefined)
  }

  async #resolveToken(hash: string): Promise<Principal | undefined> {
    const now = this.#clock()
    const known = this.#byToken.get(hash)
    if (known) {
      if (known.expires <= now || known.lastUsed + IDLE <= now) return undefined
      if (known.lastUsed + TOUCH_EVERY <= now) {
        known.lastUsed = now
        await touchToken(this.#registry, known.principal.tokenId ?? 0, now)
      }
      return known.principal
    }
    const generation = this.#generation
    const token = await findToken(this.#registry, hash)
    if (!token || token.expires <= now || token.last_used + IDLE <= now) return undefined
    const principal = await this.#load(token.user_id, token.id)
    if (principal && generation === this.#generation) {
      if (this.#byToken.size >= MAX_REMEMBERED) this.#byToken.clear()
      this.#byToken.set(hash, { principal, expires: token.expires, lastUsed: token.last_used })
    }
    return principal
  }

  async #load(userId: number, tokenId: number | undefined): Promise<Principal | undefined> {
    const rights = await readRights(this.#registry, userId)
    if (!rights || (rights.expire_at > 0 && rights.expire_at <= this.#clock())) return undefined
    return {
      owner: `user:${userId}`,
      userId,
      tokenId,
      priority: rights.priority,
      grants: new Grants(JSON.parse(rights.permissions)),
      organizationIds: rights.organizationIds,
      organizationsBelow: new Set(await organizationsBelow(this.#registry, rights.organizationIds)),
      assigned: new Set(rights.installationIds)
    }
  }

  #digest(...parts: string[]): string {
    return createHmac('sha256', this.#digestKey).update(parts.join('\0')).digest('base64')
  }

  async #needsSecondFactor(user: { id: number; sms_login: number }): Promise<boolean> {
    if (user.sms_login) return true
    return forcesSmsLogin(this.#registry, await organizationsOf(this.#registry, user.id))
  }
}
