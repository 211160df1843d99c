import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteFile } from './sqlite-file.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { SqliteWriter } from './sqlite-writer.ts'
import { answerCalls } from './worker-lane.ts'

export type WorkerRole = 'writer' | 'reader'

// The entry of both threads of SqliteHistory.
const { directory, role }: { directory: string; role: WorkerRole } = workerData
const file = openSqliteFile(directory)
if (parentPort) {
  answerCalls(parentPort, role === 'writer' ? new SqliteWriter(file) : new SqliteReader(file))
}
