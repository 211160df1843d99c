import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { eventually } from './eventually.ts'

/** Reads and ignores the data, so that only the work of the broker is measured. */
export async function lightClient(t: TestContext, port: number, ...first: Buffer[]) {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  const heads: Buffer[] = []
  socket.on('data', (chunk) => {
    if (heads.length < 100) heads.push(Buffer.from(chunk.subarray(0, 65_536)))
  })
  await once(socket, 'connect')
  socket.write(Buffer.concat(first))
  const hex = () => Buffer.concat(heads.slice(0, 20)).toString('hex')
  await eventually(() => assert.match(hex(), /^2002/))
  return { socket, hex, send: (...packets: Buffer[]) => socket.write(Buffer.concat(packets)) }
}
