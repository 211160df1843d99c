import { type Static, Type } from 'typebox'
import { mayGrant } from '../../access/delegation.ts'
import { ownUser } from '../../access/guard.ts'
import type { Principal } from '../../access/principal.ts'
import { hashToken, MAX_LENGTH, MIN_LENGTH, newToken } from '../../access/tokens.ts'
import { updates } from '../../access/trace.ts'
import type { Routes } from '../../deps.ts'
import { badRequest, forbidden, notFound } from '../../http/errors.ts'
import { Id, Maybe, Message } from '../../http/schema.ts'
import { isTopicFilter } from '../../lib/topic.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { deleteToken, insertToken, listTokens, type TokenRow } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { UserId, UserParams } from './schema.ts'

const Token = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String({ description: '`session` or `key`' }),
  token: Type.Optional(Type.String({ description: 'Only in the answer that creates it' })),
  created: Type.Integer(),
  expire: Type.Integer({ description: 'Unix time; 0 = until it is deleted' }),
  session_timeout: Type.Integer({ description: 'Seconds without use; 0 = any' }),
  last_used: Type.Integer(),
  current: Type.Boolean({ description: 'It is the one this request came with' }),
  agent: Type.String(),
  accessed: Type.Array(
    Type.Object({ ip: Type.String(), agent: Type.String(), last_accessed: Type.Integer() })
  ),
  permissions: Type.Optional(Type.Array(Type.String(), { description: 'Of a restricted key' }))
})

const NewKey = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  expire: Maybe(Type.Integer({ minimum: 0, maximum: 1e11 })),
  session_timeout: Maybe(Type.Integer({ minimum: 0, maximum: 1e9 })),
  permissions: Maybe(
    Type.Union([
      Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 1000 }),
      Type.Object({}, { additionalProperties: false })
    ])
  ),
  length: Maybe(Type.Integer({ minimum: MIN_LENGTH, maximum: MAX_LENGTH }))
})

export const tokenRoutes: Routes = (app, { registry, directory, clock }) => {
  const tags = ['User']
  const url = '/:user_id/security/token'

  app.get(
    url,
    {
      schema: {
        tags,
        summary: 'Keys and sessions',
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
        summary: 'Make an API key; it is shown this once',
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
      const now = clock()
      const expires = (body.expire ?? 0) * 1000
      if (expires > 0 && expires <= now) throw badRequest('expire is in the past')
      const token = newToken(body.length ?? undefined)
      const id = await insertToken(registry, {
        user_id: subject.id,
        hash: hashToken(token),
        purpose: 'key',
        name: body.name,
        expires,
        session_timeout: (body.session_timeout ?? 0) * 1000,
        permissions: permissions ? JSON.stringify(permissions) : null,
        now
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

  /** Nothing wider than the owner, nor than the key that makes it; a key of another is held to its owner when used. */
  function checkPermissions(
    principal: Principal,
    ownerId: number,
    permissions: readonly string[] | undefined
  ) {
    const wrong = permissions?.find((name) => !isTopicFilter(name))
    if (wrong !== undefined) throw badRequest(`permissions: "${wrong}" is not a permission`)
    if (!permissions && principal.limit) throw forbidden()
    if (ownerId !== principal.userId && !principal.limit) return
    const isWider = permissions?.some((name) => !mayGrant(principal, directory, name))
    if (isWider) throw forbidden()
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
  ...(token.permissions !== null && { permissions: JSON.parse(token.permissions) })
})
