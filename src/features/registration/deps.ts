import type { Throttle } from '../../identity/throttle.ts'

export type RegistrationDeps = {
  /** Limits how often somebody may try to register. */
  registering: Throttle
}
