import { Caracal, CaracalError, type Schemas } from '../../../tools/client/client.ts'
import { Store, useStore } from '../store.ts'

/** `token` is missing before the sign-in; `ended`: the platform does not take it any more. */
type Session = { token?: string; ended?: boolean }

const KEY = 'caracal.session'
const session = new Store<Session>({ token: localStorage.getItem(KEY) ?? undefined })
let caracal = clientOf(session.value)

function clientOf({ token = '' }: Session): Caracal {
  return new Caracal(location.origin, token)
}

function become(next: Session): void {
  caracal = clientOf(next)
  if (next.token && !next.ended) localStorage.setItem(KEY, next.token)
  else localStorage.removeItem(KEY)
  session.set(next)
}

/** Another tab signed in or out. */
addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY) become({ token: newValue ?? undefined })
})

export const useSession = (): Session => useStore(session)
export const currentSession = (): Session => session.value
export const onSession = session.listen

/** Since when the platform cannot be reached; undefined while it answers. */
const away = new Store<number | undefined>(navigator.onLine ? undefined : Date.now())
export const useAway = (): number | undefined => useStore(away)

function reached(isReached: boolean): void {
  if (isReached && away.value !== undefined) away.set(undefined)
  if (!isReached && away.value === undefined) away.set(Date.now())
}
addEventListener('offline', () => reached(false))
addEventListener('online', () => reached(true))

/** Calls the API as the caller. A refused token ends the session, and the page stays. */
export async function call<T>(work: (caracal: Caracal) => Promise<T>): Promise<T> {
  try {
    const answer = await work(caracal)
    reached(true)
    return answer
  } catch (error) {
    // `fetch` throws a TypeError when nobody answers.
    if (error instanceof CaracalError || error instanceof TypeError) {
      reached(error instanceof CaracalError)
    }
    if (error instanceof CaracalError && error.status === 401 && session.value.token) {
      become({ ...session.value, ended: true })
    }
    throw error
  }
}

/** What the sign-in needs next: nothing, or the code of a text message. */
export type NextStep = { finish: (code: string) => Promise<void> } | undefined

export async function signIn(email: string, password: string): Promise<NextStep> {
  const result = await Caracal.beginSignIn(location.origin, { email, password })
  if (!result.nextstep) {
    become({ token: result.token })
    return undefined
  }
  const pending = new Caracal(location.origin, result.token)
  return {
    finish: async (code) => {
      const { token } = await pending.put('/api/v2/auth', { body: { challenge: code } })
      become({ token })
    }
  }
}

export async function signOut(): Promise<void> {
  await call((caracal) => caracal.delete('/api/v2/auth')).catch(() => {})
  become({})
}

export const askForNewPassword = (email: string): Promise<unknown> =>
  new Caracal(location.origin, '').post('/api/v2/auth/reset_password', { body: { email } })

export const register = (person: Schemas['Registration']): Promise<unknown> =>
  new Caracal(location.origin, '').post('/api/v2/user/register', { body: person })

/** `key` came by mail. It works once. */
export const setNewPassword = (key: string, password: string): Promise<unknown> =>
  new Caracal(location.origin, key).put('/api/v2/auth/reset_password', { body: { password } })
