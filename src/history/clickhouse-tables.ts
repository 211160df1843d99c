/** Where the tables are. An empty `cluster` means one server. */
export type Place = { database: string; cluster: string }

export type Table = 'samples' | 'latest' | 'lineage'
export type Way = 'ASC' | 'DESC'

/**
 * In a cluster `samples` and `latest` are Distributed: reads and inserts go through them to the rows
 * of every shard. Whatever else is done to rows is done to the tables that hold them.
 */
const holder = ({ cluster }: Place, table: Table): string =>
  cluster === '' ? table : `${table}_local`

/** The table that holds the rows, as a statement names it that is to reach every server. */
export const everywhere = (place: Place, table: Table): string =>
  place.cluster === ''
    ? `${place.database}.${table}`
    : `${place.database}.${holder(place, table)} ON CLUSTER \`${place.cluster}\``

/** Bytes by table and month, on all disks together; a server that is down counts as nothing. */
export const sizesSql = (place: Place): string => `
  SELECT splitByChar('_', table)[1] AS name, partition, sum(bytes_on_disk) AS bytes
  FROM ${partsSql(place)}
  WHERE database = '${place.database}' AND active
    AND table IN ('${holder(place, 'samples')}', '${holder(place, 'latest')}')
  GROUP BY name, partition ORDER BY name, toInt64OrZero(partition)`

const partsSql = ({ cluster }: Place): string =>
  cluster === ''
    ? 'system.parts'
    : `(SELECT database, table, partition, bytes_on_disk, active
        FROM clusterAllReplicas('${cluster}', system.parts) SETTINGS skip_unavailable_shards = 1)`

export const databaseSql = ({ database, cluster }: Place): string =>
  `CREATE DATABASE IF NOT EXISTS ${database}${cluster === '' ? '' : ` ON CLUSTER \`${cluster}\``}`

/** In order; running them again changes nothing, and gives a new server of the cluster its tables. */
export const tablesSql = (place: Place): string[] => {
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

/** All rows of an installation have one shard. */
const distributed = (place: Place, table: Table, key: string): string => {
  const { database, cluster } = place
  const local = holder(place, table)
  return `CREATE TABLE IF NOT EXISTS ${database}.${table} ON CLUSTER \`${cluster}\`
    AS ${database}.${local}
    ENGINE = Distributed('${cluster}', '${database}', '${local}', ${key})`
}

/**
 * Of rows with the same sort key the last inserted one stays, and FINAL hides the others until a
 * merge removes them. The path holds no uuid: a server that joins later finds the others by it.
 */
const replacing = (place: Place, table: Table, ...version: string[]): string =>
  merging(place, table, 'ReplacingMergeTree', ...version)

function merging({ cluster }: Place, table: Table, engine: string, ...more: string[]): string {
  if (cluster === '') return `${engine}(${more.join()})`
  const path = `'/clickhouse/tables/{shard}/{database}/${table}'`
  return `Replicated${engine}(${[path, "'{replica}'", ...more].join(', ')})`
}

/** A week: as long as a batch is likely to wait for its second try. */
const durable = ({ cluster }: Place): string => `
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  ${
    cluster === ''
      ? 'non_replicated_deduplication_window = 1000'
      : 'replicated_deduplication_window = 1000, replicated_deduplication_window_seconds = 604800'
  }`

// In the order of encodeSample.
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

/** In the order of `keepLineage`; merges keep the greatest. */
const lineageColumns = `
  platform String,
  kind String,
  reached SimpleAggregateFunction(max, UInt64),
  reserved SimpleAggregateFunction(max, UInt64),
  written SimpleAggregateFunction(max, Int64)`

/** Two nodes may give out the same id, so it alone does not settle the order of a page. */
export const orderKeys = ['samples.timestamp', 'topic', 'id', 'value', 'msg'] as const

export const inOrder = (way: Way): string => orderKeys.map((key) => `${key} ${way}`).join(', ')
