import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Spool } from '../../src/history/spool/spool.ts'
import { decodeSamples, encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

export const MB = 1024 * 1024

export function temporary(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'caracal-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export async function opened(t: TestContext, dir: string): Promise<Spool> {
  const spool = await Spool.open(dir)
  t.after(() => spool.close())
  return spool
}

export const line = (id: number): string =>
  encodeSample({
    id,
    installation_id: 1,
    client_id: 1001,
    topic: '1001/obj/x',
    timestamp: unixMs(id),
    value: id,
    msg: ''
  })

/** One group. */
export async function append(spool: Spool, ...ids: number[]): Promise<void> {
  await Promise.all(ids.map((id) => spool.append(line(id), id)))
}

export const idsOf = (rows: Uint8Array): number[] =>
  [...decodeSamples(Buffer.from(rows))].map(({ id }) => id)

/** Groups of a megabyte each. */
export async function fill(spool: Spool, ids: number[]): Promise<void> {
  for (const id of ids) await spool.append(`${line(id).trimEnd()}${' '.repeat(MB)}\n`, id)
}

export const from = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => first + i)

/** Of the file and its log. */
export const sizeOf = (dir: string): number =>
  ['spool.sqlite', 'spool.sqlite-wal'].reduce(
    (sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0),
    0
  )
