import { request } from 'node:http'
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

export async function askOr<Result>(
  { DATA_DIR }: Config,
  { path, body, stopped }: Question<Result>
): Promise<Result> {
  return retryInUse(async () => {
    const answer = await askRunning(DATA_DIR, path, body)
    return answer ? resultOf<Result>(answer) : stopped()
  })
}

/** Tries again while a platform starts or stops. */
export async function retryInUse<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + START_LIMIT_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof InUse) || performance.now() >= deadline) throw error
    }
    await wait(TRY_EVERY_MS)
  }
}

/** Undefined: no platform listens. */
async function askRunning(
  dataDir: string,
  path: string,
  body: object
): Promise<Answer | undefined> {
  try {
    const socketPath = findPlace(dataDir)
    return socketPath === undefined ? undefined : await send(socketPath, path, body)
  } catch (error) {
    if (noListener(error as NodeJS.ErrnoException, dataDir)) return undefined
    const { message } = error as Error
    const why = isLate(error as Error)
      ? `within ${ANSWER_LIMIT_MS / SECOND} seconds: it hangs or is overloaded`
      : `(${message})`
    throw new Error(`the running Caracal did not answer ${why}`)
  }
}

/** Whether nobody listens on the socket. Throws if this user may not ask. */
export function noListener({ code }: NodeJS.ErrnoException, dataDir: string): boolean {
  if (code === 'EACCES' || code === 'EPERM') {
    throw new Error(
      `CARACAL_DATA_DIR ${dataDir} belongs to another user: run this command as that user or as root`
    )
  }
  // A process that was killed leaves its socket. No directory: nothing has run here.
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTDIR'
}

/** The request and its answer name the end of their time differently. */
const isLate = ({ name, cause }: Error): boolean =>
  name === 'TimeoutError' || (cause instanceof Error && cause.name === 'TimeoutError')

function send(socketPath: string, path: string, body: object): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = JSON.stringify(body)
  const asked = request(
    {
      ...{ socketPath, path, method: 'POST', agent: false },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS)
    },
    (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    }
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

export function resultOf<Result>({ status, body }: Answer): Result {
  if (status === 404) {
    throw new Error('the running Caracal has another version and does not know this command')
  }
  const result = JSON.parse(body) as Result & { message?: string }
  if (status !== 200) throw new Error(result.message ?? `the answer was ${status}`)
  return result
}
