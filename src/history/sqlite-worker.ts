import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteFile } from './sqlite-file.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { SqliteScanner } from './sqlite-scanner.ts'
import { SqliteWriter } from './sqlite-writer.ts'
import { answerCalls } from './worker-lane.ts'

const roles = { writer: SqliteWriter, reader: SqliteReader, scanner: SqliteScanner }
export type WorkerRole = keyof typeof roles

// The entry of all threads of SqliteHistory.
const { directory, role }: { directory: string; role: WorkerRole } = workerData
const file = openSqliteFile(directory)
if (parentPort) answerCalls(parentPort, new roles[role](file))
