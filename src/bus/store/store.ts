import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { explainDamage } from '../../lib/storage-fault.ts'
import type {
  Change,
  Contents,
  Group,
  GroupAnswer,
  KeepLimits,
  QueueLimits,
  Read,
  ReadKind,
  Reads
} from './changes.ts'
import { Queue, type Unit } from './queue.ts'

const MIB = 1024 * 1024
export const keepDefaults: KeepLimits = {
  sessionsPerOwner: 1000,
  filtersPerConnection: 1000,
  filtersPerOwner: 20_000
}
const queueDefaults: QueueLimits = { messages: 10_000, bytes: 64 * MIB, ownerBytes: 1024 * MIB }

/**
 * Sessions, queues, retained messages and wills in a SQLite file of their own, written by a thread
 * of its own. While one commit runs the next group gathers: the wait is one fsync, never a timer,
 * and a group is small, so that it is never long.
 */
export class Store {
  /** Asked for at once, so that it is read while other engines open. */
  readonly contents: Promise<Contents>
  /** Called with the number of messages that queues lost over their limits. */
  onDropped: (messages: number) => void = noop
  readonly #worker: Worker
  readonly #queue = new Queue()
  #answered: PromiseWithResolvers<GroupAnswer> | undefined
  #isCommitting = false
  #failure: Error | undefined
  #lastError: Error | undefined

  constructor(
    dataDir: string,
    { now, limits }: { now: number; limits?: Partial<QueueLimits & KeepLimits> | undefined }
  ) {
    const file = join(dataDir, 'mqtt.sqlite')
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { file, limits: { ...queueDefaults, ...keepDefaults, ...limits } }
    })
    this.#worker.on('message', (answer: GroupAnswer) => this.#answered?.resolve(answer))
    this.#worker.on('error', (error: Error) => {
      const named = new Error(`mqtt.sqlite: ${error.message}`, { cause: error })
      const lost = 'MQTT sessions, queued and retained messages are lost'
      this.#fail(explainDamage(named, file, lost))
    })
    this.#worker.on('exit', () => this.#fail(new Error('the file of MQTT sessions is closed')))
    this.contents = this.read('contents', { now })
    this.contents.then(({ sessions }) => this.#queue.restore(sessions), noop)
  }

  /** The thread ended, or its last commit failed. */
  get failure(): Error | undefined {
    return this.#failure ?? this.#lastError
  }

  /**
   * Resolves when it would survive kill -9; several changes are all on disk then or none. Nobody
   * needs to wait: a failure ends no process.
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

  /** What was written before is on disk then. */
  async close(): Promise<void> {
    while (!this.#queue.isEmpty || this.#isCommitting) await this.read('totals', {}).catch(noop)
    if (this.#failure) return
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.postMessage('close' satisfies Group)
    await exited
  }

  #add(changes: Change[], read?: Read): Promise<unknown> {
    // One turn of the loop, so that what arrived together is committed together.
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
      const { error, dropped, answers } = await this.#ask({ changes, reads })
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

  #ask(group: Group): Promise<GroupAnswer> {
    this.#answered = Promise.withResolvers<GroupAnswer>()
    if (this.#failure) this.#answered.reject(this.#failure)
    else this.#worker.postMessage(group)
    return this.#answered.promise
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#answered?.reject(this.#failure)
  }
}

/** A copy of its own: a view would take everything it was cut from along to the thread. */
export const bytesOf = (payload: Uint8Array): Uint8Array => new Uint8Array(payload)

function noop(): void {}
