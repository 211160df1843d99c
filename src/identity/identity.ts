import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import type { MountPlace } from '../lib/mount.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { clientIdOf } from '../lib/topic.ts'
import { HOUR, MINUTE } from '../lib/unix-time.ts'
import type { Directory } from '../permission/directory.ts'
import { Grants } from '../permission/grants.ts'
import type { Principal } from '../permission/principal.ts'
import { findGateway } from '../registry/gateways.ts'
import type { InstallationRef } from '../registry/installations.ts'
import {
  forcesSmsLogin,
  organizationsAbove,
  organizationsBelow,
  topOrganization
} from '../registry/organizations.ts'
import { type SharedUses, sharedUsesOf } from '../registry/shared-uses.ts'
import type { Registry } from '../registry/tables.ts'
import { findToken, mountOf, type TokenRow, touchToken } from '../registry/tokens.ts'
import {
  findUser,
  findUserByEmail,
  organizationsOf,
  readRights,
  type UserRow
} from '../registry/users.ts'
import { type CertificateFault, ClientCertificates } from './client-certificates.ts'
import { gatewayPrincipal } from './gateway.ts'
import { concerns, type IdentityChange } from './identity-change.ts'
import { isPassword, NO_PASSWORD } from './password.ts'
import { SIGN_IN, Throttle } from './throttle.ts'
import { hasEnded, hashToken } from './tokens.ts'

/** How a caller signed in, to check later that it still holds. It never contains the secret. */
export type Credential =
  | { kind: 'token'; hash: string }
  | { kind: 'password'; userId: number; fingerprint: string }
  | { kind: 'gateway'; installation: InstallationRef; fingerprint: string }
  | { kind: 'certificate'; id: number; fingerprint: string }

type PasswordCredential = Extract<Credential, { kind: 'password' | 'gateway' }>
type PasswordSignIn = { principal: Principal; credential: PasswordCredential }
type KnownToken = { principal: Principal; token: TokenRow }
type KnownGateway = { fingerprint: string; mount: MountPlace | undefined }

export type SignIn = { principal: Principal; credential: Credential }
export type SignInFault = { fault: 'refused' } | { fault: 'throttled'; retryAfter: number }
export type Verified = { user: UserRow; needsSecondFactor: boolean }
export type Origin = { address: string; agent: string }

/** How often the last use of a token is stored. */
const TOUCH_EVERY_MS = MINUTE
const MAX_REMEMBERED_SIGN_INS = 10_000
/** Each change sends a mail, so the number is limited. */
const ACCOUNT_CHANGES = { most: 10, windowMs: HOUR }

/** Turns tokens and passwords into principals, and remembers them until something changes. */
export class Identity {
  readonly throttle: Throttle
  readonly #registry: Registry
  readonly #directory: Directory
  readonly #clock: Clock
  readonly #shared: SharedUses | undefined
  readonly #certificates: ClientCertificates
  readonly #accountChanges: RateLimit<number>
  readonly #byToken = new Map<string, KnownToken>()
  /** Names and passwords that were right. An entry ends when the account or the gateway changes. */
  readonly #byPassword = new Map<string, PasswordCredential>()
  /** The key is the user id, and the fingerprint of a user who signed in. */
  readonly #renewed = new Map<string, Principal>()
  /** Credentials of gateways, by installation. Open connections are checked very often. */
  readonly #gateways = new Map<number, KnownGateway>()
  readonly #trying = new Map<string, Promise<Verified | SignInFault>>()
  /** Names and passwords are remembered as a digest that is useless outside this process. */
  readonly #digestKey = randomBytes(32)
  /** One list for each read that is under way: the changes that the read may have missed. */
  readonly #reading = new Set<(IdentityChange | undefined)[]>()

  constructor(registry: Registry, directory: Directory, clock: Clock) {
    this.#registry = registry
    this.#directory = directory
    this.#clock = clock
    this.#shared = sharedUsesOf(registry, clock)
    this.#certificates = new ClientCertificates(registry, directory, clock)
    this.throttle = new Throttle(clock, this.#shared, SIGN_IN)
    this.#accountChanges = new RateLimit(clock, ACCOUNT_CHANGES)
  }

  /**
   * Counts a change of one's own password, e-mail address or mobile number. Answers the seconds
   * until the next one is allowed; 0: now.
   */
  async takeAccountChange(userId: number): Promise<number> {
    const wait = this.#accountChanges.take(userId)
    if (wait > 0 || !this.#shared) return wait
    return this.#shared.take([{ key: `account change ${userId}`, ...ACCOUNT_CHANGES }])
  }

  /** Call this when users, roles, tokens or organizations changed; undefined means all of them. */
  forget(change?: IdentityChange): void {
    for (const missed of this.#reading) missed.push(change)
    this.#certificates.forget(change)
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

  /** Keeps the result of `read`, unless it may have changed meanwhile. */
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
    // No await in between: the next change finds the kept result and can remove it.
    if (missed.every((change) => change && !keep.isTouched(change, found))) keep.in(found)
    return found
  }

  /** The caller of a token that is in memory, unless its use must be stored. Most requests have one. */
  known(tokenHash: string): Principal | undefined {
    const known = this.#byToken.get(tokenHash)
    const isNoted = known && known.token.address !== '' && !this.#isTouchDue(known.token)
    return isNoted && this.#isUsable(known) ? known.principal : undefined
  }

  async byToken(token: string, origin?: Origin): Promise<SignIn | undefined> {
    const credential = { kind: 'token', hash: hashToken(token) } as const
    const principal = await this.#resolveToken(credential.hash, origin)
    return principal && { principal, credential }
  }

  /**
   * Accepts any name with a token as password; an e-mail and password if no second factor is
   * needed; or a client id and the password of its gateway.
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
    // A name of digits only is a client id: no e-mail address looks like that.
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
    // A user who needs a second factor must sign in with POST and PUT /auth.
    const principal = verified.needsSecondFactor ? undefined : await this.renew(credential)
    return principal ? { principal, credential } : { fault: 'refused' }
  }

  /** Signs in the gateway of an installation. `claim` is called if no password is saved yet. */
  async byGateway(
    installation: InstallationRef,
    password: string,
    address: string,
    claim?: () => Promise<void>
  ): Promise<PasswordSignIn | SignInFault> {
    const name = `gateway ${installation.id}`
    const retryAfter = await this.throttle.take(name, address)
    if (retryAfter > 0) return { fault: 'throttled', retryAfter }
    let saved = await findGateway(this.#registry, installation.id)
    if (!saved && claim) {
      await claim()
      saved = await findGateway(this.#registry, installation.id)
    }
    if (!saved || !(await isPassword(password, saved.password_hash, address)))
      return { fault: 'refused' }
    await this.throttle.succeeded(name, address)
    const fingerprint = fingerprintOf(saved)
    const credential = { kind: 'gateway', installation, fingerprint } as const
    return { principal: gatewayPrincipal(installation, saved.mount), credential }
  }

  /** By the SHA-256 of a client certificate, whose key the client has shown to have. */
  async byCertificate(fingerprint: string): Promise<SignIn | { fault: CertificateFault }> {
    const found = await this.#certificates.find(fingerprint)
    if (typeof found === 'string') return { fault: found }
    const { id, principal } = found
    return { principal, credential: { kind: 'certificate', id, fingerprint } }
  }

  /** Checks the e-mail and password of an account. Failed tries are counted. */
  verify(email: string, password: string, address: string): Promise<Verified | SignInFault> {
    // Equal sign-ins at the same time count as one try: some clients start with many requests.
    const digest = this.#digest(email, password, address)
    let trying = this.#trying.get(digest)
    if (!trying) {
      trying = this.#verify(email, password, address).finally(() => this.#trying.delete(digest))
      this.#trying.set(digest, trying)
    }
    return trying
  }

  async #verify(email: string, password: string, address: string): Promise<Verified | SignInFault> {
    const retryAfter = await this.throttle.take(email, address)
    if (retryAfter > 0) return { fault: 'throttled', retryAfter }
    // PostgreSQL refuses to search for text with NUL.
    const user = email.includes('\0') ? undefined : await findUserByEmail(this.#registry, email)
    const isRight = await isPassword(password, user?.password_hash || NO_PASSWORD, address)
    if (!user || !isRight || this.#hasExpired(user.expire_at)) return { fault: 'refused' }
    await this.throttle.succeeded(email, address)
    return { user, needsSecondFactor: await this.#needsSecondFactor(user) }
  }

  /** The current principal of the caller; undefined if the token, user or password has ended. */
  async renew(credential: Credential): Promise<Principal | undefined> {
    if (credential.kind === 'token') return this.#resolveToken(credential.hash)
    if (credential.kind === 'certificate') {
      const found = await this.#certificates.find(credential.fingerprint)
      return typeof found === 'string' ? undefined : found.principal
    }
    if (credential.kind === 'gateway') {
      const { installation, fingerprint } = credential
      const known = await this.#credentialOfGateway(installation.id)
      return known?.fingerprint === fingerprint
        ? gatewayPrincipal(installation, known.mount)
        : undefined
    }
    const key = `${credential.userId} ${credential.fingerprint}`
    return this.#knownOr(key, () => this.#readAgain(credential))
  }

  /** What a user may do at the moment, who does not call; undefined if the account has ended. */
  ofUser(userId: number): Promise<Principal | undefined> {
    return this.#knownOr(`${userId}`, () => this.#load(userId, undefined))
  }

  async #knownOr(key: string, read: () => Promise<Principal | undefined>) {
    const known = this.#renewed.get(key)
    if (known) return this.#hasExpired(known.expireAt) ? undefined : known
    return this.#read(read, {
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

  async #credentialOfGateway(installationId: number): Promise<KnownGateway | undefined> {
    if (!this.#directory.installation(installationId)) return undefined
    const known = this.#gateways.get(installationId)
    if (known !== undefined) return known
    const read = async () => {
      const saved = await findGateway(this.#registry, installationId)
      return saved && { fingerprint: fingerprintOf(saved), mount: saved.mount }
    }
    return this.#read(read, {
      isTouched: ({ gateways }) => gateways.has(installationId),
      in: (found) => {
        if (found) this.#gateways.set(installationId, found)
      }
    })
  }

  async #resolveToken(hash: string, origin?: Origin): Promise<Principal | undefined> {
    const known = this.#byToken.get(hash) ?? (await this.#readToken(hash))
    if (!known || !this.#isUsable(known)) return undefined
    const { principal, token } = known
    const isFirstUse = token.address === '' && origin !== undefined
    if (isFirstUse || this.#isTouchDue(token)) {
      const now = this.#clock()
      const { agent, address } = origin ?? token
      Object.assign(token, { last_used: now, agent, address })
      await touchToken(this.#registry, token.id, { now, agent, address })
    }
    return principal
  }

  #isUsable({ principal, token }: KnownToken): boolean {
    return !hasEnded(token, this.#clock()) && !this.#hasExpired(principal.expireAt)
  }

  #isTouchDue({ last_used }: TokenRow): boolean {
    return last_used + TOUCH_EVERY_MS <= this.#clock()
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
      mount: token && mountOf(token),
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

/** Changes with the password. It may be stored on disk: nobody can guess passwords with it. */
const fingerprintOf = ({ password_hash }: { password_hash: string }): string =>
  hash('sha256', password_hash, 'base64url')

const isAbout = ({ users, gateways }: IdentityChange, credential: PasswordCredential): boolean =>
  credential.kind === 'gateway'
    ? gateways.has(credential.installation.id)
    : users.has(credential.userId)

function remember<T>(known: Map<string, T>, key: string, found: T): void {
  if (known.size >= MAX_REMEMBERED_SIGN_INS) known.clear()
  known.set(key, found)
}

function deleteWhere<T>(known: Map<string, T>, is: (value: T) => boolean): void {
  for (const [key, value] of known) if (is(value)) known.delete(key)
}
