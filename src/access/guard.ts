import type { FastifyRequest } from 'fastify'
import type { App, Deps } from '../deps.ts'
import { forbidden, tooManyTries, unauthorized } from '../http/errors.ts'
import { claimGateway, readGatewayPolicy } from '../registry/gateways.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { organizationsBelow } from '../registry/organizations.ts'
import { findRole } from '../registry/roles.ts'
import { findToken, type TokenRow } from '../registry/tokens.ts'
import { findUser, organizationsOf, type UserRow, visibleUsers } from '../registry/users.ts'
import type { PlainPermission, ScopedAction } from './catalogue.ts'
import { mayHandOut } from './delegation.ts'
import type { SignIn, SignInFault } from './identity.ts'
import {
  isNone,
  type ObjectResource,
  type ObjectVerb,
  type Types,
  typesAllowed
} from './object-types.ts'
import { hashPassword } from './password.ts'
import { Grants } from './permission.ts'
import { holds, may, type Principal } from './principal.ts'
import { hasEnded, hashToken, isSameSecret } from './tokens.ts'
import { organizationsWithin, reachesEverything, usersVisibleTo } from './visibility.ts'

const MIN_GATEWAY_PASSWORD = 8

/** What a route asks of its caller. */
export type Access =
  | { kind: 'public' }
  | { kind: 'signedIn' }
  /** The token of a sign-in that waits for its second factor. */
  | { kind: 'pending' }
  /** The gateway of the path's installation, or who becomes it where none is registered. */
  | { kind: 'gateway' }
  /** The path's installation, and it is assigned to the caller. */
  | { kind: 'assigned'; action: ScopedAction }
  /** An account of SYSTEM_ACCOUNTS. */
  | { kind: 'system' }
  /** The external broker, by BROKER_KEY. */
  | { kind: 'broker' }
  /** Any of these permissions. */
  | { kind: 'permission'; permissions: readonly PlainPermission[] }
  /** Any of these permissions, by somebody who reaches the whole platform, which it shows. */
  | { kind: 'platform'; permissions: readonly PlainPermission[] }
  /** The action on the installation named by the path's `installation_id`. */
  | { kind: 'installation'; action: ScopedAction }
  /** Objects on the path's installation, of at least some types. */
  | { kind: 'objects'; resource: ObjectResource; verb: ObjectVerb }
  /** A visible organization, the path's `organization_id`, and any of the permissions. */
  | { kind: 'organization'; permissions: readonly PlainPermission[] }
  /** What the path's `organization_id` holds itself: the action there, or any of the permissions. */
  | { kind: 'within'; action: ScopedAction; permissions: readonly PlainPermission[] }
  /** The path's `user_id`: the caller itself (`me`), or a visible user and any of the permissions. */
  | {
      kind: 'user'
      permissions: readonly PlainPermission[]
      edits: 'nothing' | 'record' | 'account'
    }

export const everyone: Access = { kind: 'public' }
export const signedIn: Access = { kind: 'signedIn' }
export const pending: Access = { kind: 'pending' }
export const gatewayItself: Access = { kind: 'gateway' }
export const whenAssigned = (action: ScopedAction): Access => ({ kind: 'assigned', action })
export const systemAccount: Access = { kind: 'system' }
export const theBroker: Access = { kind: 'broker' }
export const permit = (...permissions: PlainPermission[]): Access => ({
  kind: 'permission',
  permissions
})
export const onPlatform = (...permissions: PlainPermission[]): Access => ({
  kind: 'platform',
  permissions
})
export const onInstallation = (action: ScopedAction): Access => ({ kind: 'installation', action })
export const onObjects = (resource: ObjectResource, verb: ObjectVerb): Access => ({
  kind: 'objects',
  resource,
  verb
})
export const onOrganization = (...permissions: PlainPermission[]): Access => ({
  kind: 'organization',
  permissions
})
export const withinOrganization = (
  action: ScopedAction,
  ...permissions: PlainPermission[]
): Access => ({ kind: 'within', action, permissions })
/** To look at a user. */
export const onUser = (...permissions: PlainPermission[]): Access => ({
  kind: 'user',
  permissions,
  edits: 'nothing'
})
/** To change a user: also nobody whose role goes beyond what the caller holds. [ADR-0035] */
export const editUser = (permission: PlainPermission): Access => ({
  kind: 'user',
  permissions: [permission],
  edits: 'record'
})
/** To sign in for a user or end it: also nobody who belongs to organizations the caller does not reach. */
export const ownUser = (permission: PlainPermission): Access => ({
  kind: 'user',
  permissions: [permission],
  edits: 'account'
})

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Statuses whose body has another key than `message`. [contract: Errors] */
    errorKeys?: Readonly<Record<number, string>>
    /** Statuses whose body stays behind. [contract: Auth, Schedule] */
    bodiless?: readonly number[]
    /** Why a write is served at the reserve of the disk: an operator can sign in, or it asks itself. */
    evenWhenFull?: 'writes little' | 'asks itself'
  }
  interface FastifyRequest {
    /** Set on every route but public, pending and broker ones. */
    principal: Principal
    /** Set on routes with `onInstallation` and `onObjects`. */
    installation: InstallationRef
    /** Set on routes with `onObjects`: the types of objects the caller may do it with. */
    types: Types
    /** Set on routes with `onUser` and `editUser`: whom the path names. */
    subject: UserRow
    /** Set on routes with `pending`. */
    pendingToken: TokenRow
  }
}

/** Signs callers in before a body is read and checks what the route declared before its handler runs. */
export function guard(
  app: App,
  { identity, directory, registry, clock, systemAccounts, brokerKey }: Deps
): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} declares no access`)
  })
  for (const name of ['principal', 'installation', 'types', 'subject', 'pendingToken']) {
    app.decorateRequest(name)
  }

  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    // Without a route there is nothing to guard: the answer is 404.
    if (!access || access.kind === 'public') return
    if (access.kind === 'pending') {
      request.pendingToken = await findPending(request)
      return
    }
    if (access.kind === 'broker') {
      const key = bearerOf(request) ?? basicCredentials(request)?.password
      if (brokerKey === '' || !key || !isSameSecret(key, brokerKey)) throw unauthorized()
      return
    }
    // Who it is depends on the path, which is not checked yet.
    if (access.kind === 'gateway') return
    const system = systemPrincipal(request)
    // Right, but not here: no reason to count it as a failed sign-in.
    if (system && access.kind !== 'system') throw unauthorized()
    request.principal = system ?? (await signIn(request))
  })

  app.addHook('preHandler', async (request) => {
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
      case 'installation':
        request.installation = findInstallation(request, access.action)
        break
      case 'assigned':
        request.installation = findInstallation(request, access.action)
        if (!principal.assigned.has(request.installation.id)) throw forbidden()
        break
      case 'gateway':
        Object.assign(request, await findGatewayItself(request))
        break
      case 'objects':
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
        request.subject = await findSubject(request, access)
        break
    }
  })

  async function signIn(request: FastifyRequest): Promise<Principal> {
    const found = await trySignIn(request)
    if (!found) throw unauthorized()
    if ('fault' in found) throw signInError(found)
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
    // A wrong one goes on as any other sign-in, and is counted there.
    if (!isSameSecret(password, basic.password)) return undefined
    identity.throttle.succeeded(basic.name, request.ip)
    return { ...nobody, owner: `system:${basic.name}` }
  }

  /** Missing and invisible look the same, so that nobody can probe for ids. */
  function findInstallation({ params, principal }: FastifyRequest, action: ScopedAction) {
    const { installation_id } = params as { installation_id: number }
    const installation = directory.installation(installation_id)
    if (!installation || !may(principal, action, installation)) throw forbidden()
    return installation
  }

  /** [contract: Gateway] Every fault is 401: who is no gateway learns nothing here. */
  async function findGatewayItself(request: FastifyRequest) {
    const { installation_id } = request.params as { installation_id: number }
    const installation = directory.installation(installation_id)
    const basic = basicCredentials(request)
    if (!installation || basic?.name !== String(installation.client_id)) throw unauthorized()
    const claim = async () => {
      const { allow_unregistered, default_organization_id } = await readGatewayPolicy(registry)
      if (!allow_unregistered || basic.password.length < MIN_GATEWAY_PASSWORD) return
      const open = await organizationsBelow(registry, [default_organization_id])
      if (!open.includes(installation.organization_id)) return
      const hash = await hashPassword(basic.password, request.ip)
      await claimGateway(registry, installation.id, hash, clock())
    }
    const found = await identity.byGateway(installation, basic.password, request.ip, claim)
    if ('fault' in found) throw signInError(found)
    return { installation, principal: found.principal }
  }

  function findTypes(
    { params, principal }: FastifyRequest,
    { resource, verb }: Extract<Access, { kind: 'objects' }>
  ) {
    const { installation_id } = params as { installation_id: number }
    const installation = directory.installation(installation_id)
    const types = installation && typesAllowed(principal, resource, verb, installation)
    if (!types || isNone(types)) throw forbidden()
    return { installation, types }
  }

  async function findSubject(
    { params, principal }: FastifyRequest,
    { permissions, edits }: Extract<Access, { kind: 'user' }>
  ): Promise<UserRow> {
    const { user_id } = params as { user_id: number | 'me' }
    const id = user_id === 'me' ? principal.userId : user_id
    const isSelf = id === principal.userId
    // A restricted key changes nothing about its owner unless its list says so.
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

const nobody: Principal = {
  kind: 'system',
  owner: '',
  userId: 0,
  tokenId: undefined,
  priority: 0,
  roleId: 0,
  expireAt: 0,
  grants: new Grants({}),
  limit: undefined,
  organizationIds: [],
  organizationsBelow: new Set(),
  organizationsAbove: new Set(),
  reachesTop: false,
  assigned: new Set()
}

/** What a sign-in that failed answers, wherever it was tried. */
export const signInError = (fault: SignInFault) =>
  fault.fault === 'throttled' ? tooManyTries(fault.retryAfter) : unauthorized()

export const originOf = ({ ip, headers }: FastifyRequest) => ({
  address: ip,
  agent: (headers['user-agent'] ?? '').slice(0, 255)
})

export const keyOf = ({ headers }: FastifyRequest): string | undefined => {
  const key = headers['x-api-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}

const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** UTF-8, split at the first colon. */
export function basicCredentials(
  request: FastifyRequest
): { name: string; password: string } | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!encoded) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 || text.includes('\0')
    ? undefined
    : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}
