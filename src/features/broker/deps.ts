import type { BrokerAccess } from './broker-access.ts'

export type BrokerDeps = {
  brokerAccess: BrokerAccess
  /** Whether the platform now reads the samples that arrive on the bus. */
  isBusRead: () => boolean
}
