import { Type } from 'typebox'
import { recordCommand } from '../../features/trace/command.ts'
import { requirePassword } from '../../features/user/account.ts'
import {
  createKey,
  createUser,
  disableUser,
  enableUser,
  requirePermissionNames,
  storePassword
} from '../../features/user/changes.ts'
import { listAccounts } from '../../features/user/every-account.ts'
import { badRequest } from '../../http/errors.ts'
import { NewPasswordText } from '../../http/schema.ts'
import { hashPassword } from '../../identity/password.ts'
import type { TraceAction } from '../../lib/trace.ts'
import { DAY, toWholeSeconds } from '../../lib/unix-time.ts'
import { organizationsBelow, topOrganization } from '../../registry/organizations.ts'
import { listRoles } from '../../registry/roles.ts'
import type { Registry } from '../../registry/tables.ts'
import { findUserByEmail, type UserRow } from '../../registry/users.ts'
import type { ControlRoutes } from './parts.ts'

/** Text that is safe to print, and that every registry can store. */
const Line = (minLength: number) =>
  Type.String({
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    minLength,
    maxLength: 255,
    description: 'text without control characters'
  })
/** As the API takes it, but without control characters. */
const NewEmail = Type.String({
  pattern: '^[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+@[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+$',
  maxLength: 255,
  description: 'an e-mail address'
})
/** How an account is named in a command. It is only looked up. */
const Name = Line(1)
const MAX_ACCOUNTS = 1000
const MAX_KEY_DAYS = 36_500

const Account = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role: Type.String(),
  organisations: Type.Array(Type.Integer()),
  has_password: Type.Boolean(),
  sms_login: Type.Boolean(),
  expire_at: Type.Integer({ description: 'Unix time; 0 = never' }),
  disabled: Type.Boolean()
})
const Changed = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  disabled: Type.Boolean({ description: 'The account cannot sign in, because it has expired' })
})

/** Who hashes a password here, for the limit on hashes at once. */
const OPERATOR = 'operator'

/** Accounts and keys. The rules are those of the API, except that there is no caller to check. */
export const accountRoutes: ControlRoutes = (app, parts) => {
  const { registry, clock } = parts

  app.post(
    '/list',
    {
      schema: {
        body: Type.Object({
          search: Line(0),
          after: Type.Integer({ minimum: 0 }),
          limit: Type.Integer({ minimum: 1, maximum: MAX_ACCOUNTS })
        }),
        response: { 200: Type.Object({ total: Type.Integer(), users: Type.Array(Account) }) }
      }
    },
    async ({ body }) => {
      const { accounts, total } = await listAccounts(registry, body)
      const users = accounts.map((account) => ({
        ...account,
        expire_at: toWholeSeconds(account.expire_at),
        disabled: isDisabled(account)
      }))
      return { total, users }
    }
  )

  app.post(
    '/add',
    {
      schema: {
        body: Type.Object({
          email: NewEmail,
          first_name: Line(0),
          last_name: Line(0),
          role: Name,
          organization: Type.Optional(Type.Integer({ minimum: 1 })),
          password: Type.Optional(NewPasswordText)
        }),
        response: { 200: Changed }
      }
    },
    async ({ body: { email, first_name, last_name, role, organization, password } }) => {
      const top = await topOrganization(registry)
      const organisations = [organization ?? top]
      if (!(await organizationsBelow(registry, [top])).includes(organization ?? top)) {
        throw badRequest(`there is no organization ${organization}`)
      }
      const role_id = await roleNamed(registry, role)
      if (await findUserByEmail(registry, email)) throw badRequest('email is taken')
      const password_hash = password === undefined ? '' : await hashed(password)
      await parts.ahead()
      const id = await createUser(parts, {
        ...{ email, first_name, last_name, role_id, organisations, password_hash }
      })
      await told(id, 'create', 'created')
      return { id, email, disabled: false }
    }
  )

  app.post(
    '/password',
    {
      schema: {
        body: Type.Object({ email: Name, password: NewPasswordText }),
        response: { 200: Changed }
      }
    },
    async ({ body: { email, password } }) => {
      const user = await requireNamed(email)
      await storePassword(parts, user.id, { password_hash: await hashed(password) })
      await told(user.id, 'update', 'set the password of')
      return { ...shown(user), disabled: isDisabled(user) }
    }
  )

  for (const [path, change, text, disabled] of [
    ['/disable', disableUser, 'disabled', true],
    ['/enable', enableUser, 'enabled', false]
  ] as const) {
    app.post(
      path,
      { schema: { body: Type.Object({ email: Name }), response: { 200: Changed } } },
      async ({ body: { email } }) => {
        const user = await requireNamed(email)
        await change(parts, user.id)
        await told(user.id, 'update', text)
        return { ...shown(user), disabled }
      }
    )
  }

  app.post(
    '/key',
    {
      schema: {
        body: Type.Object({
          email: Name,
          name: Line(1),
          permissions: Type.Optional(
            Type.Array(Line(1), { minItems: 1, maxItems: 1000, description: 'permissions' })
          ),
          days: Type.Integer({ minimum: 0, maximum: MAX_KEY_DAYS })
        }),
        response: {
          200: Type.Object({
            id: Type.Integer(),
            user_id: Type.Integer(),
            email: Type.String(),
            name: Type.String(),
            token: Type.String(),
            expire: Type.Integer({ description: 'Unix time; 0 = never' })
          })
        }
      }
    },
    async ({ body: { email, name, permissions, days } }) => {
      requirePermissionNames(permissions)
      const user = await requireNamed(email)
      const expires = days === 0 ? 0 : Math.floor((clock() + days * DAY) / 1000) * 1000
      const { id, token } = await createKey(parts, user.id, {
        ...{ name, expires, session_timeout: 0, permissions }
      })
      await told(user.id, 'update', 'made a key of')
      return { id, user_id: user.id, email: user.email, name, token, expire: expires / 1000 }
    }
  )

  async function requireNamed(email: string): Promise<UserRow> {
    const user = await findUserByEmail(registry, email)
    if (!user) throw badRequest(`there is no user ${email}`)
    return user
  }

  async function hashed(password: string): Promise<string> {
    requirePassword(password)
    return hashPassword(password, OPERATOR)
  }

  /** The change is in the trace, and this node knows of it, before the command says that it is done. */
  async function told(userId: number, action: TraceAction, text: string): Promise<void> {
    await recordCommand(parts, { action, userId, text })
    await parts.written()
  }

  const isDisabled = ({ expire_at }: { expire_at: number }) => expire_at > 0 && expire_at <= clock()
}

const shown = ({ id, email }: UserRow) => ({ id, email })

/** By name or by id: two organizations may have roles of the same name. */
async function roleNamed(registry: Registry, name: string): Promise<number> {
  const roles = await listRoles(registry)
  const found = roles.filter((role) => role.name === name || String(role.id) === name)
  const [role] = found
  if (role && found.length === 1) return role.id
  const known = roles.slice(0, MAX_ROLES_NAMED).map((role) => `${role.name} (${role.id})`)
  const more = roles.length > MAX_ROLES_NAMED ? ', ...' : ''
  throw badRequest(
    `${role ? `several roles are called ${name}: give the id` : `there is no role ${name}`}; the roles are ${known.join(', ')}${more}`
  )
}

/** There may be many roles. Only so many are named. */
const MAX_ROLES_NAMED = 20
