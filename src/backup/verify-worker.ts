import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { verifyBackup } from './verify.ts'
import type { VerifyData, VerifyNews } from './verify-thread.ts'

/** Other threads get more processor time. */
const PRIORITY = 10

// On other systems this would concern the whole process.
if (process.platform === 'linux') setPriority(PRIORITY)

const { directory, servers } = workerData as VerifyData
const tell = (news: VerifyNews) => parentPort?.postMessage(news)
let told = 0
const verified = await verifyBackup(directory, {
  servers,
  onProgress(done) {
    if (done < told + 0.01) return
    told = done
    tell({ done })
  }
})
tell({ verified })
