import { text } from 'node:stream/consumers'
import type { Config } from '../config.ts'
import { follow, readProgress, resultOf, runningOr } from './ask.ts'
import type { Stopped } from './stopped.ts'

type Question = {
  path: string
  body: object
  /** Takes the finished part, 0 to 1. */
  onProgress: (done: number) => void
  /** Opens the platform when none runs. */
  open: (config: Config) => Promise<Stopped>
}

/** Asks for work that takes long, the running platform or the one that `open` opens. */
export const askLong = <Result>(config: Config, question: Question): Promise<Result> =>
  runningOr<Result>(
    config.DATA_DIR,
    (socketPath) => follow(socketPath, question),
    () => askStopped(config, question)
  )

async function askStopped<Result>(config: Config, question: Question): Promise<Result> {
  const { path, body, onProgress, open } = question
  const stopped = await open(config)
  try {
    const response = await stopped.app.inject({
      ...{ method: 'POST', url: path, payload: body, payloadAsStream: true }
    })
    if (response.statusCode === 200)
      return await readProgress<Result>(response.stream(), onProgress)
    return resultOf<Result>({ status: response.statusCode, body: await text(response.stream()) })
  } finally {
    await stopped.close()
  }
}
