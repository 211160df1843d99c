import { hashPassword } from '../../src/identity/password.ts'
import { issuePending, issueResetKey, issueToken } from '../../src/identity/tokens.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { inTransaction } from '../../src/registry/transaction.ts'
import { insertUser } from '../../src/registry/users.ts'
import type { TestPlatform } from '../support/platform.ts'
import type { Operation } from './description.ts'
import type { Dice } from './dice.ts'
import { BROKER_KEY, type Tenant } from './tenant.ts'

export const SYSTEM_ACCOUNT = 'push:secret'

/** `special`: the sign-in that only a few operations take, such as that of a gateway. */
export type Who = 'administrator' | 'member' | 'nobody' | 'special'

export type Caller = {
  who: Who
  headers: Record<string, string>
  /** The code of an unfinished sign-in. */
  challenge?: string
  password?: string
}

const PASSWORD = 'a long enough password'
let passwordHash: Promise<string> | undefined

const basic = (name: string, password: string) => ({
  authorization: `Basic ${btoa(`${name}:${password}`)}`
})
const key = (token: string) => ({ 'x-api-key': token })
/** Most callers use the header of the API. */
const shown = (token: string, dice: Dice): Record<string, string> =>
  dice.chance(0.8) ? key(token) : { authorization: `Bearer ${token}` }

/** Operations after which the caller's account or sign-in is another one. */
const spoilsCaller = ({ id, method, path }: Operation): boolean =>
  id === 'signOut' || id === 'changePassword' || (method !== 'GET' && path.includes('/user/me'))

const specialSecurity = ['gatewayAuth', 'systemAuth', 'brokerAuth']

/** Operations that none of the three usual callers may use. */
export const isSpecial = ({ id, security: [first = ''] }: Operation): boolean =>
  ['signIn', 'finishSignIn', 'resetPassword'].includes(id) || specialSecurity.includes(first)

type Ground = { platform: TestPlatform; tenant: Tenant; dice: Dice; mayBeWrong: boolean }

export async function callerFor(who: Who, operation: Operation, ground: Ground): Promise<Caller> {
  const { platform, tenant, dice } = ground
  const { world } = platform
  switch (who) {
    case 'nobody':
      return { who, headers: dice.pick(nobodies) }
    case 'administrator':
      if (!spoilsCaller(operation)) return { who, headers: shown(world.admin.token, dice) }
      return { who, ...(await freshUser(platform, tenant, world.admin.id)) }
    case 'member':
      if (!spoilsCaller(operation)) return { who, headers: shown(tenant.member.token, dice) }
      return { who, ...(await freshUser(platform, tenant, tenant.member.id)) }
    case 'special':
      return { who, ...(await specialCaller(operation, ground)) }
  }
}

const nobodies: readonly Record<string, string>[] = [
  {},
  {},
  key(''),
  key('wrong'),
  key('x'.repeat(5000)),
  { authorization: 'Bearer wrong' },
  { authorization: 'Basic' },
  { authorization: 'Basic !!!!' },
  { authorization: `Basic ${btoa('name without a colon')}` },
  { authorization: 'Digest username="x"' }
]

/** A user with the role and organizations of another one. */
async function freshUser({ deps, world }: TestPlatform, tenant: Tenant, like: number) {
  const { registry } = deps
  passwordHash ??= hashPassword(PASSWORD, 'fuzz')
  const password_hash = await passwordHash
  const { role_id } = await registry
    .selectFrom('users')
    .select('role_id')
    .where('id', '=', like)
    .executeTakeFirstOrThrow()
  const organisations = like === world.admin.id ? [1] : [tenant.organization_id]
  const email = `${world.unique('fresh')}@example.org`
  const now = unixMs(Date.now())
  const fields = { email, role_id, password_hash, organisations, meta: { k: 'v' } }
  const id = await inTransaction(registry, (registry) => insertUser(registry, fields, now))
  const token = await issueToken(registry, id ?? 0, now)
  if (like === world.admin.id) tenant.administrators.push(id ?? 0)
  return { id: id ?? 0, email, headers: key(token), password: PASSWORD }
}

async function specialCaller(
  { id, security: [first = ''] }: Operation,
  { platform, tenant, dice, mayBeWrong }: Ground
): Promise<Omit<Caller, 'who'>> {
  const { registry } = platform.deps
  const now = unixMs(Date.now())
  if (first === 'gatewayAuth') {
    const { username, password } = tenant.gateway
    return { headers: basic(username, password) }
  }
  if (first === 'systemAuth') return { headers: { authorization: `Basic ${btoa(SYSTEM_ACCOUNT)}` } }
  if (first === 'brokerAuth') return { headers: { authorization: `Bearer ${BROKER_KEY}` } }
  if (id === 'signIn') {
    const { email, password } = tenant.member
    return { headers: basic(email, mayBeWrong && dice.chance(0.2) ? 'wrong' : password) }
  }
  const user = await freshUser(platform, tenant, tenant.member.id)
  if (id === 'resetPassword') return { headers: key(await issueResetKey(registry, user.id, now)) }
  const { token, code } = await issuePending(registry, user.id, now)
  return { headers: key(token), challenge: code }
}
