import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { answerCalls } from '../../src/lib/thread-calls.ts'

const SLICE_BYTES = 16 * 1024

export type Call = {
  url: string
  method: string
  headers: Record<string, string | number>
  body: Uint8Array
}

const caller = {
  /** Sends a body in parts, and reads the answer without keeping it. */
  async send({ url, method, headers, body }: Call): Promise<{ status: number; last: string }> {
    const sending = request(url, { method, headers: { ...headers, 'content-length': body.length } })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    for (let start = 0; start < body.length; start += SLICE_BYTES) {
      if (!sending.write(body.subarray(start, start + SLICE_BYTES))) await once(sending, 'drain')
    }
    sending.end()
    const [answer] = await answered
    let last = ''
    for await (const bytes of answer) last = bytes.subarray(0, 200).toString()
    return { status: answer.statusCode ?? 0, last }
  },
  close() {}
}
export type Caller = typeof caller

if (parentPort) answerCalls(parentPort, caller)
