import type { AuthenticateError } from 'aedes'

// CONNACK return codes, [MQTT 3.2.2.3].
export const identifierRejected = 2
export const serverUnavailable = 3
export const badCredentials = 4

export const refusal = (returnCode: number): AuthenticateError =>
  Object.assign(new Error(`sign-in refused, code ${returnCode}`), { returnCode })
