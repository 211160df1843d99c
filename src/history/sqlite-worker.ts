import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteFile } from './sqlite-file.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { SqliteWriter } from './sqlite-writer.ts'
import { answerCalls } from './worker-lane.ts'

export type WorkerData = { directory: string; role: 'writer' | 'reader'; cancelled: Int32Array }

// The entry of all threads of SqliteHistory.
const { directory, role, cancelled }: WorkerData = workerData
const file = openSqliteFile(directory)
if (parentPort) {
  const isCancelled = () => Atomics.load(cancelled, 0) !== 0
  answerCalls(
    parentPort,
    role === 'writer' ? new SqliteWriter(file) : new SqliteReader(file, isCancelled)
  )
}
