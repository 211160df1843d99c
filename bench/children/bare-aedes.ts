import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Aedes } from 'aedes'
import { answerWith } from '../child.ts'

/** The floor of ingest: the same broker, which stores nothing and so promises nothing. */
answerWith(async () => {
  const broker = await Aedes.createBroker()
  const server = createServer({ noDelay: true }, broker.handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
})
