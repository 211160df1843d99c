import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ThreadCalls } from '../lib/thread-calls.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import { endsWithin, within } from '../lib/within.ts'
import { partialName } from './names.ts'
import { BackupFault } from './place.ts'
import type { Servers } from './servers.ts'
import { type BackupWork, type Made, type Plan, stagingOf } from './work.ts'

/** The parts are copied within this time. Removals wait for it. */
const COPY_LIMIT_MS = 10 * MINUTE
/** A thread that is stopped gets so long to end. */
const END_LIMIT_MS = 5 * SECOND
/** The copies are about so much of the work. */
const COPIES_SHARE = 0.2

export type Backup = Made & {
  /** How long removals had to wait, and how far a write-ahead log grew meanwhile. */
  held_ms: number
  log_bytes: number
}

export type Making = {
  plan: Plan
  /** While it runs, nothing is removed from history. */
  hold: <T>(work: () => Promise<T>) => Promise<T>
  /** Contents of files stay until the answer is called. */
  holdFiles: () => () => void
  readServers: () => Promise<Servers>
  /** Gets the finished part, 0 to 1. */
  onProgress: (done: number) => void
  signal: AbortSignal
}

/** [ADR-0050] Makes a backup: all of it, or nothing. */
export async function makeBackup(making: Making): Promise<Backup> {
  const { plan, holdFiles, onProgress, signal } = making
  signal.throwIfAborted()
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: plan })
  const thread = new ThreadCalls<BackupWork>(worker, { name: 'backup' })
  const stopped = whenAborted(signal)
  const orStopped = <T>(work: Promise<T>): Promise<T> => Promise.race([work, stopped.promise])
  let name: string | undefined
  let releaseFiles: (() => void) | undefined
  try {
    name = await orStopped(thread.call('begin', []))
    onProgress(0)
    releaseFiles = holdFiles()
    const copied = await copyParts(making, thread, orStopped)
    onProgress(COPIES_SHARE)
    const total = await orStopped(thread.call('prepare', []))
    let done = 0
    for (;;) {
      const bytes = await orStopped(thread.call('collect', []))
      if (bytes === undefined) break
      done += bytes
      const share = total === 0 ? 1 : Math.min(1, done / total)
      onProgress(COPIES_SHARE + share * (0.99 - COPIES_SHARE))
    }
    const servers = await orStopped(making.readServers())
    const made = await orStopped(thread.call('finish', [servers]))
    onProgress(1)
    return { ...made, ...copied }
  } finally {
    releaseFiles?.()
    stopped.forget()
    const closed = thread.close().catch(() => {})
    if (!(await endsWithin(END_LIMIT_MS, closed)))
      await endsWithin(END_LIMIT_MS, worker.terminate())
    // What a thread that was ended by force could not remove. A later backup removes it, too.
    await rm(stagingOf(plan.dataDir), { recursive: true, force: true }).catch(() => {})
    if (name !== undefined) {
      const partial = join(plan.directory, partialName(name))
      await rm(partial, { recursive: true, force: true }).catch(() => {})
    }
  }
}

/**
 * Spool, history, queue, registry, in this order and while nothing is removed. A value that leaves
 * the spool after the first copy is in the second one too, and the registry knows every id that
 * the others have seen.
 */
async function copyParts(
  { plan, hold }: Making,
  thread: ThreadCalls<BackupWork>,
  orStopped: <T>(work: Promise<T>) => Promise<T>
): Promise<Pick<Backup, 'held_ms' | 'log_bytes'>> {
  const has = (part: Plan['parts'][number]) => plan.parts.includes(part)
  const late = () =>
    new BackupFault(
      `the parts could not be copied within ${COPY_LIMIT_MS / MINUTE} minutes: the disk of CARACAL_DATA_DIR is too slow`
    )
  let [heldMs, logBytes] = [0, 0]
  const copyAll = async () => {
    const began = performance.now()
    const copies = [
      await thread.call('copySpool', []),
      ...(has('history') ? [await thread.call('copyHistory', [])] : []),
      ...(has('queue') ? [await thread.call('copyQueue', [])] : []),
      ...(has('registry') ? [await thread.call('copyRegistry', [])] : [])
    ]
    await thread.call('raiseLastId', [])
    heldMs = Math.round(performance.now() - began)
    logBytes = Math.max(...copies.map((copy) => copy.logBytes))
  }
  await orStopped(hold(() => within(COPY_LIMIT_MS, orStopped(copyAll()), late)))
  return { held_ms: heldMs, log_bytes: logBytes }
}

function whenAborted(signal: AbortSignal): { promise: Promise<never>; forget: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const abort = () => reject(new BackupFault('the backup was stopped before it was complete'))
  signal.addEventListener('abort', abort, { once: true })
  return { promise, forget: () => signal.removeEventListener('abort', abort) }
}
