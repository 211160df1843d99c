import assert from 'node:assert/strict'
import { Agent, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { sendJsonBytes } from '../../src/http/json-text.ts'
import { eventually } from '../support/eventually.ts'
import { slow } from '../support/rounds.ts'

const PARTS = 16
const LONG_PART = 512 * 1024
const SHORT_PART = 90 * 1024

test(
  'an answer arrives whole on a kept connection, and its memory is given back',
  slow,
  async (t) => {
    const sent: Uint8Array[][] = []
    // Long parts are sent as they are, and short ones together.
    const lengthOf = (round: number, place: number) =>
      [LONG_PART, SHORT_PART, place % 3 === 0 ? LONG_PART : SHORT_PART][round % 3] ?? 0
    const app = fastify()
    app.get('/', (_request, reply) => {
      const parts = Array.from({ length: PARTS }, (_, i) =>
        new Uint8Array(lengthOf(sent.length, i)).fill(0x30 + ((sent.length + i) % 10))
      )
      sent.push(parts)
      return sendJsonBytes(reply, '[', parts, ']')
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(async () => {
      agent.destroy()
      await app.close()
    })
    const { port } = app.server.address() as AddressInfo
    const ask = () =>
      new Promise<IncomingMessage>((resolve, reject) =>
        get({ port, agent, host: '127.0.0.1' }, resolve).on('error', reject)
      )

    for (let round = 0; round < 3; round++) {
      const texts: Buffer[] = []
      for await (const chunk of await ask()) texts.push(chunk)
      const digits = Array.from({ length: PARTS }, (_, i) =>
        String((round + i) % 10).repeat(lengthOf(round, i))
      )
      assert(Buffer.concat(texts).toString('latin1') === `[${digits.join()}]`, `round ${round}`)
    }
    await eventually(() => assert(sent.flat().every(({ byteLength }) => byteLength === 0)))

    // Of an answer that nobody reads, the system may still be writing a part.
    const unread = await ask()
    unread.destroy()
    await eventually(() => assert.equal(app.server.listening && sent.length, 4))
    for await (const chunk of await ask()) assert(chunk.length > 0)
  }
)
