import { join } from 'node:path'
import { isInfluxInstalled, startInflux } from '../../test/support/influx.ts'
import { bytesOf, type Peer, whenStill } from './peer.ts'

export { isInfluxInstalled }

export type InfluxPeer = Peer & {
  url: string
  /** The address that answers one or more statements. */
  queryUrl(statement: string): string
}

/** It can not be told to compact its files; it does so when nobody has written for a time. */
const COLD = '3s'
const QUIET_MS = 10_000

export async function startInfluxPeer(): Promise<InfluxPeer> {
  const influx = await startInflux(
    `cache-snapshot-write-cold-duration = "${COLD}"\n  compact-full-write-cold-duration = "${COLD}"`
  )
  const { url, directory, queryUrl, write, stop } = influx
  return {
    name: 'InfluxDB',
    ...{ url, queryUrl, write, stop },
    settle: () => whenStill(directory, QUIET_MS),
    count: async (from, to) => {
      const [rows] = await influx.query([
        `SELECT count(v) FROM s WHERE time >= ${from}ms AND time < ${to}ms`
      ])
      return rows?.[0]?.[1] ?? 0
    },
    bytes: () => bytesOf(join(directory, 'data')) + bytesOf(join(directory, 'wal'))
  }
}
