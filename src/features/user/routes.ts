import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { afterAnswer } from '../../http/after-answer.ts'
import { badRequest } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { sendList } from '../../http/json-text.ts'
import { readMetaFilters } from '../../http/meta-filters.ts'
import { Message } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { metaKeyRoutes } from '../../metadata/key-routes.ts'
import { checkNewMeta, keepProtected, type MetaRights } from '../../metadata/protected.ts'
import { namesOf, tellAccountChanged } from '../../notify/account-changed.ts'
import { editUser, onUser, ownUser, permit, signedIn } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import { usersProtected, usersVisibleTo } from '../../permission/visibility.ts'
import { metaRows } from '../../registry/meta.ts'
import { topOrganization } from '../../registry/organizations.ts'
import type { Registry } from '../../registry/tables.ts'
import { endSessions } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import {
  deleteUser,
  findUserByEmail,
  listUsers,
  type UserRecord,
  updateUser,
  visibleUsers
} from '../../registry/users.ts'
import {
  checkAccount,
  checkRolePlace,
  countOwnChange,
  keepAdministrator,
  passwordHash,
  plainFields,
  requirePassword,
  requireUser,
  rightsFields,
  signInChanges,
  spareOwner
} from './account.ts'
import { createUser } from './changes.ts'
import { NewUser, User, UserId, UserParams, UserUpdate } from './schema.ts'

export const userRoutes: Routes = (app, deps) => {
  const { registry, clock } = deps
  const tags = ['User']

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: 'listUsers',
        summary: 'Users that the caller can see, filtered by metadata',
        querystring: Type.Object({}, { additionalProperties: true }),
        response: { 200: Type.Array(User) }
      },
      config: { access: signedIn }
    },
    async (request, reply) => {
      const { principal, query } = request
      const seesProtected = usersProtected(principal, 'view')
      const filter = { meta: readMetaFilters(query), seesProtected }
      await deps.shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      return sendList(reply, shownUsers())

      async function* shownUsers() {
        for await (const users of listUsers(registry, usersVisibleTo(principal), filter)) {
          const ids = users.map(({ id }) => id)
          const open = await visibleUsers(registry, ids, seesProtected)
          yield users.map((user) => shown(user, open.has(user.id)))
        }
      }
    }
  )

  app.post(
    '/',
    {
      schema: {
        tags,
        operationId: 'createUser',
        summary: "Create a user; the default organization is the caller's first one",
        body: NewUser,
        response: { 200: User }
      },
      config: { access: permit('user/create/delete'), trace: creates('user') }
    },
    async ({ principal, body }) => {
      const rights = await rightsFields(deps, principal, body, undefined)
      const [first] = principal.organizationIds
      const organisations = rights.organisations ?? (first === undefined ? [] : [first])
      // Nobody could see a user without an organization.
      if (organisations.length === 0) throw badRequest('organisations is required')
      const { email, role: role_id } = body
      const fields = { ...plainFields(body), ...rights, organisations, email, role_id }
      const edits = usersProtected(principal, 'edit').organizationIds.length > 0
      checkNewMeta(fields, { sees: edits, edits })
      if (await findUserByEmail(registry, email)) throw badRequest('email is taken')
      if (body.password) fields.password_hash = await passwordHash(principal, body.password)
      const id = await createUser(deps, fields)
      return answer(principal, id)
    }
  )

  app.get(
    '/:user_id',
    {
      schema: {
        tags,
        operationId: 'getUser',
        summary: 'One user',
        params: UserParams,
        response: { 200: User }
      },
      config: { access: onUser('user/list', 'user/list/assigned') }
    },
    async ({ principal, subject }, reply) => tagged(reply, await answer(principal, subject.id))
  )

  app.put(
    '/:user_id',
    {
      schema: {
        tags,
        operationId: 'updateUser',
        faults: [412],
        summary: 'Update a user; fields that are missing or null keep their value',
        params: UserParams,
        body: UserUpdate,
        response: { 200: User }
      },
      config: { access: editUser('user/update'), trace: updates('user', 'user_id') }
    },
    async (request, reply) => {
      const { principal, subject, body } = request
      const isSelf = subject.id === principal.userId
      if (body.password && !isSelf) throw badRequest('password is set at user/{id}/password')
      const password_hash = await newPasswordHash(principal, subject, body)
      const { changes, addresses } = await inTransaction(registry, async (registry) => {
        const current = await requireUser(registry, subject.id)
        const rights = await metaRights(registry, principal, subject.id)
        checkMatch(request, shown(current, rights.sees))
        const fields = {
          ...plainFields(body, current),
          ...(await rightsFields({ ...deps, registry }, principal, body, current)),
          ...(password_hash && { password_hash })
        }
        checkAccount(principal, current, fields)
        if (fields.role_id !== undefined || fields.organisations) {
          const { role_id, organisations } = { ...current, ...fields }
          await checkRolePlace(registry, role_id, organisations)
        }
        await keepProtected(registry, { kind: 'user', id: subject.id }, fields, rights)
        const top = await topOrganization(registry)
        const leavesTop =
          fields.organisations !== undefined &&
          current.organisations.includes(top) &&
          !fields.organisations.includes(top)
        if (fields.role_id !== undefined || fields.expire_at || leavesTop) {
          await keepAdministrator(registry, subject.id, clock())
        }
        const changes = isSelf ? signInChanges(current, fields) : []
        if (changes.length > 0 && !password_hash) await countOwnChange(deps, subject.id)
        if (!(await updateUser(registry, subject.id, fields, clock()))) {
          throw badRequest('email is taken')
        }
        if (changes.length > 0) {
          await endSessions(registry, subject.id, { now: clock(), except: principal.tokenId })
        }
        return { changes, addresses: [current.email, fields.email ?? current.email] }
      })
      if (changes.length > 0) {
        request.traceText = `changed the ${namesOf(changes)} of`
        afterAnswer(reply, () => tellAccountChanged(deps, { id: subject.id, addresses }, changes))
      }
      return tagged(reply, await answer(principal, subject.id))
    }
  )

  app.delete(
    '/:user_id',
    {
      schema: {
        tags,
        operationId: 'deleteUser',
        summary: 'Delete a user, and its connections to installations',
        params: UserParams,
        response: { 200: Message }
      },
      config: { access: ownUser('user/create/delete'), trace: deletes('user', 'user_id') }
    },
    async ({ principal, subject }) => {
      spareOwner(principal, subject.id)
      await inTransaction(registry, async (registry) => {
        await keepAdministrator(registry, subject.id, clock())
        await deleteUser(registry, subject.id, clock())
      })
      return { message: 'Deleted' }
    }
  )

  metaKeyRoutes(app, {
    tag: 'User',
    path: '/:user_id',
    params: { user_id: UserId },
    view: onUser('user/list', 'user/list/assigned'),
    edit: editUser('user/update'),
    owner: { object: 'user', param: 'user_id' },
    find: async ({ principal, subject }) => ({
      keys: metaRows(registry, 'user', subject.id),
      rights: await metaRights(registry, principal, subject.id)
    })
  })

  /** The cheap checks come before the slow hash. */
  async function newPasswordHash(
    principal: Principal,
    { id }: { id: number },
    { email, password }: Static<typeof UserUpdate>
  ): Promise<string | undefined> {
    if (!password) return undefined
    spareOwner(principal, id)
    requirePassword(password)
    const other = email ? await findUserByEmail(registry, email) : undefined
    if (other && other.id !== id) throw badRequest('email is taken')
    await countOwnChange(deps, id)
    return passwordHash(principal, password)
  }

  async function answer(principal: Principal, id: number): Promise<Static<typeof User>> {
    const { sees } = await metaRights(registry, principal, id)
    return shown(await requireUser(registry, id), sees)
  }
}

async function metaRights(
  registry: Registry,
  principal: Principal,
  id: number
): Promise<MetaRights> {
  const within = async (action: 'view' | 'edit') =>
    (await visibleUsers(registry, [id], usersProtected(principal, action))).has(id)
  return { sees: await within('view'), edits: await within('edit') }
}

/**
 * The last two fields are not in the contract. The schema drops the assigned installations, except
 * under `/lynx`, where an account without an end has the time 0. [ADR-0032]
 */
const shown = (user: UserRecord, seesProtected: boolean) => ({
  id: user.id,
  email: user.email,
  first_name: user.first_name,
  last_name: user.last_name,
  role: user.role_id,
  sms_login: user.sms_login,
  mobile: user.mobile,
  note: user.note,
  organisations: user.organisations,
  address: user.address,
  meta: user.meta,
  ...(seesProtected && { protected_meta: user.protected_meta }),
  assigned_installations: user.assigned_installations,
  ...(user.expire_at > 0 && { expire_at: toWholeSeconds(user.expire_at) })
})
