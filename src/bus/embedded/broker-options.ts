import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { BrokerRules, DiskRoom, MessageHandler, Session } from '../bus.ts'
import type { BrokerLimits } from './limits.ts'
import type { Store } from './store/store.ts'

export type BrokerOptions<S extends Session> = {
  rules: BrokerRules<S>
  onMessage: MessageHandler
  log: Pick<Logger, 'debug' | 'warn' | 'error'>
  store: Store
  clock: Clock
  disk: DiskRoom
  limits: BrokerLimits
}
