import { Worker } from 'node:worker_threads'
import type { Sample } from '../lib/sample.ts'
import type { LineForm } from '../lib/sample-lines.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { History, MonthSize, Page, PageQuery, ScanQuery, Sizes } from './history.ts'
import { type Scanned, scanLines } from './scan.ts'
import type { SqliteReader } from './sqlite-reader.ts'
import type { SqliteScanner } from './sqlite-scanner.ts'
import type { WorkerRole } from './sqlite-worker.ts'
import type { SqliteWriter } from './sqlite-writer.ts'
import { WorkerLane } from './worker-lane.ts'

/** History in one SQLite file, where chDB has no library for the platform. */
export async function openSqliteHistory(directory: string): Promise<History> {
  const writer = new WorkerLane<SqliteWriter>(startWorker(directory, 'writer'))
  // The writer makes the tables before the reader prepares its statements on them.
  await writer.ready()
  const reader = new WorkerLane<SqliteReader>(startWorker(directory, 'reader'))
  try {
    await reader.ready()
  } catch (error) {
    await writer.close()
    throw error
  }
  const startScanner = () => new WorkerLane<SqliteScanner>(startWorker(directory, 'scanner'))
  return new SqliteHistory(writer, reader, startScanner)
}

const startWorker = (directory: string, role: WorkerRole): Worker =>
  new Worker(new URL('./sqlite-worker.ts', import.meta.url), { workerData: { directory, role } })

/** SQLite answers on the thread that asks, so reading and writing have a thread each. */
class SqliteHistory implements History {
  readonly #writer: WorkerLane<SqliteWriter>
  readonly #reader: WorkerLane<SqliteReader>
  readonly #startScanner: () => WorkerLane<SqliteScanner>
  #scanner: WorkerLane<SqliteScanner> | undefined
  #isClosed = false

  constructor(
    writer: WorkerLane<SqliteWriter>,
    reader: WorkerLane<SqliteReader>,
    startScanner: () => WorkerLane<SqliteScanner>
  ) {
    this.#writer = writer
    this.#reader = reader
    this.#startScanner = startScanner
  }

  append(rows: Buffer, token: string): Promise<void> {
    // A copy, because a buffer may be a part of a larger one, and the thread takes the whole.
    const copy = new Uint8Array(rows)
    return this.#writer.call('append', [copy, token], { transfer: [copy.buffer] })
  }

  readPage(query: PageQuery, signal?: AbortSignal): Promise<Page> {
    return this.#reader.call('readPage', [query], { signal })
  }

  async *scan(query: ScanQuery, form: LineForm, signal?: AbortSignal): AsyncGenerator<Buffer> {
    if (this.#isClosed) throw new Error('History is closed')
    // Its thread starts with the first scan: most days have none.
    this.#scanner ??= this.#startScanner()
    const scanner = this.#scanner
    await scanner.ready()
    const source: Scanned = {
      measure: (...args) => scanner.call('measure', args, { signal }),
      read: (...args) => scanner.call('read', args, { signal }),
      readOn: (...args) => scanner.call('readOn', args, { signal })
    }
    yield* scanLines(source, query, form)
  }

  async *latest(): AsyncGenerator<Sample[]> {
    let last = 0
    while (true) {
      const chunk = await this.#reader.call('latestAfter', [last])
      if (chunk.samples.length === 0) return
      yield chunk.samples
      last = chunk.last
    }
  }

  async erase(installation_id: number): Promise<void> {
    // In parts, so that samples on their way are stored in between.
    while (await this.#writer.call('eraseSome', [installation_id]));
    await this.#giveSpaceBack()
  }

  async dropBefore(moment: UnixMs): Promise<MonthSize[]> {
    const dropped = await this.#writer.call('dropBefore', [moment])
    await this.#giveSpaceBack()
    return dropped
  }

  sizes(): Promise<Sizes> {
    return this.#writer.call('sizes', [])
  }

  async close(): Promise<void> {
    // The writer last: whoever closes the file last folds the write-ahead log into it.
    this.#isClosed = true
    await this.#scanner?.close()
    await this.#reader.close()
    await this.#writer.close()
  }

  async #giveSpaceBack(): Promise<void> {
    while ((await this.#writer.call('giveBack', [])) > 0);
  }
}
