import { type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/unix-time.ts'
import { findPlace } from '../platform/control/place.ts'
import { InUse, openStopped } from './stopped.ts'

const ANSWER_LIMIT_MS = 15 * SECOND
/** A platform that starts holds its directory for a while before it answers. */
const START_LIMIT_MS = 5 * SECOND
const TRY_EVERY_MS = SECOND / 4
/** The platform says something more often. */
const SILENCE_LIMIT_MS = 30 * SECOND

export type Answer = { status: number; body: string }

type Question<Result> = {
  path: string
  body: object
  /** Answers when no platform runs. */
  stopped: () => Promise<Result>
}

/** Asks the running platform; if none runs, opens its registry and asks there. */
export const ask = <Result>(config: Config, path: string, body: object): Promise<Result> =>
  askOr<Result>(config, { path, body, stopped: () => askStopped(config, path, body) })

export const askOr = <Result>(
  { DATA_DIR }: Config,
  { path, body, stopped }: Question<Result>
): Promise<Result> => {
  const running = async (socketPath: string) => resultOf<Result>(await send(socketPath, path, body))
  return runningOr(DATA_DIR, running, stopped)
}

/** `running` gets the socket of the platform. `stopped` works when none runs. */
export async function runningOr<Result>(
  dataDir: string,
  running: (socketPath: string) => Promise<Result>,
  stopped: () => Promise<Result>
): Promise<Result> {
  const deadline = performance.now() + START_LIMIT_MS
  for (;;) {
    const answer = await askRunning(dataDir, running)
    if (answer) return answer.result
    try {
      return await stopped()
    } catch (error) {
      if (!(error instanceof InUse) || performance.now() >= deadline) throw error
    }
    await wait(TRY_EVERY_MS)
  }
}

/** Undefined: no platform listens. */
async function askRunning<Result>(
  dataDir: string,
  running: (socketPath: string) => Promise<Result>
): Promise<{ result: Result } | undefined> {
  try {
    const socketPath = findPlace(dataDir)
    return socketPath === undefined ? undefined : { result: await running(socketPath) }
  } catch (error) {
    if (error instanceof Refused) throw error
    const { code, message } = error as NodeJS.ErrnoException
    // A process that was killed leaves its socket. No directory: nothing has run here.
    if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES' || code === 'EPERM') {
      throw new Error(
        `CARACAL_DATA_DIR ${dataDir} belongs to another user: run this command as that user or as root`
      )
    }
    const why = isLate(error as Error)
      ? `within ${ANSWER_LIMIT_MS / SECOND} seconds: it hangs or is overloaded`
      : `(${message})`
    throw new Error(`the running Caracal did not answer ${why}`)
  }
}

/** The request and its answer name the end of their time differently. */
const isLate = ({ name, cause }: Error): boolean =>
  name === 'TimeoutError' || (cause instanceof Error && cause.name === 'TimeoutError')

async function send(socketPath: string, path: string, body: object): Promise<Answer> {
  const response = await open(socketPath, path, body, AbortSignal.timeout(ANSWER_LIMIT_MS))
  return { status: response.statusCode ?? 0, body: await text(response) }
}

function open(
  socketPath: string,
  path: string,
  body: object,
  signal: AbortSignal
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = JSON.stringify(body)
  const asked = request(
    {
      ...{ socketPath, path, method: 'POST', agent: false, signal },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
    },
    resolve
  )
  asked.once('error', reject)
  asked.end(sent)
  return promise
}

async function askStopped<Result>(config: Config, path: string, body: object): Promise<Result> {
  const stopped = await openStopped(config)
  try {
    const { statusCode, payload } = await stopped.app.inject({
      ...{ method: 'POST', url: path },
      payload: body
    })
    return resultOf<Result>({ status: statusCode, body: payload })
  } finally {
    await stopped.close()
  }
}

/** The platform has answered that it does not do this. */
class Refused extends Error {}

export function resultOf<Result>({ status, body }: Answer): Result {
  if (status === 404) {
    throw new Refused('the running Caracal has another version and does not know this command')
  }
  const result = JSON.parse(body) as Result & { message?: string }
  if (status !== 200) throw new Refused(result.message ?? `the answer was ${status}`)
  return result
}

/**
 * Asks for something that takes long. The answer is lines of JSON; each one with `progress` is told,
 * and the last one has the result or the error.
 */
export async function follow<Result>(
  socketPath: string,
  { path, body, onProgress }: { path: string; body: object; onProgress: (done: number) => void }
): Promise<Result> {
  // The limit is for the begin of the answer. The work itself may take hours.
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new DOMException('no answer', 'TimeoutError')),
    ANSWER_LIMIT_MS
  )
  const response = await open(socketPath, path, body, late.signal).finally(() =>
    clearTimeout(timer)
  )
  if (response.statusCode !== 200) {
    return resultOf<Result>({ status: response.statusCode ?? 0, body: await text(response) })
  }
  response.setTimeout(SILENCE_LIMIT_MS, () => response.destroy())
  return readProgress<Result>(response, onProgress)
}

type Line<Result> = { progress?: number; result?: Result; error?: string }

/** Reads such an answer to its end. */
export async function readProgress<Result>(
  answer: Readable,
  onProgress: (done: number) => void
): Promise<Result> {
  const broken = new Refused('the running Caracal ended before the work was done')
  try {
    for await (const line of linesOf(answer)) {
      const { progress, result, error } = JSON.parse(line) as Line<Result>
      if (error !== undefined) throw new Refused(error)
      if (progress !== undefined) onProgress(progress)
      if (result === undefined) continue
      onProgress(1)
      return result
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? broken : error
  }
  throw broken
}

/** Unlike `readline`, this ends when the stream breaks. */
async function* linesOf(answer: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
