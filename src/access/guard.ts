import type { FastifyRequest } from 'fastify'
import type { App, Deps } from '../deps.ts'
import { forbidden, tooManyTries, unauthorized } from '../http/errors.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { PlainPermission, ScopedAction } from './catalogue.ts'
import type { SignIn, SignInFault } from './identity.ts'
import { holds, may, type Principal } from './principal.ts'

/** What a route asks of its caller. */
export type Access =
  | { kind: 'public' }
  | { kind: 'signedIn' }
  | { kind: 'permission'; permission: PlainPermission }
  /** The action on the installation named by the path's `installation_id`. */
  | { kind: 'installation'; action: ScopedAction }

export const everyone: Access = { kind: 'public' }
export const signedIn: Access = { kind: 'signedIn' }
export const permit = (permission: PlainPermission): Access => ({ kind: 'permission', permission })
export const onInstallation = (action: ScopedAction): Access => ({ kind: 'installation', action })

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Statuses whose body has another key than `message`. [contract: Errors] */
    errorKeys?: Readonly<Record<number, string>>
  }
  interface FastifyRequest {
    /** Set on every route but public ones. */
    principal: Principal
    /** Set on routes with `onInstallation`. */
    installation: InstallationRef
  }
}

/** Signs callers in before a body is read and checks what the route declared before its handler runs. */
export function guard(app: App, { identity, directory }: Deps): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} declares no access`)
  })
  app.decorateRequest('principal')
  app.decorateRequest('installation')

  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    // Without a route there is nothing to guard: the answer is 404.
    if (!access || access.kind === 'public') return
    const found = await signIn(request)
    if (!found) throw unauthorized()
    if ('fault' in found) {
      throw found.fault === 'throttled' ? tooManyTries(found.retryAfter) : unauthorized()
    }
    request.principal = found.principal
  })

  app.addHook('preHandler', async (request) => {
    const { access } = request.routeOptions.config
    if (access?.kind === 'permission' && !holds(request.principal, access.permission)) {
      throw forbidden()
    }
    if (access?.kind === 'installation') {
      const { installation_id } = request.params as { installation_id: number }
      const installation = directory.installation(installation_id)
      // Missing and invisible look the same, so that nobody can probe for ids.
      if (!installation || !may(request.principal, access.action, installation)) throw forbidden()
      request.installation = installation
    }
  })

  async function signIn(request: FastifyRequest): Promise<SignIn | SignInFault | undefined> {
    const key = request.headers['x-api-key']
    if (typeof key === 'string' && key !== '') return identity.byToken(key)
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (bearer) return identity.byToken(bearer)
    const basic = basicCredentials(request)
    return basic && identity.byNameAndPassword(basic.name, basic.password, request.ip)
  }
}

/** UTF-8, split at the first colon. */
export function basicCredentials(
  request: FastifyRequest
): { name: string; password: string } | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!encoded) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}
