import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the system chooses, so no other program gets one while its server is down. */
const [FIRST, COUNT] = [10_000, 20_000]

/** For a server that must restart on the same port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
