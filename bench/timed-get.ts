import { Agent, get } from 'node:http'

/** `historyMs` is what Caracal says about itself. */
export type TimedAnswer = { ms: number; historyMs: number; text: () => string }

const agent = new Agent({ keepAlive: true })

/**
 * The time ends with the last byte. The text is decoded later, so that a long answer costs the
 * caller little. It is not compressed, so that nobody pays for what others do not do.
 */
export const timedGet = (url: string, headers: Record<string, string> = {}): Promise<TimedAnswer> =>
  new Promise((resolve, reject) => {
    const start = performance.now()
    get(url, { agent, headers: { 'accept-encoding': 'identity', ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const ms = performance.now() - start
        const text = () => Buffer.concat(chunks).toString()
        if (response.statusCode !== 200) {
          reject(new Error(`${response.statusCode} ${text()}`))
          return
        }
        const timing = /history;dur=([\d.]+)/.exec(String(response.headers['server-timing']))
        resolve({ ms, historyMs: Number(timing?.[1]), text })
      })
    }).on('error', reject)
  })
