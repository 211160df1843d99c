import assert from 'node:assert/strict'
import type { AggregateQuery, History, Page, PageQuery } from '../../src/history/history.ts'
import { BEGIN, readOnward } from '../../src/history/month-read.ts'
import { BrokenPacks } from '../../src/history/sqlite/broken-packs.ts'
import { openSqliteFile, packsIn } from '../../src/history/sqlite/file.ts'
import type { SqliteHistory } from '../../src/history/sqlite/history.ts'
import { Maintenance, type MaintenanceOptions } from '../../src/history/sqlite/maintenance.ts'
import { PackFiles } from '../../src/history/sqlite/pack-files.ts'
import { SqlitePacker } from '../../src/history/sqlite/packer.ts'
import { SqliteReader } from '../../src/history/sqlite/reader.ts'
import { SqliteScanner } from '../../src/history/sqlite/scanner.ts'
import type { WorkerLane } from '../../src/history/sqlite/worker-lane.ts'
import { SqliteWriter } from '../../src/history/sqlite/writer.ts'
import type { UnixMs } from '../../src/lib/unix-time.ts'

export type OneThreadHistory = Pick<History, 'sizes' | 'readMonth' | 'readPage' | 'aggregate'> &
  Pick<SqliteHistory, 'packAll' | 'erase' | 'dropBefore' | 'close'> &
  Pick<Maintenance, 'wrote'>

const inThisThread = <Target extends object>(target: Target) =>
  ({
    call: async (method: keyof Target, args: unknown[]) =>
      (target[method] as (...args: unknown[]) => unknown)(...args)
  }) as unknown as WorkerLane<never>

/**
 * SQLite history whose parts all work in the thread of the caller. It opens in a few milliseconds,
 * and a tool that counts the system calls of a thread sees all of them in order.
 */
export async function openInOneThread(
  directory: string,
  now: UnixMs,
  outage: MaintenanceOptions['outage'] = { failed() {}, worked() {} }
): Promise<OneThreadHistory> {
  const packs = packsIn(directory)
  const writer = new SqliteWriter(openSqliteFile(directory, 'writer'), packs)
  const packer = new SqlitePacker(openSqliteFile(directory, 'reader'), packs, () => false)
  const reader = new SqliteReader(
    openSqliteFile(directory, 'reader'),
    new PackFiles(packs),
    () => false
  )
  const scanner = new SqliteScanner(openSqliteFile(directory, 'reader'), new PackFiles(packs))
  const packing = inThisThread(packer)
  const maintenance = new Maintenance(
    {
      writer: inThisThread(writer),
      packer: () => packing,
      restPacker: async () => {},
      forget: async (names) => {
        for (const part of [packer, reader, scanner]) part.forget(names)
      }
    },
    {
      ...{ directory: packs, quarantine: `${directory}/quarantine`, clock: () => now, outage },
      broken: new BrokenPacks(
        async () => undefined,
        () => {}
      )
    }
  )
  await maintenance.begin()
  const whole = (page: Page | string): Page => {
    assert(typeof page !== 'string')
    return page
  }
  return {
    sizes: async () => writer.sizes(),
    readPage: async (query: PageQuery) => whole(reader.readPage(query)),
    aggregate: async (query: AggregateQuery) => whole(reader.aggregate(query)),
    readMonth: (name) => readOnward(BEGIN, async (place) => scanner.readMonth(name, place)),
    wrote: (rows) => maintenance.wrote(rows),
    packAll: () => maintenance.packAll(),
    erase: (installation_id) => maintenance.erase(installation_id),
    dropBefore: (moment) => maintenance.dropBefore(moment),
    async close() {
      await maintenance.close()
      for (const part of [packer, reader, scanner, writer]) part.close()
    }
  }
}
