import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { defaults } from '../../http/described.ts'
import { forbidden, notFound } from '../../http/errors.ts'
import { Mount, MountPrefix, prefixIn } from '../../http/mount.ts'
import { Id, Maybe, Message } from '../../http/schema.ts'
import { updates } from '../../http/traced.ts'
import { MAX_KEY_LENGTH, MIN_KEY_LENGTH, TOKEN_LENGTH } from '../../identity/tokens.ts'
import type { MountPlace } from '../../lib/mount.ts'
import { clientIdOf } from '../../lib/topic.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { scopedActions } from '../../permission/catalogue.ts'
import { mayGrant } from '../../permission/delegation.ts'
import { ownUser } from '../../permission/guard.ts'
import { mayMount } from '../../permission/mqtt-rules.ts'
import { may, type Principal } from '../../permission/principal.ts'
import { deleteToken, listTokens, mountOf, type TokenRow } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { createKey, requirePermissionNames } from './changes.ts'
import { UserId, UserParams } from './schema.ts'

const Token = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    type: Type.String({ description: '`session` or `key`' }),
    token: Type.Optional(Type.String({ description: 'Only in the answer to its creation' })),
    created: Type.Integer(),
    expire: Type.Integer({ description: 'Unix time; 0 = never' }),
    session_timeout: Type.Integer({
      description: 'The token ends after this many seconds without use; 0 = never'
    }),
    last_used: Type.Integer(),
    current: Type.Boolean({ description: 'Whether this request used this token' }),
    agent: Type.String(),
    accessed: Type.Array(
      Type.Object({ ip: Type.String(), agent: Type.String(), last_accessed: Type.Integer() })
    ),
    permissions: Type.Optional(
      Type.Array(Type.String(), { description: 'Only for a restricted key' })
    ),
    mount: Type.Optional(Mount)
  },
  { title: 'Token' }
)

const NewKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    expire: Maybe(Type.Integer({ minimum: 0, maximum: 1e11, description: 'Unix time; 0 = never' })),
    session_timeout: Maybe(
      Type.Integer({
        minimum: 0,
        maximum: 1e9,
        description: 'The key ends after this many seconds without use; 0 = never'
      })
    ),
    permissions: Maybe(
      Type.Union([
        Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 1000 }),
        Type.Object({}, { additionalProperties: false })
      ])
    ),
    length: Maybe(Type.Integer({ minimum: MIN_KEY_LENGTH, maximum: MAX_KEY_LENGTH })),
    mount: Maybe(Type.Object({ installation_id: Id, prefix: MountPrefix }, { title: 'NewMount' }))
  },
  { title: 'NewToken', ...defaults({ expire: 0, session_timeout: 0, length: TOKEN_LENGTH }) }
)

export const tokenRoutes: Routes = (app, deps) => {
  const { registry, directory, clock } = deps
  const tags = ['User']
  const url = '/:user_id/security/token'

  app.get(
    url,
    {
      schema: {
        tags,
        operationId: 'listUserTokens',
        summary: 'API keys and sessions of a user',
        params: UserParams,
        response: { 200: Type.Array(Token) }
      },
      config: { access: ownUser('user/security/token/list/all') }
    },
    async ({ principal, subject }) => {
      const tokens = await listTokens(registry, subject.id)
      return tokens.map((token) => shown(token, principal))
    }
  )

  app.post(
    url,
    {
      schema: {
        tags,
        operationId: 'createUserToken',
        faults: [404],
        summary: 'Create an API key; it is shown only once',
        params: UserParams,
        body: NewKey,
        response: { 200: Token }
      },
      config: {
        access: ownUser('user/security/token/create_delete'),
        trace: updates('user', 'user_id', 'made a key of')
      }
    },
    async ({ principal, subject, body }) => {
      const permissions = Array.isArray(body.permissions) ? body.permissions : undefined
      checkPermissions(principal, subject.id, permissions)
      const mount = body.mount ? mountAsked(principal, body.mount) : undefined
      const { id, token } = await createKey(deps, subject.id, {
        name: body.name,
        expires: (body.expire ?? 0) * 1000,
        session_timeout: (body.session_timeout ?? 0) * 1000,
        permissions,
        length: body.length ?? undefined,
        mount
      })
      const row = (await listTokens(registry, subject.id)).find((one) => one.id === id)
      if (!row) throw notFound()
      return { ...shown(row, principal), token }
    }
  )

  app.delete(
    `${url}/:token_id`,
    {
      schema: {
        tags,
        operationId: 'deleteUserToken',
        summary: 'Delete an API key, or end a session',
        faults: [404],
        params: Type.Object({ user_id: UserId, token_id: Id }),
        response: { 200: Message }
      },
      config: {
        access: ownUser('user/security/token/create_delete'),
        trace: updates('user', 'user_id', 'ended a key or session of')
      }
    },
    async ({ subject, params }) => {
      const token = { id: params.token_id, user_id: subject.id }
      const gone = await inTransaction(registry, (registry) =>
        deleteToken(registry, token, clock())
      )
      if (!gone) throw notFound()
      return { message: 'Deleted' }
    }
  )

  /**
   * A new key must not have more rights than its owner or the key that creates it. A key for
   * another user is limited to the rights of that user when it is used.
   */
  function checkPermissions(
    principal: Principal,
    ownerId: number,
    permissions: readonly string[] | undefined
  ) {
    requirePermissionNames(permissions)
    if (!permissions && principal.limit) throw forbidden()
    if (ownerId !== principal.userId && !principal.limit) return
    const isWider = permissions?.some(
      (name) => !mayGrant(principal, directory, name) && !mayItself(principal, name)
    )
    if (isWider) throw forbidden()
  }

  /** An installation that the caller may not use and one that does not exist look the same. */
  function mountAsked(
    principal: Principal,
    { installation_id, prefix }: { installation_id: number; prefix?: string | null }
  ): MountPlace {
    const asked = { installation_id, prefix: prefixIn({ prefix }, deps) }
    const installation = directory.installation(installation_id)
    if (!installation || !mayMount(principal, installation)) throw forbidden()
    return asked
  }

  /**
   * Whether the pattern is one action on one installation, which the caller may do. Their key may
   * be limited to it, even if they may not give the action to others.
   */
  function mayItself(principal: Principal, pattern: string): boolean {
    const installation = directory.installation(clientIdOf(pattern) ?? 0)
    const name = pattern.slice(pattern.indexOf('/') + 1)
    const action = scopedActions.find((one) => name === `${one}/all` || name === `${one}/assigned`)
    return installation && action ? may(principal, action, installation) : false
  }
}

const shown = (token: TokenRow, { tokenId }: Principal): Static<typeof Token> => ({
  id: token.id,
  name: token.name,
  type: token.purpose,
  created: toWholeSeconds(token.created),
  expire: toWholeSeconds(token.expires),
  session_timeout: toWholeSeconds(token.session_timeout),
  last_used: toWholeSeconds(token.last_used),
  current: token.id === tokenId,
  agent: token.agent,
  accessed:
    token.address === ''
      ? []
      : [
          {
            ip: token.address,
            agent: token.agent,
            last_accessed: toWholeSeconds(token.last_used)
          }
        ],
  ...(token.permissions !== null && { permissions: JSON.parse(token.permissions) }),
  ...(token.mount_prefix !== null && { mount: mountOf(token) })
})
