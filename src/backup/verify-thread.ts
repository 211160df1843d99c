import { Worker } from 'node:worker_threads'
import { SECOND } from '../lib/unix-time.ts'
import { endsWithin } from '../lib/within.ts'
import type { Verified, VerifyOptions } from './verify.ts'

/** A thread that is stopped gets so long to end. */
const END_LIMIT_MS = 5 * SECOND

export type VerifyData = { directory: string; servers: VerifyOptions['servers'] }
export type VerifyNews = { done: number } | { verified: Verified }

/** Reads all of a backup beside other work. */
export async function verifyInThread(
  directory: string,
  { servers, onProgress, signal }: VerifyOptions & { signal: AbortSignal }
): Promise<Verified> {
  signal.throwIfAborted()
  const workerData: VerifyData = { directory, servers }
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { workerData })
  const { promise, resolve, reject } = Promise.withResolvers<Verified>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  worker.on('message', (news: VerifyNews) => {
    if ('done' in news) onProgress(news.done)
    else resolve(news.verified)
  })
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the thread that reads the backup has ended')))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
    await endsWithin(END_LIMIT_MS, worker.terminate())
  }
}
