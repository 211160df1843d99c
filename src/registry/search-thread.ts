import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { PageTooLarge } from '../lib/page-limit.ts'
import type { Question } from './search.ts'
import type { Searcher } from './searcher.ts'

/** To the thread: a search, the end of one, or of them all. */
export type ThreadCall = { id: number; question: Question } | { cancel: number } | 'close'
export type ThreadAnswer = { id: number; text: Uint8Array } | { id: number; error: unknown }

type Waiting = { resolve: (text: Uint8Array) => void; reject: (error: unknown) => void }

/** Searches in a thread of their own. One that breaks fails what it works on; the next search starts another. */
export class SearchThread implements Searcher {
  readonly #file: string
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #lastId = 0

  constructor(file: string) {
    this.#file = file
    this.#start()
  }

  search(question: Question, signal: AbortSignal): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const worker = this.#worker ?? this.#start()
      const id = ++this.#lastId
      const abandon = () => {
        this.#waiting.delete(id)
        worker.postMessage({ cancel: id } satisfies ThreadCall)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abandon, { once: true })
      const done = () => {
        this.#waiting.delete(id)
        signal.removeEventListener('abort', abandon)
      }
      this.#waiting.set(id, {
        resolve: (text) => {
          done()
          resolve(text)
        },
        reject: (error) => {
          done()
          reject(error)
        }
      })
      worker.postMessage({ id, question } satisfies ThreadCall)
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    const ended = once(worker, 'exit')
    worker.postMessage('close' satisfies ThreadCall)
    await ended
  }

  #start(): Worker {
    const url = new URL('./search-worker.ts', import.meta.url)
    const worker = new Worker(url, { workerData: this.#file })
    let cause: unknown
    worker.on('message', (answer: ThreadAnswer) => {
      const call = this.#waiting.get(answer.id)
      if ('text' in answer) call?.resolve(answer.text)
      else call?.reject(answer.error === 'too large' ? new PageTooLarge() : answer.error)
    })
    worker.once('error', (error) => {
      cause = error
    })
    worker.once('exit', () => {
      this.#worker = undefined
      const error = new Error('The search thread has ended', { cause })
      for (const call of this.#waiting.values()) call.reject(error)
    })
    this.#worker = worker
    return worker
  }
}
