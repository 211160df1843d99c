import type { FastifyRequest } from 'fastify'
import type { App, Deps } from '../deps.ts'
import { basicCredentials, bearerOf, keyOf, originOf } from '../http/credentials.ts'
import {
  ApiError,
  forbidden,
  isTooManyTries,
  lacking,
  onlyMqtt,
  tooManyTries,
  unauthorized
} from '../http/errors.ts'
import type { FailedSignIn } from '../identity/failed-sign-ins.ts'
import type { SignIn, SignInFault } from '../identity/identity.ts'
import { hashPassword } from '../identity/password.ts'
import { hasEnded, hashToken, hashTokenOnce, isSameSecret } from '../identity/tokens.ts'
import { claimGateway, readGatewayPolicy } from '../registry/gateways.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { organizationsBelow } from '../registry/organizations.ts'
import { findRole } from '../registry/roles.ts'
import { findToken, type TokenRow } from '../registry/tokens.ts'
import { findUser, organizationsOf, type UserRow, visibleUsers } from '../registry/users.ts'
import type { PlainPermission, ScopedAction } from './catalogue.ts'
import { mayHandOut } from './delegation.ts'
import { Grants } from './grants.ts'
import {
  isNone,
  type ModelxResource,
  type ModelxVerb,
  type Types,
  typesAllowed
} from './modelx-types.ts'
import { neededBy } from './needed.ts'
import { holds, may, type Principal } from './principal.ts'
import type { RouteAccess } from './route-access.ts'
import { organizationsWithin, reachesEverything, usersVisibleTo } from './visibility.ts'

const MIN_GATEWAY_PASSWORD_LENGTH = 8

export const everyone: RouteAccess = { kind: 'public' }
export const signedIn: RouteAccess = { kind: 'signedIn' }
export const pending: RouteAccess = { kind: 'pending' }
export const gatewayItself: RouteAccess = { kind: 'gateway' }
export const whenAssigned = (action: ScopedAction): RouteAccess => ({ kind: 'assigned', action })
export const systemAccount: RouteAccess = { kind: 'system' }
export const theBroker: RouteAccess = { kind: 'broker' }
export const permit = (...permissions: PlainPermission[]): RouteAccess => ({
  kind: 'permission',
  permissions
})
export const onPlatform = (...permissions: PlainPermission[]): RouteAccess => ({
  kind: 'platform',
  permissions
})
export const onInstallation = (...actions: ScopedAction[]): RouteAccess => ({
  kind: 'installation',
  actions
})
export const onBucket = (...actions: ScopedAction[]): RouteAccess => ({ kind: 'bucket', actions })
export const onModelx = (resource: ModelxResource, verb: ModelxVerb): RouteAccess => ({
  kind: 'modelx',
  resource,
  verb
})
export const onOrganization = (...permissions: PlainPermission[]): RouteAccess => ({
  kind: 'organization',
  permissions
})
export const withinOrganization = (
  action: ScopedAction,
  ...permissions: PlainPermission[]
): RouteAccess => ({ kind: 'within', action, permissions })
/** To read a user. */
export const onUser = (...permissions: PlainPermission[]): RouteAccess => ({
  kind: 'user',
  permissions,
  edits: 'nothing'
})
/** To change a user. The user's role must not exceed the rights of the caller. [ADR-0035] */
export const editUser = (permission: PlainPermission): RouteAccess => ({
  kind: 'user',
  permissions: [permission],
  edits: 'record'
})
/**
 * To manage the sign-in of a user or delete it. The caller must reach all the user's organizations.
 */
export const ownUser = (permission: PlainPermission): RouteAccess => ({
  kind: 'user',
  permissions: [permission],
  edits: 'account'
})

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess
    /** Statuses whose body uses another key than `message`. [contract: Errors] */
    errorKeys?: Readonly<Record<number, string>>
    /** Statuses that are sent without a body. [contract: Auth, Schedule] */
    bodiless?: readonly number[]
    /**
     * Why a write is allowed on a full disk: it is small, as a sign-in, or it checks the disk
     * itself.
     */
    evenWhenFull?: 'writes little' | 'asks itself'
  }
  interface FastifyRequest {
    /** Set on every route except public, pending and broker ones. */
    principal: Principal
    /** Set on routes with `onInstallation`, `onBucket`, `whenAssigned`, `gatewayItself` and `onModelx`. */
    installation: InstallationRef
    /** Set on routes with `onModelx`: the types of objects that the caller has the right for. */
    types: Types
    /** Set on routes with `onUser`, `editUser` and `ownUser`: the user that the path names. */
    subject: UserRow
    /** Set on routes with `pending`. */
    pendingToken: TokenRow
  }
}

/**
 * Signs callers in before a body is read, and checks the route's access before its handler runs.
 */
export function guard(
  app: App,
  { identity, failedSignIns, directory, registry, clock, systemAccounts, brokerKey }: Deps
): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} declares no access`)
  })
  for (const name of ['principal', 'installation', 'types', 'subject', 'pendingToken']) {
    app.decorateRequest(name)
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const { access } = request.routeOptions.config
    // A URL without a route is answered with 404. The sign-in of a gateway needs the path, which is
    // validated later.
    if (!access || access.kind === 'public' || access.kind === 'gateway') return done()
    const isByAccount = access.kind !== 'pending' && access.kind !== 'broker'
    const known = isByAccount ? knownCaller(request) : undefined
    if (known) {
      request.principal = known
      return done()
    }
    identify(request, access).then(() => done(), done)
  })

  app.addHook('onError', (request, _reply, error, done) => {
    const fault = failedSignIn(request, error)
    if (fault) failedSignIns.note(fault)
    done()
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const refuse = (error: unknown) => done(named(error, request))
    try {
      const pending = checkAccess(request)
      if (pending) pending.then(() => done(), refuse)
      else done()
    } catch (error) {
      refuse(error)
    }
  })

  /** Throws, or answers a promise where the registry must be asked. */
  function checkAccess(request: FastifyRequest): Promise<void> | undefined {
    const { access } = request.routeOptions.config
    const { principal } = request
    switch (access?.kind) {
      case 'system':
        if (principal.kind !== 'system') throw forbidden()
        break
      case 'permission':
        if (!access.permissions.some((name) => holds(principal, name))) throw forbidden()
        break
      case 'platform':
        if (!access.permissions.some((name) => holds(principal, name))) throw forbidden()
        if (!reachesEverything(principal)) throw forbidden()
        break
      case 'installation': {
        const { installation_id } = request.params as { installation_id: number }
        request.installation = findInstallation(principal, installation_id, access.actions)
        break
      }
      case 'bucket': {
        const { bucket } = request.query as { bucket: number }
        request.installation = findInstallation(principal, bucket, access.actions)
        break
      }
      case 'assigned': {
        const { installation_id } = request.params as { installation_id: number }
        request.installation = findInstallation(principal, installation_id, [access.action])
        if (!principal.assigned.has(request.installation.id)) throw forbidden()
        break
      }
      case 'gateway':
        return findGatewayItself(request).then((found) => void Object.assign(request, found))
      case 'modelx':
        Object.assign(request, findTypes(request, access))
        break
      case 'organization': {
        const { organization_id } = request.params as { organization_id: number }
        if (!access.permissions.some((name) => holds(principal, name))) throw forbidden()
        if (!principal.organizationsBelow.has(organization_id)) throw forbidden()
        break
      }
      case 'within': {
        const { organization_id } = request.params as { organization_id: number }
        if (!organizationsWithin(principal, access).has(organization_id)) throw forbidden()
        break
      }
      case 'user':
        return findSubject(request, access).then((subject) => {
          request.subject = subject
        })
    }
    return undefined
  }

  /** Without a promise, which costs microseconds in each request. */
  function knownCaller(request: FastifyRequest): Principal | undefined {
    const key = keyOf(request)
    const { authorization } = request.headers
    if (authorization !== undefined && key !== undefined) return undefined
    const token = key ?? bearerOf(request)
    const principal = token && identity.known(hashTokenOnce(request.socket, token))
    return principal && !principal.mount ? principal : undefined
  }

  async function identify(request: FastifyRequest, access: RouteAccess): Promise<void> {
    if (access.kind === 'pending') {
      request.pendingToken = await findPending(request)
      return
    }
    if (access.kind === 'broker') {
      const key = bearerOf(request) ?? basicCredentials(request)?.password
      if (brokerKey === '' || !key || !isSameSecret(key, brokerKey)) throw unauthorized()
      return
    }
    const system = systemPrincipal(request)
    // The password is right but not accepted here; it does not count as a failed sign-in.
    if (system && access.kind !== 'system') throw unauthorized()
    request.principal = system ?? (await signIn(request))
  }

  async function signIn(request: FastifyRequest): Promise<Principal> {
    const found = await trySignIn(request)
    if (!found) throw unauthorized()
    if ('fault' in found) throw signInError(found)
    if (found.principal.mount) throw onlyMqtt()
    return found.principal
  }

  async function trySignIn(request: FastifyRequest): Promise<SignIn | SignInFault | undefined> {
    const origin = originOf(request)
    const key = keyOf(request)
    if (key) return identity.byToken(key, origin)
    const bearer = bearerOf(request)
    if (bearer) return identity.byToken(bearer, origin)
    const basic = basicCredentials(request)
    return basic && identity.byNameAndPassword(basic.name, basic.password, origin)
  }

  async function findPending(request: FastifyRequest): Promise<TokenRow> {
    const key = keyOf(request)
    const token = key && (await findToken(registry, hashToken(key), ['pending']))
    if (!token || hasEnded(token, clock())) throw unauthorized()
    return token
  }

  function systemPrincipal(request: FastifyRequest): Principal | undefined {
    const basic = basicCredentials(request)
    const password = basic && systemAccounts.get(basic.name)
    if (!basic || password === undefined) return undefined
    const retryAfter = identity.throttle.wait(basic.name, request.ip)
    if (retryAfter > 0) throw tooManyTries(retryAfter)
    // A wrong password is tried like any other sign-in, and is counted there.
    if (!isSameSecret(password, basic.password)) return undefined
    // No try was counted, so none is taken back: else guesses between two sign-ins would be free.
    identity.throttle.forget(basic.name, request.ip)
    return { ...withoutRights, owner: `system:${basic.name}` }
  }

  /**
   * A missing installation and an invisible one get the same answer, so that ids cannot be probed.
   */
  function findInstallation(principal: Principal, id: number, actions: readonly ScopedAction[]) {
    const installation = directory.installation(id)
    if (!installation || !actions.some((action) => may(principal, action, installation))) {
      throw forbidden()
    }
    return installation
  }

  /** [contract: Gateway] Every fault is 401, so that other callers learn nothing here. */
  async function findGatewayItself(request: FastifyRequest) {
    const { installation_id } = request.params as { installation_id: number }
    const installation = directory.installation(installation_id)
    const basic = basicCredentials(request)
    if (!installation || basic?.name !== String(installation.client_id)) throw unauthorized()
    const claim = async () => {
      const { allow_unregistered, default_organization_id } = await readGatewayPolicy(registry)
      if (!allow_unregistered || basic.password.length < MIN_GATEWAY_PASSWORD_LENGTH) return
      const open = await organizationsBelow(registry, [default_organization_id])
      if (!open.includes(installation.organization_id)) return
      const hash = await hashPassword(basic.password, request.ip)
      await claimGateway(registry, installation.id, hash, clock())
    }
    const found = await identity.byGateway(installation, basic.password, request.ip, claim)
    if ('fault' in found) throw signInError(found)
    if (found.principal.mount) throw onlyMqtt()
    return { installation, principal: found.principal }
  }

  function findTypes(
    { params, principal }: FastifyRequest,
    { resource, verb }: Extract<RouteAccess, { kind: 'modelx' }>
  ) {
    const { installation_id } = params as { installation_id: number }
    const installation = directory.installation(installation_id)
    const types = installation && typesAllowed(principal, resource, verb, installation)
    if (!types || isNone(types)) throw forbidden()
    return { installation, types }
  }

  async function findSubject(
    { params, principal }: FastifyRequest,
    { permissions, edits }: Extract<RouteAccess, { kind: 'user' }>
  ): Promise<UserRow> {
    const { user_id } = params as { user_id: number | 'me' }
    const id = user_id === 'me' ? principal.userId : user_id
    const isSelf = id === principal.userId
    // A restricted key may change its owner only with a permission on its list.
    if (isSelf && edits !== 'nothing' && principal.limit) {
      if (!permissions.some((name) => principal.limit?.covers(name))) throw forbidden()
    }
    if (!isSelf) {
      if (!permissions.some((name) => holds(principal, name))) throw forbidden()
      const visible = await visibleUsers(registry, [id], usersVisibleTo(principal))
      if (!visible.has(id)) throw forbidden()
    }
    const user = await findUser(registry, id)
    if (!user) throw isSelf ? unauthorized() : forbidden()
    if (edits !== 'nothing' && !isSelf) {
      const role = await findRole(registry, user.role_id)
      if (!role || !mayHandOut(principal, directory, role)) throw forbidden()
    }
    if (edits === 'account' && !isSelf) {
      const organizations = await organizationsOf(registry, id)
      if (!organizations.every((one) => principal.organizationsBelow.has(one))) throw forbidden()
    }
    return user
  }
}

/** A refusal says which permission was missing, on what. [ADR-0070] */
function named(error: unknown, request: FastifyRequest): Error {
  const isRefusal = error instanceof ApiError && error.statusCode === 403
  const needed = isRefusal ? neededBy(request) : undefined
  return needed && needed.permissions.length > 0 ? lacking(needed) : (error as Error)
}

const withoutRights: Principal = {
  kind: 'system',
  owner: '',
  userId: 0,
  tokenId: undefined,
  priority: 0,
  roleId: 0,
  expireAt: 0,
  grants: new Grants({}),
  limit: undefined,
  mount: undefined,
  organizationIds: [],
  organizationsBelow: new Set(),
  organizationsAbove: new Set(),
  reachesTop: false,
  assigned: new Set()
}

/** The error for a failed sign-in. */
export const signInError = (fault: SignInFault) =>
  fault.fault === 'throttled' ? tooManyTries(fault.retryAfter) : unauthorized()

/** A caller without credentials did not try to sign in. */
function failedSignIn(request: FastifyRequest, error: Error): FailedSignIn | undefined {
  const { ip: address, headers, pendingToken } = request
  if (headers.authorization === undefined && keyOf(request) === undefined) return undefined
  const isRefused = error instanceof ApiError && error.statusCode === 401
  if (!isRefused && !isTooManyTries(error)) return undefined
  const account = pendingToken ? `user ${pendingToken.user_id}` : basicCredentials(request)?.name
  return { over: 'http', reason: isRefused ? 'refused' : 'throttled', account, address }
}
