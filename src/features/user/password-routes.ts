import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Routes } from '../../deps.ts'
import { afterAnswer } from '../../http/after-answer.ts'
import { badRequest, forbidden, tooManyTries } from '../../http/errors.ts'
import { Message } from '../../http/schema.ts'
import { updates, updatesCaller } from '../../http/traced.ts'
import { isPassword, NO_PASSWORD } from '../../identity/password.ts'
import { tellAccountChanged } from '../../notify/account-changed.ts'
import { ownUser, signedIn } from '../../permission/guard.ts'
import { findUser, type UserRow } from '../../registry/users.ts'
import { countOwnChange, passwordHash, spareOwner } from './account.ts'
import { storePassword } from './changes.ts'
import { PasswordChange, PasswordSet, UserParams } from './schema.ts'

/** Changing a password ends the other sessions of the user. */
export const passwordRoutes: Routes = (app, deps) => {
  const { registry, identity } = deps
  const tags = ['User']

  app.put(
    '/password',
    {
      schema: {
        tags,
        operationId: 'changePassword',
        faults: [403],
        summary: "Change the caller's own password",
        body: PasswordChange,
        response: { 200: Message }
      },
      config: {
        access: signedIn,
        trace: updatesCaller('set the password of')
      }
    },
    async (request, reply) => {
      spareOwner(request.principal, request.principal.userId)
      const user = await findUser(registry, request.principal.userId)
      if (!user) throw forbidden()
      await checkCurrent(request, user, request.body.current_password)
      return setOwn(request, reply, user, request.body.new_password)
    }
  )

  app.put(
    '/:user_id/password',
    {
      schema: {
        tags,
        operationId: 'setUserPassword',
        summary: "Set a password; the caller's own one needs the current password",
        params: UserParams,
        body: PasswordSet,
        response: { 200: Message }
      },
      config: {
        access: ownUser('user/update'),
        trace: updates('user', 'user_id', 'set the password of')
      }
    },
    async (request, reply) => {
      const { principal, subject, body } = request
      spareOwner(principal, subject.id)
      if (subject.id === principal.userId) {
        await checkCurrent(request, subject, body.current_password ?? '')
        return setOwn(request, reply, subject, body.new_password)
      }
      return setPassword(request, subject.id, body.new_password)
    }
  )

  async function checkCurrent({ ip }: FastifyRequest, user: UserRow, given: string) {
    const retryAfter = await identity.throttle.take(user.email, ip)
    if (retryAfter > 0) throw tooManyTries(retryAfter)
    if (!(await isPassword(given, user.password_hash || NO_PASSWORD, ip))) {
      throw badRequest('current_password is wrong')
    }
    await identity.throttle.succeeded(user.email, ip)
  }

  async function setOwn(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, email }: UserRow,
    password: string
  ) {
    await countOwnChange(deps, id)
    const answer = await setPassword(request, id, password)
    afterAnswer(reply, () => tellAccountChanged(deps, { id, addresses: [email] }, ['password']))
    return answer
  }

  async function setPassword({ principal }: FastifyRequest, userId: number, password: string) {
    const password_hash = await passwordHash(principal, password)
    await storePassword(deps, userId, { password_hash, except: principal.tokenId })
    return { message: 'Password changed' }
  }
}
