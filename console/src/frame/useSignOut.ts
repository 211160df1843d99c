import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { hasDraft } from '../modelx/draft.ts'
import { signOut } from '../session/session.ts'

/** Ends the session and opens the sign-in. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate()
  return useCallback(async () => {
    // Leaving the page asks first. Who stays there is not signed out.
    if (hasDraft()) await navigate({ to: '/installations' })
    if (hasDraft()) return
    await signOut()
    await navigate({ to: '/sign-in' })
  }, [navigate])
}
