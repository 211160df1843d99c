import { Worker } from 'node:worker_threads'
import { type ArgsOf, ThreadCalls } from '../../lib/thread-calls.ts'
import { MINUTE } from '../../lib/unix-time.ts'
import type { CertificateWork } from './worker.ts'

/** Certificates are made seldom, so the thread ends after this time without work. */
const IDLE_MS = MINUTE
/** A certificate takes a few milliseconds, so more than these wait for long. */
const MAX_WAITING = 100

/** Makes certificates in a thread, which the first call starts. */
export class CertificateThread {
  #thread: ThreadCalls<CertificateWork> | undefined
  #waiting = 0
  #idle: NodeJS.Timeout | undefined

  get isFull(): boolean {
    return this.#waiting >= MAX_WAITING
  }

  async call<Name extends 'makeAuthority' | 'issue'>(
    method: Name,
    args: ArgsOf<CertificateWork[Name]>
  ): Promise<Awaited<ReturnType<CertificateWork[Name]>>> {
    clearTimeout(this.#idle)
    if (!this.#thread || this.#thread.failure) this.#thread = start()
    this.#waiting++
    try {
      return await this.#thread.call(method, args)
    } finally {
      this.#waiting--
      if (this.#waiting === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.close()
  }
}

const start = (): ThreadCalls<CertificateWork> =>
  new ThreadCalls(new Worker(new URL('./worker.ts', import.meta.url)), { name: 'certificate' })
