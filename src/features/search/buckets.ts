import { sql } from 'kysely'
import { isPostgres } from '../../registry/dialect.ts'
import { prepared } from '../../registry/prepared.ts'
import type { Registry } from '../../registry/tables.ts'
import { placeOf, readDocs, segmentAt } from './chunks.ts'

/** A part of a bucket: the sets of some segments, as they are in `bytes`. */
export type BucketRows = { bytes: Uint8Array; rows: readonly BucketRow[] }
type BucketRow = { segment: number; start: number; end: number }

/** The bucket is undefined for the set of all documents of each segment. */
export type WantedBucket = { bucket: number | undefined; first: number; last: number }

/** For each bucket the sets of these segments. */
export async function readBuckets(
  registry: Registry,
  wanted: readonly WantedBucket[]
): Promise<BucketRows[]> {
  const places = wanted.flatMap(({ bucket, first, last }) =>
    bucket === undefined ? [] : [[placeOf(bucket, first), placeOf(bucket, last)] as const]
  )
  const read = await (isPostgres(registry) ? onServer : inFile)(registry, places)
  const found: BucketRows[] = []
  for (const { bucket, first, last } of wanted) {
    const rows = bucket === undefined ? await allDocs(registry, first, last) : read.shift()
    if (rows) found.push(rows)
  }
  return found
}

type Place = readonly [first: number, last: number]

/** As bytes, and for all places with one query, so that the server reads its pages in their order. */
async function onServer(registry: Registry, places: readonly Place[]): Promise<BucketRows[]> {
  const found = places.map((): BucketRow[] => [])
  if (places.length === 0) return []
  const wanted = places.map(
    ([first, last]) => sql`place between ${sql.lit(first)} and ${sql.lit(last)}`
  )
  const { rows } = await sql<{ bytes: Buffer }>`copy (select place, sets from search_postings
    where ${sql.join(wanted, sql` or `)}) to stdout (format binary)`.execute(registry)
  const bytes = rows[0]?.bytes ?? Buffer.alloc(0)
  for (const { place, start, end } of copiedRows(bytes)) {
    const own = places.findIndex(([first, last]) => first <= place && place <= last)
    found[own]?.push({ segment: segmentAt(place), start, end })
  }
  return found.map((rows) => ({ bytes, rows }))
}

const COPY_HEAD_BYTES = 19

/** The number of values, then each with its length before it. The last number is -1. */
function* copiedRows(bytes: Buffer): Generator<{ place: number; start: number; end: number }> {
  for (let at = COPY_HEAD_BYTES; at + 2 <= bytes.length && bytes.readInt16BE(at) > 0; ) {
    const place = bytes.readUInt32BE(at + 6) * 2 ** 32 + bytes.readUInt32BE(at + 10)
    const start = at + 18
    const end = start + bytes.readUInt32BE(at + 14)
    yield { place, start, end }
    at = end
  }
}

/**
 * All rows as one value: each row costs the client of SQLite 3 µs. `group_concat` joins the bytes as
 * they are.
 */
const inRange = prepared<{ bytes: Uint8Array | null; lengths: string | null }>((registry) => ({
  compile: () =>
    sql`select cast(group_concat(sets, '') as blob) as bytes,
        group_concat(place || ' ' || length(sets)) as lengths
      from search_postings where place >= ${0} and place <= ${0}`.compile(registry)
}))

async function inFile(registry: Registry, places: readonly Place[]): Promise<BucketRows[]> {
  const found: BucketRows[] = []
  for (const place of places) {
    const [row] = await inRange(registry, place)
    found.push({ bytes: row?.bytes ?? new Uint8Array(), rows: rowsOf(row?.lengths ?? '') })
  }
  return found
}

function rowsOf(lengths: string): BucketRow[] {
  if (lengths === '') return []
  let end = 0
  return lengths.split(',').map((row) => {
    const [place, length] = row.split(' ')
    const start = end
    end += Number(length)
    return { segment: segmentAt(Number(place)), start, end }
  })
}

async function allDocs(registry: Registry, first: number, last: number): Promise<BucketRows> {
  const docs = await readDocs(registry, first, last)
  let end = 0
  const rows = [...docs].map(([segment, { length }]) => {
    const start = end
    end += length
    return { segment, start, end }
  })
  return { bytes: Buffer.concat([...docs.values()]), rows }
}
