import { createServer, connect as dial, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { generate, type IConnectPacket, parser } from 'mqtt-packet'
import { freePort } from './port.ts'

/**
 * A proxy in front of a broker without the plugin. It asks `/broker/mosquitto/user` about every
 * CONNECT, as the plugin does, and then passes the bytes on.
 */
export async function startAskingBroker(
  t: Pick<TestContext, 'after'>,
  { brokerPort, apiPort, key }: { brokerPort: number; apiPort: number; key: string }
): Promise<{ port: number; answers: number[] }> {
  const answers: number[] = []
  const ask = async ({ clientId, username, password }: IConnectPacket): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${apiPort}/broker/mosquitto/user`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ clientid: clientId, username, password: password?.toString() })
    }).catch(() => undefined)
    answers.push(answer?.status ?? 0)
    return answer?.status === 200
  }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const packets = parser({})
    const read: Buffer[] = []
    const listen = (chunk: Buffer) => {
      read.push(chunk)
      packets.parse(chunk)
    }
    socket.on('data', listen)
    packets.once('packet', (packet) => {
      socket.off('data', listen)
      socket.pause()
      const { protocolVersion = 4 } = packet as IConnectPacket
      void ask(packet as IConnectPacket).then((isIn) => {
        if (!isIn) {
          const refusal = { cmd: 'connack', returnCode: 5, reasonCode: 135, sessionPresent: false }
          socket.end(generate(refusal as never, { protocolVersion }))
          return
        }
        const broker = dial(brokerPort, '127.0.0.1')
        sockets.add(broker)
        broker.on('error', () => {})
        for (const chunk of read) broker.write(chunk)
        socket.pipe(broker).pipe(socket)
        socket.on('close', () => broker.destroy())
        broker.on('close', () => socket.destroy())
      })
    })
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port, answers }
}
