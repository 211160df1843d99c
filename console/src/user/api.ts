import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import { saveOnSeen } from '../edit/save.ts'
import { queryClient } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Installation, Organization, Token, User } from './types.ts'

const DAY_S = 24 * 3600

export const users = queryOptions({
  queryKey: ['users'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/user'))
})

export const rolesOfUsers = queryOptions({
  queryKey: ['roles of users'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/role'))
})

/** Id, name and parent of the organizations that the caller sees. */
export const organizationTree = queryOptions({
  queryKey: ['organization tree'],
  queryFn: (): Promise<Organization[]> =>
    call((caracal) => caracal.get('/api/v2/organization', { query: { minimal: true } }))
})

/** With the users that each one is assigned to. */
export const installationRecords = queryOptions({
  queryKey: ['installation records'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/installation'))
})

export const tokensOf = (user_id: number) =>
  queryOptions({
    queryKey: ['tokens of', user_id],
    queryFn: () =>
      call((caracal) => caracal.get('/api/v2/user/{user_id}/security/token', { path: { user_id } }))
  })

export const readUser = (user_id: number): Promise<Tagged<User>> =>
  call((caracal) => caracal.tagged('/api/v2/user/{user_id}', { path: { user_id } }))

export const updateUser = (
  user_id: number,
  body: Schemas['UserUpdate'],
  etag: string
): Promise<User> =>
  call((caracal) =>
    caracal.put('/api/v2/user/{user_id}', {
      path: { user_id },
      header: { 'If-Match': etag },
      body
    })
  )

/** Puts what is known of a user now into the list. */
export function show(user: User): void {
  queryClient.setQueryData(users.queryKey, (before) =>
    before?.some(({ id }) => id === user.id)
      ? before.map((one) => (one.id === user.id ? user : one))
      : [...(before ?? []), user]
  )
}

export const createUser = (body: Schemas['NewUser']): Promise<User> =>
  call((caracal) => caracal.post('/api/v2/user', { body }))

export const deleteUser = (user_id: number): Promise<unknown> =>
  call((caracal) => caracal.delete('/api/v2/user/{user_id}', { path: { user_id } }))

/** Sends a mail with a key that sets a password. */
export const mailKey = (email: string): Promise<unknown> =>
  call((caracal) => caracal.post('/api/v2/auth/reset_password', { body: { email } }))

/** The clock of this browser may be wrong, so the account ends well before now. */
export const setDisabled = (user_id: number, isDisabled: boolean): Promise<User> =>
  call((caracal) =>
    caracal.put('/api/v2/user/{user_id}', {
      path: { user_id },
      body: { expire_at: isDisabled ? Math.floor(Date.now() / 1000) - DAY_S : 0 }
    })
  )

/** The token is in this answer and never again. */
export async function createKeyOf(user_id: number, body: Schemas['NewToken']): Promise<Token> {
  const made = await call((caracal) =>
    caracal.post('/api/v2/user/{user_id}/security/token', { path: { user_id }, body })
  )
  void queryClient.invalidateQueries(tokensOf(user_id))
  return made
}

/** Deletes keys and ends sessions. */
export async function deleteTokensOf(user_id: number, ids: readonly number[]): Promise<void> {
  try {
    for (const token_id of ids) {
      const path = { user_id, token_id }
      await call((caracal) =>
        caracal.delete('/api/v2/user/{user_id}/security/token/{token_id}', { path })
      )
    }
  } finally {
    await queryClient.invalidateQueries(tokensOf(user_id))
  }
}

const readInstallation = (installation_id: number): Promise<Tagged<Installation>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/installation/{installation_id}', { path: { installation_id } })
  )

/** The users of an installation are changed, because the answer of a user does not have them. */
export async function assign(id: number, user_id: number, isAssigned: boolean): Promise<void> {
  const read = await readInstallation(id)
  const others = read.value.users.filter((one) => one !== user_id)
  const users = isAssigned ? [...others, user_id] : others
  await saveOnSeen({
    read: async () => read,
    isKnown: () => true,
    write: (etag) =>
      call((caracal) =>
        caracal.put('/api/v2/installation/{installation_id}', {
          path: { installation_id: id },
          header: { 'If-Match': etag },
          body: { users }
        })
      ),
    show: () => {}
  }).finally(() => queryClient.invalidateQueries(installationRecords))
}
