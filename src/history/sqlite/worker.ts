import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { answerCalls } from '../../lib/thread-calls.ts'
import type { Page } from '../history.ts'
import type { SeriesPage } from '../series.ts'
import { openSqliteFile, packsIn } from './file.ts'
import { PackFiles } from './pack-files.ts'
import { SqlitePacker } from './packer.ts'
import { SqliteReader } from './reader.ts'
import { SqliteScanner } from './scanner.ts'
import { SqliteWriter } from './writer.ts'

type Role = (file: DatabaseSync, packs: string, isCancelled: () => boolean) => { close(): void }

const roles = {
  writer: (file, packs) => new SqliteWriter(file, packs),
  reader: (file, packs, isCancelled) => new SqliteReader(file, new PackFiles(packs), isCancelled),
  scanner: (file, packs) => new SqliteScanner(file, new PackFiles(packs)),
  packer: (file, packs, isCancelled) => new SqlitePacker(file, packs, isCancelled)
} satisfies Record<string, Role>
export type WorkerData = { directory: string; role: keyof typeof roles; cancelled: Int32Array }

/** The texts or numbers of a page. They have memory of their own, which is moved, not copied. */
const memoryOf = (answer: unknown): ArrayBuffer[] => {
  const { rows = [], times, values } = (answer ?? {}) as Partial<Page & SeriesPage>
  const all = times && values ? [times, values] : rows
  return all.map(({ buffer }) => buffer as ArrayBuffer)
}

// The entry point of all threads of SqliteHistory.
const { directory, role, cancelled }: WorkerData = workerData
const file = openSqliteFile(directory, role === 'writer' ? 'writer' : 'reader')
if (parentPort) {
  const isCancelled = () => Atomics.load(cancelled, 0) !== 0
  const target = roles[role](file, packsIn(directory), isCancelled)
  answerCalls(parentPort, target, role === 'reader' ? memoryOf : undefined)
}
