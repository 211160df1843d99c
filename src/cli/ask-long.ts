import { request } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Config } from '../config.ts'
import { findPlace } from '../platform/control/place.ts'
import { noListener, resultOf, retryInUse } from './ask.ts'
import type { Stopped } from './stopped.ts'

type Question = {
  path: string
  body: object
  /** Takes the finished part, 0 to 1. */
  onProgress: (done: number) => void
  /** Opens the platform when none runs. */
  open: (config: Config) => Promise<Stopped>
}

type Line = { progress?: number; result?: unknown; error?: string }

/** Asks for work that takes long. The answer has a line for each step. */
export const askLong = <Result>(config: Config, question: Question): Promise<Result> =>
  retryInUse(async () => {
    const socketPath = findPlace(config.DATA_DIR)
    if (socketPath !== undefined) {
      try {
        return await askRunning<Result>(socketPath, question)
      } catch (error) {
        if (!noListener(error as NodeJS.ErrnoException, config.DATA_DIR)) throw error
      }
    }
    return askStopped<Result>(config, question)
  })

async function askRunning<Result>(socketPath: string, question: Question): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const sent = JSON.stringify(question.body)
  const asked = request(
    {
      ...{ socketPath, path: question.path, method: 'POST', agent: false },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
    },
    (response) => {
      if (response.statusCode === 200) readLines<Result>(response, question).then(resolve, reject)
      else {
        text(response)
          .then((body) => resultOf<Result>({ status: response.statusCode ?? 0, body }))
          .then(resolve, reject)
      }
    }
  )
  asked.once('error', reject)
  asked.end(sent)
  return promise
}

async function askStopped<Result>(config: Config, question: Question): Promise<Result> {
  const stopped = await question.open(config)
  try {
    const response = await stopped.app.inject({
      ...{ method: 'POST', url: question.path, payload: question.body, payloadAsStream: true }
    })
    if (response.statusCode === 200) return await readLines<Result>(response.stream(), question)
    return resultOf<Result>({ status: response.statusCode, body: await text(response.stream()) })
  } finally {
    await stopped.close()
  }
}

async function readLines<Result>(answer: Readable, { onProgress }: Question): Promise<Result> {
  const silent = new Error('the running Caracal stopped before it was done: nothing is changed')
  try {
    for await (const line of linesOf(answer)) {
      const { progress, result, error } = JSON.parse(line) as Line
      if (progress !== undefined) onProgress(progress)
      if (error !== undefined) throw new Error(error)
      if (result !== undefined) {
        onProgress(1)
        return result as Result
      }
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? silent : error
  }
  throw silent
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
