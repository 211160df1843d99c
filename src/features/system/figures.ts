/**
 * What is recorded every minute, in the order of the file. When minutes are joined, the mean, the
 * greatest or the least of them stays.
 */
export const figures = [
  { name: 'messages_per_second', joined: 'mean', help: 'MQTT messages received' },
  { name: 'stored_per_second', joined: 'mean', help: 'Values stored' },
  { name: 'refused_per_second', joined: 'mean', help: 'Messages acknowledged but not stored' },
  { name: 'requests_per_second', joined: 'mean', help: 'HTTP requests answered' },
  { name: 'request_p50', joined: 'mean', help: 'Half of the answers took at most so many seconds' },
  { name: 'request_p99', joined: 'most', help: '99 % of the answers took at most so many seconds' },
  { name: 'mqtt_connections', joined: 'mean', help: 'Open MQTT connections' },
  { name: 'spool_samples', joined: 'most', help: 'Stored values on their way to history' },
  { name: 'spool_oldest_seconds', joined: 'most', help: 'How long the oldest of them has waited' },
  { name: 'loop_delay_p99', joined: 'most', help: 'Seconds that the process was late, 99 %' },
  { name: 'memory_bytes', joined: 'most', help: 'Resident memory' },
  { name: 'disk_free_bytes', joined: 'least', help: 'Free space of the data directory' }
] as const

export type FigureName = (typeof figures)[number]['name']

/** NaN: not known. */
export type Figures = Record<FigureName, number>
