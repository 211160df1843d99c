import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { explainDamage } from '../../../lib/storage-fault.ts'
import { ThreadCalls } from '../../../lib/thread-calls.ts'
import type {
  Change,
  Contents,
  QueueLimits,
  Read,
  ReadKind,
  Reads,
  SessionLimits
} from './changes.ts'
import { Queue, type Unit } from './queue.ts'
import type { SessionFile } from './worker.ts'

const MIB = 1024 * 1024
export const sessionDefaults: SessionLimits = {
  sessionsPerOwner: 1000,
  filtersPerConnection: 1000,
  filtersPerOwner: 20_000
}
const queueDefaults: QueueLimits = { messages: 10_000, bytes: 64 * MIB, ownerBytes: 1024 * MIB }

/**
 * Sessions, queues, retained messages and wills, in a SQLite file that a thread writes. While one
 * commit runs, the next group is collected. So a write waits for commits and never for a timer.
 * Groups are small, so that the wait is short.
 */
export class Store {
  /** The read begins at once, so that it runs while other engines open. */
  readonly contents: Promise<Contents>
  /** Called with the number of messages that full queues lost. */
  onDropped: (messages: number) => void = noop
  readonly #thread: ThreadCalls<SessionFile>
  readonly #queue = new Queue()
  #isCommitting = false
  #lastError: Error | undefined

  constructor(
    dataDir: string,
    { now, limits }: { now: number; limits?: Partial<QueueLimits & SessionLimits> | undefined }
  ) {
    const file = join(dataDir, 'mqtt.sqlite')
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { file, limits: { ...queueDefaults, ...sessionDefaults, ...limits } }
    })
    const lost = 'MQTT sessions, queued and retained messages are lost'
    const explain = (error: Error) => explainDamage(error, file, lost)
    this.#thread = new ThreadCalls(worker, { name: 'MQTT session', explain })
    this.contents = this.read('contents', { now })
    this.contents.then(({ sessions }) => this.#queue.restore(sessions), noop)
  }

  /** Set if the thread has ended or its last commit has failed. */
  get failure(): Error | undefined {
    return this.#thread.failure ?? this.#lastError
  }

  /**
   * Resolves when the changes would survive kill -9. Several changes are written all or none. The
   * caller need not wait: a rejection does not end the process.
   */
  write(...changes: Change[]): Promise<void> {
    const written = this.#add(changes).then(noop)
    written.catch(noop)
    return written
  }

  read<Kind extends ReadKind>(
    kind: Kind,
    asks: Reads[Kind]['asks']
  ): Promise<Reads[Kind]['answer']> {
    return this.#add([], { kind, ...asks } as Read) as Promise<Reads[Kind]['answer']>
  }

  /** Resolves when all earlier writes are on disk. */
  async close(): Promise<void> {
    while (!this.#queue.isEmpty || this.#isCommitting) await this.read('totals', {}).catch(noop)
    await this.#thread.close()
  }

  #add(changes: Change[], read?: Read): Promise<unknown> {
    // Wait for one round of the event loop, so that changes that come together share a commit.
    if (this.#queue.isEmpty && !this.#isCommitting) setImmediate(() => void this.#commit())
    const { promise } = this.#queue.add(changes, read).settled
    promise.catch(noop)
    return promise
  }

  async #commit(): Promise<void> {
    if (this.#isCommitting) return
    this.#isCommitting = true
    while (!this.#queue.isEmpty) await this.#commitGroup(this.#queue.take())
    this.#isCommitting = false
  }

  async #commitGroup(units: Unit[]): Promise<void> {
    const changes = units.flatMap((unit) => unit.changes)
    const asking = units.filter(({ read }) => read)
    const reads = asking.flatMap(({ read }) => read ?? [])
    try {
      const { error, dropped, answers } = await this.#thread.call('commitGroup', [
        { changes, reads }
      ])
      if (dropped > 0) this.onDropped(dropped)
      if (error || changes.length > 0) this.#lastError = error
      for (const { read, settled } of units) {
        if (error && !read) settled.reject(error)
        else if (!read) settled.resolve(undefined)
      }
      for (const [i, answer] of answers.entries()) {
        if ('error' in answer) asking[i]?.settled.reject(answer.error)
        else asking[i]?.settled.resolve(answer.value)
      }
    } catch (error) {
      for (const { settled } of units) settled.reject(error)
    }
  }
}

/** A copy, because the thread would get a view together with its whole buffer. */
export const bytesOf = (payload: Uint8Array): Uint8Array => new Uint8Array(payload)

function noop(): void {}
