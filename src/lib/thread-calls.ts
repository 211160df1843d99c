import type { MessagePort, Transferable, Worker } from 'node:worker_threads'
import { giveBackAtRest } from './give-back.ts'

type Method = (...args: never[]) => unknown
export type Methods<Target> = { [Name in keyof Target]: Method }
/** A method may end with an AbortSignal: the thread adds it, and it fires when the caller gives up. */
export type ArgsOf<Call extends Method> =
  Parameters<Call> extends [...infer Args, AbortSignal] ? Args : Parameters<Call>

type Question = { id: number; method: PropertyKey; args: readonly unknown[] } | { cancel: number }
/** An error keeps only its name, message and stack on its way between threads. */
type Answer = { id: number; answer: unknown } | { id: number; error: unknown; code?: unknown }
type Waiting = { resolve: (answer: never) => void; reject: (error: unknown) => void }

export type CallOptions = { transfer?: Transferable[]; signal?: AbortSignal | undefined }
export type ThreadOptions = {
  /** As in "the history thread has ended". */
  name: string
  /** Says what the damage of a file means. */
  explain?: ((error: Error) => Error) | undefined
}

/** The id under which a thread answers that it has opened what it works on. */
const READY = 0

/** Calls the methods of `Target` in a worker thread, which answers them with `answerCalls`. */
export class ThreadCalls<Target extends Methods<Target>> {
  readonly #worker: Worker
  readonly #name: string
  readonly #explain: (error: Error) => Error
  readonly #waiting = new Map<number, Waiting>()
  readonly #ready: Promise<void>
  readonly #ended: Promise<unknown>
  #lastId = READY
  #end: Error | undefined
  #damage: Error | undefined

  constructor(worker: Worker, { name, explain = (error) => error }: ThreadOptions) {
    this.#worker = worker
    this.#name = name
    this.#explain = explain
    this.#ended = new Promise((resolve) => worker.once('exit', resolve))
    const { promise, ...ready } = Promise.withResolvers<void>()
    // A thread that cannot start fails each call, too.
    promise.catch(() => {})
    this.#ready = promise
    this.#waiting.set(READY, ready)
    let cause: unknown
    worker.on('message', (answer: Answer) => this.#settle(answer))
    worker.once('error', (error) => {
      cause = error
    })
    worker.once('exit', () => {
      this.#fail(explain(this.#endOf(cause)))
    })
  }

  /** Rejects when the thread cannot open what it works on. */
  ready(): Promise<void> {
    return this.#ready
  }

  /** Why its answers cannot be relied on: the thread has ended, or its file is damaged. */
  get failure(): Error | undefined {
    return this.#damage ?? this.#end
  }

  call<Name extends keyof Target>(
    method: Name,
    args: ArgsOf<Target[Name]>,
    { transfer = [], signal }: CallOptions = {}
  ): Promise<Awaited<ReturnType<Target[Name]>>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#end) return reject(this.#end)
      const id = ++this.#lastId
      const abandon = () => {
        this.#waiting.delete(id)
        this.#post({ cancel: id })
        reject(signal?.reason)
      }
      const settled = () => signal?.removeEventListener('abort', abandon)
      signal?.addEventListener('abort', abandon, { once: true })
      this.#waiting.set(id, {
        resolve: (answer) => {
          settled()
          resolve(answer)
        },
        reject: (error) => {
          settled()
          reject(error)
        }
      })
      this.#post({ id, method, args }, transfer)
    })
  }

  /** Calls `close` of the target, behind everything that was called before, and ends the thread. */
  async close(): Promise<void> {
    if (this.#end === undefined) {
      const closed = this.call('close' as keyof Target, [] as never)
      this.#end = new Error(`the ${this.#name} is closed`)
      await closed
    }
    await this.#ended
  }

  #post(question: Question, transfer: Transferable[] = []): void {
    this.#worker.postMessage(question, transfer)
  }

  #settle(answer: Answer): void {
    const call = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) call?.reject(this.#explained(withCode(answer.error, answer.code)))
    else call?.resolve(answer.answer as never)
  }

  /** Damage stays, while other parts of the file may still be read. */
  #explained(error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const explained = this.#explain(error)
    if (explained !== error) this.#damage ??= explained
    return explained
  }

  #endOf(cause: unknown): Error {
    const what = this.#waiting.has(READY) ? 'cannot be opened' : 'thread has ended'
    const why = cause instanceof Error ? `: ${cause.message}` : ''
    return new Error(`the ${this.#name} ${what}${why}`, { cause })
  }

  #fail(error: Error): void {
    this.#end ??= error
    for (const call of this.#waiting.values()) call.reject(error)
    this.#waiting.clear()
  }
}

/**
 * The side of the thread: answers calls until `close`, which aborts those under way. Methods that return a promise run side by
 * side. `handedOver` names the parts of an answer that are moved instead of copied.
 */
export function answerCalls(
  port: MessagePort,
  target: { close(): unknown },
  handedOver: (answer: unknown) => Transferable[] = () => []
): void {
  const running = new Map<number, { controller: AbortController; done: Promise<void> }>()
  port.postMessage({ id: READY, answer: undefined } satisfies Answer)
  giveBackAtRest()
  port.on('message', async (question: Question) => {
    if ('cancel' in question) return running.get(question.cancel)?.controller.abort()
    const { id, method } = question
    if (method === 'close') await endAll()
    const controller = new AbortController()
    const done = answer(question, controller.signal)
    running.set(id, { controller, done })
    await done
    running.delete(id)
    if (method === 'close') port.close()
  })

  async function answer(
    { id, method, args }: Exclude<Question, { cancel: number }>,
    signal: AbortSignal
  ): Promise<void> {
    try {
      const returned = Reflect.get(target, method).apply(target, [...args, signal])
      // What is there at once is answered at once, before the next message is read.
      const answer = returned instanceof Promise ? await returned : returned
      port.postMessage({ id, answer } satisfies Answer, handedOver(answer))
    } catch (error) {
      port.postMessage({ id, error, code: codeOf(error) } satisfies Answer)
    }
  }

  async function endAll(): Promise<void> {
    for (const { controller } of running.values()) controller.abort()
    await Promise.all([...running.values()].map(({ done }) => done))
  }
}

/** The code of the system or of a server, as in `ECONNREFUSED`. */
const codeOf = (error: unknown): unknown =>
  // The code of an AbortError is not its own, and cannot be set.
  error instanceof Error && Object.hasOwn(error, 'code') ? Reflect.get(error, 'code') : undefined

const withCode = (error: unknown, code: unknown): unknown =>
  error instanceof Error && code !== undefined ? Object.assign(error, { code }) : error
