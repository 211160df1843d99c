import type { Worker } from 'node:worker_threads'
import {
  type ArgsOf,
  type CallOptions,
  type Methods,
  ThreadCalls,
  type ThreadOptions
} from '../../lib/thread-calls.ts'

export type LaneOptions = Pick<ThreadOptions, 'explain'> & { cancelled?: Int32Array }
type Turn = {
  begin: () => Promise<unknown>
  resolve: (answer: never) => void
  reject: (error: unknown) => void
  isAbandoned: boolean
}

/**
 * A worker thread that answers one call after another. Calls wait on this side, so a call that is
 * aborted before its turn is never sent. A call under way sees `cancelled` change, if the thread
 * shares it and looks.
 */
export class WorkerLane<Target extends Methods<Target>> {
  readonly #thread: ThreadCalls<Target>
  readonly #cancelled: Int32Array | undefined
  readonly #waiting: Turn[] = []
  #running: Turn | undefined
  #isClosing = false

  constructor(worker: Worker, { cancelled, explain }: LaneOptions = {}) {
    this.#thread = new ThreadCalls(worker, { name: 'history', explain })
    this.#cancelled = cancelled
    // Busy until the thread has opened what it works on.
    const begin = () => this.#thread.ready()
    this.#running = { begin, resolve() {}, reject() {}, isAbandoned: false }
    this.#run(this.#running)
  }

  /** Rejects when the thread cannot start; to be awaited before the first call. */
  ready(): Promise<void> {
    return this.#thread.ready()
  }

  call<Name extends keyof Target>(
    method: Name,
    args: ArgsOf<Target[Name]>,
    { transfer = [], signal }: CallOptions = {}
  ): Promise<Awaited<ReturnType<Target[Name]>>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#isClosing) return reject(new Error('History is closed'))
      const turn: Turn = {
        ...{ isAbandoned: false, resolve, reject },
        begin: () =>
          this.#thread
            .call(method, args, { transfer })
            .finally(() => signal?.removeEventListener('abort', abandon))
      }
      const abandon = () => {
        turn.isAbandoned = true
        if (this.#running === turn) this.#markCancelled(true)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abandon, { once: true })
      this.#waiting.push(turn)
      this.#runNext()
    })
  }

  /** Why its answers cannot be relied on: the thread has ended, or its file is damaged. */
  get failure(): Error | undefined {
    return this.#thread.failure
  }

  /** How many calls are under way or wait. */
  get load(): number {
    const waiting = this.#waiting.filter(({ isAbandoned }) => !isAbandoned)
    return waiting.length + (this.#running ? 1 : 0)
  }

  /** Finishes what was called before, then ends the thread. */
  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#isClosing = true
      const begin = () => this.#thread.close()
      this.#waiting.push({ begin, resolve: () => resolve(), reject, isAbandoned: false })
      this.#runNext()
    })
  }

  #runNext(): void {
    if (this.#running) return
    do this.#running = this.#waiting.shift()
    while (this.#running?.isAbandoned)
    if (this.#running) this.#run(this.#running)
  }

  #run(turn: Turn): void {
    this.#markCancelled(false)
    // The lane is free before the caller goes on, so that its next call finds it free.
    const ended = () => {
      this.#running = undefined
      this.#runNext()
    }
    turn.begin().then(
      (answer) => {
        ended()
        turn.resolve(answer as never)
      },
      (error) => {
        ended()
        turn.reject(error)
      }
    )
  }

  #markCancelled(isCancelled: boolean): void {
    if (this.#cancelled) Atomics.store(this.#cancelled, 0, isCancelled ? 1 : 0)
  }
}
