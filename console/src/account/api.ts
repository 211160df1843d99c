import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import { me, queryClient, tokens } from '../queries.ts'
import { call } from '../session/session.ts'

export type User = Schemas['User']
export type Token = Schemas['Token']

const ownPath = async () => {
  const { id: user_id } = await queryClient.ensureQueryData(me)
  return { user_id }
}

export const readMe = (): Promise<Tagged<User>> =>
  call((caracal) => caracal.tagged('/api/v2/user/me'))

export const updateMe = (body: Schemas['UserUpdate'], etag: string): Promise<User> =>
  call((caracal) => caracal.put('/api/v2/user/me', { header: { 'If-Match': etag }, body }))

export const deleteMe = (): Promise<unknown> => call((caracal) => caracal.delete('/api/v2/user/me'))

export const changePassword = (body: Schemas['PasswordChange']): Promise<unknown> =>
  call((caracal) => caracal.put('/api/v2/user/password', { body }))

/** The token is in this answer and never again. */
export async function createKey(body: Schemas['NewToken']): Promise<Token> {
  const path = await ownPath()
  const made = await call((caracal) =>
    caracal.post('/api/v2/user/{user_id}/security/token', { path, body })
  )
  void queryClient.invalidateQueries(tokens)
  return made
}

export async function deleteToken(token_id: number): Promise<void> {
  const path = { ...(await ownPath()), token_id }
  await call((caracal) =>
    caracal.delete('/api/v2/user/{user_id}/security/token/{token_id}', { path })
  )
  await queryClient.invalidateQueries(tokens)
}
