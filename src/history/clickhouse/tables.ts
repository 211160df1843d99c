/** The place of the tables. An empty `cluster` means one server. */
export type ClickhousePlace = { database: string; cluster: string }

export type Table = 'samples' | 'latest' | 'lineage'
export type Way = 'ASC' | 'DESC'

/**
 * In a cluster `samples` and `latest` are Distributed tables: reads and inserts go through them to
 * every shard. All other statements use the local tables that hold the rows.
 */
const holder = ({ cluster }: ClickhousePlace, table: Table): string =>
  cluster === '' ? table : `${table}_local`

/** The table that holds the rows, with ON CLUSTER so that a statement reaches every server. */
export const everywhere = (place: ClickhousePlace, table: Table): string =>
  place.cluster === ''
    ? `${place.database}.${table}`
    : `${place.database}.${holder(place, table)} ON CLUSTER \`${place.cluster}\``

/** Bytes by table and month on all disks. A server that is down counts as 0. */
export const sizesSql = (place: ClickhousePlace): string => `
  SELECT splitByChar('_', table)[1] AS name, partition, sum(bytes_on_disk) AS bytes
  FROM ${partsSql(place)}
  WHERE database = '${place.database}' AND active
    AND table IN ('${holder(place, 'samples')}', '${holder(place, 'latest')}')
  GROUP BY name, partition ORDER BY name, toInt64OrZero(partition)`

const partsSql = ({ cluster }: ClickhousePlace): string =>
  cluster === ''
    ? 'system.parts'
    : `(SELECT database, table, partition, bytes_on_disk, active
        FROM clusterAllReplicas('${cluster}', system.parts) SETTINGS skip_unavailable_shards = 1)`

export const databaseSql = ({ database, cluster }: ClickhousePlace): string =>
  `CREATE DATABASE IF NOT EXISTS ${database}${cluster === '' ? '' : ` ON CLUSTER \`${cluster}\``}`

/**
 * Run them in this order. Running them again changes nothing, but creates the tables on a new
 * server.
 */
export const tablesSql = (place: ClickhousePlace): string[] => {
  const holders = [
    `CREATE TABLE IF NOT EXISTS ${everywhere(place, 'samples')} (${samplesColumns})
    ENGINE = ${replacing(place, 'samples')}
    PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(timestamp, 'UTC'))
    ORDER BY (installation_id, topic, timestamp, value, msg)
    SETTINGS ${durable(place)}`,
    `CREATE TABLE IF NOT EXISTS ${everywhere(place, 'latest')} (${latestColumns})
    ENGINE = ${replacing(place, 'latest', 'timestamp')}
    ORDER BY (installation_id, topic)
    SETTINGS ${durable(place)}`,
    `CREATE TABLE IF NOT EXISTS ${everywhere(place, 'lineage')} (${lineageColumns})
    ENGINE = ${merging(place, 'lineage', 'AggregatingMergeTree')}
    ORDER BY (platform, kind)
    SETTINGS ${durable(place)}`
  ]
  if (place.cluster === '') return holders
  return [
    ...holders,
    distributed(place, 'samples', 'installation_id'),
    distributed(place, 'latest', 'installation_id'),
    distributed(place, 'lineage', 'cityHash64(kind)')
  ]
}

/** All rows of an installation are on one shard. */
const distributed = (place: ClickhousePlace, table: Table, key: string): string => {
  const { database, cluster } = place
  const local = holder(place, table)
  return `CREATE TABLE IF NOT EXISTS ${database}.${table} ON CLUSTER \`${cluster}\`
    AS ${database}.${local}
    ENGINE = Distributed('${cluster}', '${database}', '${local}', ${key})`
}

/**
 * Of rows with the same sort key only the last inserted one stays. FINAL hides the others until a
 * merge removes them. The path has no uuid, so a server that joins later finds the other replicas.
 */
const replacing = (place: ClickhousePlace, table: Table, ...version: string[]): string =>
  merging(place, table, 'ReplacingMergeTree', ...version)

function merging(
  { cluster }: ClickhousePlace,
  table: Table,
  engine: string,
  ...more: string[]
): string {
  if (cluster === '') return `${engine}(${more.join()})`
  const path = `'/clickhouse/tables/{shard}/{database}/${table}'`
  return `Replicated${engine}(${[path, "'{replica}'", ...more].join(', ')})`
}

/**
 * A cluster remembers tokens for a week, the longest time that a batch may wait for its second try.
 */
const durable = ({ cluster }: ClickhousePlace): string => `
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  ${
    cluster === ''
      ? 'non_replicated_deduplication_window = 1000'
      : 'replicated_deduplication_window = 1000, replicated_deduplication_window_seconds = 604800'
  }`

// The same order as in encodeSample.
const samplesColumns = `
  id UInt64 CODEC(DoubleDelta, ZSTD),
  installation_id UInt64 CODEC(Delta, ZSTD),
  client_id UInt64 CODEC(Delta, ZSTD),
  topic String CODEC(ZSTD),
  timestamp Int64 CODEC(DoubleDelta, ZSTD),
  value Float64 CODEC(Gorilla, ZSTD),
  msg String CODEC(ZSTD)`
const latestColumns = `
  id UInt64,
  installation_id UInt64,
  client_id UInt64,
  topic String,
  timestamp Int64,
  value Float64,
  msg String`

/** The same order as in `keepLineage`. Merges keep the greatest values. */
const lineageColumns = `
  platform String,
  kind String,
  reached SimpleAggregateFunction(max, UInt64),
  reserved SimpleAggregateFunction(max, UInt64),
  written SimpleAggregateFunction(max, Int64)`

/** Two nodes may give out the same id, so the order of a page needs more keys. */
export const orderKeys = ['samples.timestamp', 'topic', 'id', 'value', 'msg'] as const

export const inOrder = (way: Way): string => orderKeys.map((key) => `${key} ${way}`).join(', ')
