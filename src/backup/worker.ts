import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { answerCalls } from '../lib/thread-calls.ts'
import { BackupWork, type Plan } from './work.ts'

/** Other threads get more processor time. */
const PRIORITY = 10

// On other systems this would concern the whole process.
if (process.platform === 'linux') setPriority(PRIORITY)
if (parentPort) answerCalls(parentPort, new BackupWork(workerData as Plan))
