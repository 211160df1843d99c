import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Page } from './history.ts'
import { openSqliteFile } from './sqlite-file.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { SqliteScanner } from './sqlite-scanner.ts'
import { SqliteWriter } from './sqlite-writer.ts'
import { answerCalls } from './worker-lane.ts'

const roles = {
  writer: (file: DatabaseSync) => new SqliteWriter(file),
  reader: (file: DatabaseSync, isCancelled: () => boolean) => new SqliteReader(file, isCancelled),
  scanner: (file: DatabaseSync) => new SqliteScanner(file)
}
export type WorkerData = { directory: string; role: keyof typeof roles; cancelled: Int32Array }

/** Of a page: each is a memory of its own, and may be long. */
const textsOf = (answer: unknown): ArrayBuffer[] => {
  const { rows = [] } = (answer ?? {}) as Partial<Page>
  return rows.map(({ buffer }) => buffer as ArrayBuffer)
}

// The entry of all threads of SqliteHistory.
const { directory, role, cancelled }: WorkerData = workerData
const file = openSqliteFile(directory)
if (parentPort) {
  const isCancelled = () => Atomics.load(cancelled, 0) !== 0
  answerCalls(parentPort, roles[role](file, isCancelled), role === 'reader' ? textsOf : undefined)
}
