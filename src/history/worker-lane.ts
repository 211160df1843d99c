import type { MessagePort, Transferable, Worker } from 'node:worker_threads'

type Call = {
  method: PropertyKey
  args: unknown[]
  transfer: Transferable[]
  resolve: (answer: never) => void
  reject: (error: unknown) => void
}
export type Answer = { answer: unknown } | { error: unknown }
type Options = { transfer?: Transferable[]; signal?: AbortSignal | undefined }
export type LaneOptions = {
  cancelled?: Int32Array
  /** What the damage of a file means; it is no longer asked about then. */
  explain?: (error: Error) => Error
}
type Method = (...args: never[]) => unknown

/**
 * A worker thread that answers the methods of `Target`, one call after another. Calls wait on this
 * side, so one that is aborted before its turn is never sent; one under way sees it in `cancelled`,
 * if the thread shares that and looks.
 */
export class WorkerLane<Target extends { [Name in keyof Target]: Method }> {
  readonly #worker: Worker
  readonly #cancelled: Int32Array | undefined
  readonly #ended: Promise<unknown>
  readonly #ready: Promise<void>
  readonly #waiting: Call[] = []
  readonly #explain: (error: Error) => Error
  #damage: Error | undefined
  #running: Call | undefined
  #refusal: Error | undefined

  constructor(worker: Worker, options: LaneOptions = {}) {
    this.#worker = worker
    this.#cancelled = options.cancelled
    this.#explain = options.explain ?? ((error) => error)
    this.#ended = new Promise((resolve) => worker.once('exit', resolve))
    let cause: unknown
    worker.on('message', (answer: Answer) => this.#settle(answer))
    worker.once('error', (error) => {
      cause = error
    })
    worker.once('exit', () => {
      const why = cause instanceof Error ? `: ${cause.message}` : ''
      this.#fail(this.#explain(new Error(`The history thread has ended${why}`, { cause })))
    })
    // Busy until the thread says that it has opened what it works on.
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#ready = promise
    this.#running = { method: 'open', args: [], transfer: [], resolve, reject }
  }

  /** Rejects when the thread cannot start; to be awaited before the first call. */
  ready(): Promise<void> {
    return this.#ready
  }

  call<Name extends keyof Target>(
    method: Name,
    args: Parameters<Target[Name]>,
    { transfer = [], signal }: Options = {}
  ): Promise<Awaited<ReturnType<Target[Name]>>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#refusal) return reject(this.#refusal)
      const abandon = () => {
        const place = this.#waiting.indexOf(call)
        if (place !== -1) this.#waiting.splice(place, 1)
        if (this.#running === call) this.#markCancelled(true)
        reject(signal?.reason)
      }
      const call: Call = {
        method,
        args,
        transfer,
        resolve: (answer) => {
          signal?.removeEventListener('abort', abandon)
          resolve(answer)
        },
        reject: (error) => {
          signal?.removeEventListener('abort', abandon)
          reject(error)
        }
      }
      signal?.addEventListener('abort', abandon, { once: true })
      this.#waiting.push(call)
      this.#sendNext()
    })
  }

  /** Why its answers cannot be relied on: the thread has ended, or its file is damaged. */
  get failure(): Error | undefined {
    return this.#damage ?? this.#refusal
  }

  /** How many calls are under way or wait. */
  get load(): number {
    return this.#waiting.length + (this.#running ? 1 : 0)
  }

  /** Finishes what was called before, then ends the thread. */
  async close(): Promise<void> {
    if (this.#refusal === undefined) {
      this.#refusal = new Error('History is closed')
      const { promise, resolve, reject } = Promise.withResolvers<never>()
      this.#waiting.push({ method: 'close', args: [], transfer: [], resolve, reject })
      this.#sendNext()
      await promise
    }
    await this.#ended
  }

  #sendNext(): void {
    if (this.#running) return
    this.#running = this.#waiting.shift()
    if (this.#running === undefined) return
    this.#markCancelled(false)
    const { method, args, transfer } = this.#running
    this.#worker.postMessage({ method, args }, transfer)
  }

  #markCancelled(isCancelled: boolean): void {
    if (this.#cancelled) Atomics.store(this.#cancelled, 0, isCancelled ? 1 : 0)
  }

  #settle(answer: Answer): void {
    const call = this.#running
    this.#running = undefined
    if ('error' in answer) call?.reject(this.#explained(answer.error))
    else call?.resolve(answer.answer as never)
    this.#sendNext()
  }

  /** Damage stays: other parts of the file may still be read. */
  #explained(error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const explained = this.#explain(error)
    if (explained !== error) this.#damage ??= explained
    return explained
  }

  #fail(error: Error): void {
    this.#refusal ??= error
    const unanswered = this.#running ? [this.#running] : []
    unanswered.push(...this.#waiting.splice(0))
    this.#running = undefined
    for (const call of unanswered) call.reject(error)
  }
}

/** The other side: answers the calls of a lane until `close`. `handedOver`: what of an answer is not copied. */
export function answerCalls(
  port: MessagePort,
  target: { close(): void },
  handedOver: (answer: unknown) => Transferable[] = () => []
): void {
  port.postMessage({ answer: undefined })
  port.on('message', ({ method, args }: Pick<Call, 'method' | 'args'>) => {
    const answer = answerOf(target, method, args)
    port.postMessage(answer, 'answer' in answer ? handedOver(answer.answer) : [])
    if (method === 'close') port.close()
  })
}

function answerOf(target: object, method: PropertyKey, args: unknown[]): Answer {
  try {
    return { answer: Reflect.get(target, method).apply(target, args) }
  } catch (error) {
    return { error }
  }
}
