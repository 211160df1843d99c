import type { GatewayPresence } from '../../identity/gateway-presence.ts'

export type StatusDeps = { gateways: Pick<GatewayPresence, 'of'> }
