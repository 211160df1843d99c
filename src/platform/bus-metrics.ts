import type { EmbeddedBus } from '../bus/embedded/embedded.ts'
import type { ExternalBus, ExternalCounts } from '../bus/external/external.ts'
import type { Metrics } from '../metrics.ts'
import { together } from './together.ts'

export function describeEmbedded(metrics: Metrics, bus: EmbeddedBus): void {
  metrics.gauge('mqtt_connections', 'Open MQTT connections', () => bus.counts.connections)
  metrics.counter('mqtt_received_total', 'MQTT messages received', () => bus.counts.received)
  metrics.counter('mqtt_delivered_total', 'MQTT messages delivered', () => bus.counts.delivered)
  metrics.counter(
    'mqtt_refused_versions_total',
    'Connections refused because of their MQTT version',
    () => bus.counts.refusedVersions
  )
  metrics.counters(
    'mqtt_dropped_total',
    'Messages that did not reach a receiver',
    'reason',
    () => bus.counts.dropped
  )
  metrics.counters(
    'mqtt_refused_total',
    'Refusals because of a limit of an owner or a connection',
    'what',
    () => bus.counts.refused
  )
  metrics.gauge(
    'mqtt_in_flight_bytes',
    'Bytes of messages that are read but not stored yet',
    () => bus.inFlightBytes
  )
  const kept = together(() => bus.state())
  metrics.gauge('mqtt_sessions', 'Kept MQTT sessions', async () => (await kept()).sessions)
  metrics.gauge('mqtt_retained', 'Retained messages', async () => (await kept()).retained)
  metrics.gauge('mqtt_queued', 'Messages that wait for sessions', async () => (await kept()).queued)
  metrics.gauge(
    'mqtt_queued_bytes',
    'Bytes of messages that wait for sessions',
    async () => (await kept()).bytes
  )
}

export function describeExternal(metrics: Metrics, bus: ExternalBus): void {
  const now = (of: keyof ExternalCounts) => () => bus.counts[of]
  metrics.gauge('mqtt_connections', 'Open MQTT connections', now('connections'))
  metrics.gauge('mqtt_slots', 'Sessions on the external broker that this node reads', now('slots'))
  metrics.counter('mqtt_received_total', 'MQTT messages received', now('received'))
  metrics.counter(
    'mqtt_published_total',
    'Messages published to the external broker',
    now('published')
  )
}
