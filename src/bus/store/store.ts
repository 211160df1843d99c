import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
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

type Gathering = {
  changes: Change[]
  reads: Read[]
  asked: PromiseWithResolvers<unknown>[]
  stored: PromiseWithResolvers<void>
}

const MIB = 1024 * 1024
export const keepDefaults: KeepLimits = {
  sessionsPerOwner: 1000,
  filtersPerConnection: 1000,
  filtersPerOwner: 20_000
}
const queueDefaults: QueueLimits = { messages: 10_000, bytes: 64 * MIB, ownerBytes: 1024 * MIB }

/**
 * Sessions, queues, retained messages and wills in a SQLite file of their own, written by a thread
 * of its own. While one commit runs the next group gathers: the wait is one fsync, never a timer.
 */
export class Store {
  /** Asked for at once, so that it is read while other engines open. */
  readonly contents: Promise<Contents>
  /** Called with the number of messages that queues lost over their limits. */
  onDropped: (messages: number) => void = noop
  readonly #worker: Worker
  #gathering: Gathering | undefined
  #answered: PromiseWithResolvers<GroupAnswer> | undefined
  #isCommitting = false
  #failure: Error | undefined
  #lastError: Error | undefined

  constructor(
    dataDir: string,
    { now, limits }: { now: number; limits?: Partial<QueueLimits & KeepLimits> | undefined }
  ) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: {
        file: join(dataDir, 'mqtt.sqlite'),
        limits: { ...queueDefaults, ...keepDefaults, ...limits }
      }
    })
    this.#worker.on('message', (answer: GroupAnswer) => this.#answered?.resolve(answer))
    this.#worker.on('error', (error: Error) => {
      this.#fail(new Error(`mqtt.sqlite: ${error.message}`, { cause: error }))
    })
    this.#worker.on('exit', () => this.#fail(new Error('the file of MQTT sessions is closed')))
    this.contents = this.read('contents', { now })
    this.contents.catch(noop)
  }

  /** The thread ended, or its last commit failed. */
  get failure(): Error | undefined {
    return this.#failure ?? this.#lastError
  }

  /** Resolves when it would survive kill -9. Nobody needs to wait: a failure ends no process. */
  write(change: Change): Promise<void> {
    const gathering = this.#gather()
    gathering.changes.push(change)
    return gathering.stored.promise
  }

  read<Kind extends ReadKind>(
    kind: Kind,
    asks: Reads[Kind]['asks']
  ): Promise<Reads[Kind]['answer']> {
    const gathering = this.#gather()
    const asked = Promise.withResolvers<unknown>()
    gathering.reads.push({ kind, ...asks } as Read)
    gathering.asked.push(asked)
    return asked.promise as Promise<Reads[Kind]['answer']>
  }

  /** What was written before is on disk then. */
  async close(): Promise<void> {
    while (this.#gathering || this.#isCommitting) await this.#gather().stored.promise.catch(noop)
    if (this.#failure) return
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.postMessage('close' satisfies Group)
    await exited
  }

  #gather(): Gathering {
    if (!this.#gathering) {
      this.#gathering = {
        changes: [],
        reads: [],
        asked: [],
        stored: Promise.withResolvers<void>()
      }
      this.#gathering.stored.promise.catch(noop)
      // One turn of the loop, so that what arrived together is committed together.
      if (!this.#isCommitting) setImmediate(() => void this.#commit())
    }
    return this.#gathering
  }

  async #commit(): Promise<void> {
    if (this.#isCommitting) return
    this.#isCommitting = true
    while (this.#gathering) {
      const { changes, reads, asked, stored } = this.#gathering
      this.#gathering = undefined
      try {
        const { error, dropped, answers } = await this.#ask({ changes, reads })
        if (dropped > 0) this.onDropped(dropped)
        if (error || changes.length > 0) this.#lastError = error
        if (error) stored.reject(error)
        else stored.resolve()
        for (const [i, answer] of answers.entries()) {
          if ('error' in answer) asked[i]?.reject(answer.error)
          else asked[i]?.resolve(answer.value)
        }
      } catch (error) {
        for (const each of [stored, ...asked]) each.reject(error)
      }
    }
    this.#isCommitting = false
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
