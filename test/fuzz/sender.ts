import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { Wire } from './wire.ts'

/** Every answer must be complete within this time. */
export const PATIENCE_MS = 20_000

export type Answer =
  | { kind: 'answer'; status: number; type: string; retryAfter: string; body: Buffer }
  /** The connection ended without an answer. */
  | { kind: 'closed'; why: string }
  /** We hung up in the middle of the request. */
  | { kind: 'hung up' }
  | { kind: 'silence' }

/** Sends requests over connections that stay open. */
export class Sender {
  readonly #agent: Agent
  readonly #port: number

  constructor(port: number, atOnce: number) {
    this.#port = port
    this.#agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  }

  async send(wire: Wire): Promise<Answer> {
    if (wire.isCut) return this.#sendCut(wire)
    const answer = await this.#sendOnce(wire)
    // The server may close an idle connection in the moment in which the request is sent.
    return answer.kind === 'closed' && answer.why === 'stale' ? this.#sendOnce(wire) : answer
  }

  close(): void {
    this.#agent.destroy()
  }

  #sendOnce({ method, path, headers, body }: Wire): Promise<Answer> {
    return new Promise((resolve) => {
      const sent = request({
        ...{ host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path },
        headers: { ...headers, ...(body && { 'content-length': body.length }) }
      })
      const timer = setTimeout(() => {
        sent.destroy()
        resolve({ kind: 'silence' })
      }, PATIENCE_MS)
      const finish = (answer: Answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      sent.on('error', ({ message }) =>
        finish({ kind: 'closed', why: sent.reusedSocket ? 'stale' : message })
      )
      sent.on('response', (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', ({ message }) => finish({ kind: 'closed', why: message }))
        response.on('end', () =>
          finish({
            kind: 'answer',
            status: response.statusCode ?? 0,
            type: (response.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '',
            retryAfter: response.headers['retry-after'] ?? '',
            body: Buffer.concat(parts)
          })
        )
      })
      sent.end(body)
    })
  }

  /** Promises a longer body than it sends, then hangs up. The server has nobody to answer. */
  async #sendCut({ method, path, headers, body = Buffer.alloc(0) }: Wire): Promise<Answer> {
    const socket = connect(this.#port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}`
    socket.write(`${head}content-length: ${body.length + 100}\r\n\r\n`)
    socket.end(body)
    const timer = setTimeout(() => socket.destroy(new Error('silence')), PATIENCE_MS)
    socket.resume()
    await once(socket, 'close')
    clearTimeout(timer)
    return socket.errored?.message === 'silence' ? { kind: 'silence' } : { kind: 'hung up' }
  }
}
