import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A child process that ends with the benchmark. */
export function launch(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return keepUntilExit(
    spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  )
}

/** The process ends at the latest with the benchmark. */
export function keepUntilExit(child: ChildProcess): ChildProcess {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

export const childFile = (name: string): string =>
  fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url))

type Reply<Answer> = { answer: Answer } | { error: string }

/** A separate process that answers one request after the other. */
export class Child<Question extends object, Answer> {
  readonly process: ChildProcess

  constructor(name: string) {
    this.process = keepUntilExit(fork(childFile(name), { serialization: 'advanced' }))
  }

  get pid(): number {
    return this.process.pid ?? 0
  }

  async ask(question: Question): Promise<Answer> {
    const ended = new AbortController()
    const { signal } = ended
    const exited = once(this.process, 'exit', { signal }).then(() => {
      throw new Error(`${this.process.spawnargs.at(-1)} ended`)
    })
    exited.catch(() => {})
    this.process.send(question)
    const [reply] = await Promise.race([once(this.process, 'message', { signal }), exited])
    ended.abort()
    if ('error' in (reply as Reply<Answer>)) throw new Error(reply.error)
    return reply.answer
  }

  stop(): Promise<void> {
    return end(this.process, 'SIGKILL')
  }
}

/** The other side of `Child`, inside the process. */
export function answerWith<Question, Answer>(
  work: (question: Question) => Answer | Promise<Answer>
): void {
  process.on('disconnect', () => process.exit())
  process.on('message', async (question: Question) => {
    try {
      process.send?.({ answer: await work(question) })
    } catch (error) {
      process.send?.({ error: error instanceof Error ? error.stack : String(error) })
    }
  })
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return address && typeof address === 'object' ? address.port : 0
}

/** Milliseconds from `since` until the address answers 200. */
export async function timeUntilReady(
  url: string,
  child: ChildProcess,
  since = performance.now()
): Promise<number> {
  for (;;) {
    const isReady = await fetch(url).then(
      async (response) => {
        await response.arrayBuffer()
        return response.ok
      },
      () => false
    )
    if (isReady) return performance.now() - since
    const isEnded = child.exitCode !== null || child.signalCode !== null
    if (isEnded) throw new Error(`${child.spawnargs.join(' ')} ended`)
    await wait(10)
  }
}
