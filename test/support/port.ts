import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give out by themselves, so nobody gets one while its server is away. */
const [FIRST, COUNT] = [10_000, 20_000]

/** For a server that must come back under the same port. */
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
