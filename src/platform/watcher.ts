import { GatewayAlarms } from '../features/alarm/gateway-alarms.ts'
import { Handover } from '../features/alarm/handover.ts'
import { Loading } from '../features/alarm/loading.ts'
import { RuleSource } from '../features/alarm/rule-source.ts'
import { Shares } from '../features/alarm/shares.ts'
import { Watcher } from '../features/alarm/watcher.ts'
import { Watching } from '../features/alarm/watching.ts'
import type { Parts } from './parts.ts'

/** What the watcher needs of the platform. Tests open it without the rest. */
export type WatcherGiven = Pick<
  Parts,
  'registry' | 'spool' | 'directory' | 'claims' | 'gateways' | 'clock' | 'log' | 'node'
> & {
  /** Of installations that have none. */
  timezone: string
  /** False with ACK=history: values do not go through the spool. */
  hasValues: boolean
  bus: { shared: Parts['bus']['shared'] }
  alarmEvents: Pick<Parts['alarmEvents'], 'tell'>
}

/** The watcher of alarms, which does nothing before it is started. */
export async function openWatcher(given: WatcherGiven): Promise<Watcher> {
  const { registry, spool, directory, claims, clock, log, timezone, bus, alarmEvents } = given
  const node = given.node.id
  const watching = new Watching(clock)
  const tell = (clientId: number) => alarmEvents.tell(clientId)
  const gateways = new GatewayAlarms({
    ...{ registry, directory, clock, gateways: given.gateways },
    onWritten: tell
  })
  await gateways.open()
  const source = new RuleSource(registry, timezone)
  const loading = new Loading({
    ...{ registry, spool, directory, watching, source, gateways, clock, log },
    hasValues: given.hasValues
  })
  await loading.open()
  const onTaken = (partitions: readonly number[]) => loading.onTaken(partitions)
  const shares = new Shares({ registry, claims, watching, clock, onTaken })
  const handover = bus.shared && new Handover(bus.shared, { node, log })
  handover?.start((partition) => shares.holds(partition))
  return new Watcher({
    ...{ registry, spool, watching, loading, shares, gateways, handover, node, clock, log, tell }
  })
}
