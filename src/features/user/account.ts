import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { badRequest, forbidden, tooManyChanges } from '../../http/errors.ts'
import { given } from '../../http/given.ts'
import { hashPassword } from '../../identity/password.ts'
import { completeAddress } from '../../lib/address.ts'
import { passwordFault } from '../../lib/password-rules.ts'
import { phoneNumber } from '../../lib/phone-number.ts'
import type { AccountChange } from '../../notify/account-changed.ts'
import { mayHandOut } from '../../permission/delegation.ts'
import { holds, may, type Principal } from '../../permission/principal.ts'
import { isRoleFor, visibleRole } from '../../permission/role-place.ts'
import type { Registry } from '../../registry/tables.ts'
import {
  otherAdministrators,
  readUser,
  type UserFields,
  type UserRecord
} from '../../registry/users.ts'
import type { UserUpdate } from './schema.ts'

type Body = Static<typeof UserUpdate>

/** The fields that users may change about themselves. */
export function plainFields(body: Body, current?: UserRecord): UserFields {
  const { address, ...fields } = given(body, [
    'email',
    'first_name',
    'last_name',
    'mobile',
    'note',
    'address',
    'meta',
    'protected_meta'
  ])
  return address ? { ...fields, address: completeAddress(address, current?.address) } : fields
}

/**
 * The fields that decide about the rights of a user. Each change is checked against the rights of
 * the caller. Unchanged fields need no right, because clients send the whole user back.
 */
export async function rightsFields(
  deps: Deps,
  principal: Principal,
  body: Body,
  current: UserRecord | undefined
): Promise<UserFields> {
  const fields: UserFields = {}
  const isSelf = current?.id === principal.userId
  const mayUpdate = current === undefined || holds(principal, 'user/update')
  const needUpdate = () => {
    if (!mayUpdate) throw forbidden()
  }

  if (body.role && body.role !== current?.role_id) {
    needUpdate()
    const role = await visibleRole(deps.registry, principal, body.role)
    if (!role) throw badRequest('role does not exist')
    if (!mayHandOut(principal, deps.directory, role)) throw forbidden()
    fields.role_id = body.role
  }
  const organisations = idsOf(body.organisations)
  // An empty list keeps the old organizations.
  if (organisations?.length && !isSame(organisations, current?.organisations)) {
    needUpdate()
    fields.organisations = memberships(principal, organisations, current?.organisations ?? [])
  }
  const assigned = idsOf(body.assigned_installations)
  if (assigned && !isSame(assigned, current?.assigned_installations)) {
    checkAssignments(deps, principal, assigned, current?.assigned_installations ?? [])
    fields.assigned_installations = assigned
  }
  if (typeof body.expire_at === 'number' && body.expire_at * 1000 !== current?.expire_at) {
    needUpdate()
    fields.expire_at = body.expire_at * 1000
  }
  if (typeof body.sms_login === 'boolean' && body.sms_login !== current?.sms_login) {
    // Users may turn on SMS login for themselves, but not turn it off.
    if (!(isSelf && body.sms_login)) needUpdate()
    fields.sms_login = body.sms_login
  }
  const needsNumber = body.sms_login ?? current?.sms_login ?? false
  const mobile = body.mobile ?? current?.mobile ?? ''
  if (needsNumber && mobile === '') throw badRequest('mobile is required for sms_login')
  if (needsNumber && !phoneNumber(mobile)) {
    throw badRequest('mobile must be a phone number for sms_login')
  }
  return fields
}

/** A role of an organization may only be used there and below. */
export async function checkRolePlace(
  registry: Registry,
  roleId: number,
  organisations: readonly number[]
): Promise<void> {
  if (await isRoleFor(registry, roleId, organisations)) return
  throw badRequest('role belongs to another organization')
}

const idsOf = (ids: readonly number[] | null | undefined): number[] | undefined =>
  ids ? [...new Set(ids)] : undefined

const isSame = (a: readonly number[], b: readonly number[] = []): boolean =>
  a.length === b.length && a.every((id) => b.includes(id))

/**
 * Memberships that the caller cannot see stay, and the caller must see every new one. A user
 * without any membership that the caller sees is refused, because the rules of the new organization
 * would apply to that user.
 */
function memberships(
  { organizationsBelow }: Principal,
  given: readonly number[],
  current: readonly number[]
): number[] {
  const hidden = current.filter((id) => !organizationsBelow.has(id))
  if (current.length > 0 && hidden.length === current.length) throw forbidden()
  if (!given.every((id) => organizationsBelow.has(id) || hidden.includes(id))) throw forbidden()
  return [...new Set([...hidden, ...given])]
}

/** The caller must have the right to update every installation that is added or removed. */
function checkAssignments(
  { directory }: Deps,
  principal: Principal,
  given: readonly number[],
  current: readonly number[]
): void {
  const changed = [
    ...given.filter((id) => !current.includes(id)),
    ...current.filter((id) => !given.includes(id))
  ]
  for (const id of changed) {
    const installation = directory.installation(id)
    if (!installation || !may(principal, 'installation/update', installation)) throw forbidden()
  }
}

/** Call this last, after all checks: hashing is slow on purpose. */
export async function passwordHash({ owner }: Principal, password: string): Promise<string> {
  requirePassword(password)
  return hashPassword(password, owner)
}

export function requirePassword(password: string): void {
  const fault = passwordFault(password)
  if (fault) throw badRequest(fault)
}

/** To change how a user signs in, the caller must reach all organizations of the user. */
export function checkAccount(principal: Principal, current: UserRecord, fields: UserFields): void {
  const { email, mobile, sms_login, password_hash, role_id, expire_at } = fields
  const isTouched =
    (email !== undefined && email !== current.email) ||
    (mobile !== undefined && mobile !== current.mobile) ||
    [sms_login, password_hash, role_id, expire_at].some((value) => value !== undefined)
  const { organisations, assigned_installations } = fields
  if (isTouched || organisations || assigned_installations) spareOwner(principal, current.id)
  const isOther = current.id !== principal.userId
  const reachesAll = current.organisations.every((id) => principal.organizationsBelow.has(id))
  if (isOther && isTouched && !reachesAll) throw forbidden()
}

/** What has changed of the password, e-mail address and mobile number. */
export function signInChanges(current: UserRecord, fields: UserFields): AccountChange[] {
  const { email = current.email, mobile = current.mobile, password_hash } = fields
  return [
    ...(password_hash === undefined ? [] : (['password'] as const)),
    ...(email === current.email ? [] : (['e-mail address'] as const)),
    ...(mobile === current.mobile ? [] : (['mobile number'] as const))
  ]
}

/** Call this after all other checks. */
export async function countOwnChange({ identity }: Deps, userId: number): Promise<void> {
  const retryAfter = await identity.takeAccountChange(userId)
  if (retryAfter > 0) throw tooManyChanges(retryAfter)
}

/** A restricted key must not delete its owner, or change the owner's sign-in or rights. */
export function spareOwner({ userId, limit }: Principal, id: number): void {
  if (id === userId && limit) throw forbidden()
}

/** Throws if no administrator of the whole platform would be left. */
export async function keepAdministrator(
  registry: Registry,
  without: number,
  now: number
): Promise<void> {
  if ((await otherAdministrators(registry, { without: [without], now })) === 0) {
    throw badRequest('the last administrator cannot be removed')
  }
}

export async function requireUser(registry: Registry, id: number): Promise<UserRecord> {
  const user = await readUser(registry, id)
  if (!user) throw forbidden()
  return user
}
