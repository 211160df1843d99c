import { X509Certificate } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { createServer, type TLSSocket, Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import { SECOND } from '../lib/unix-time.ts'

type Pair = { cert: Buffer; key: Buffer }

export type Tls = {
  current: Pair
  /** When the certificate ends, in Unix milliseconds. */
  readonly expires: number
  /** Keeps the server's certificate current. */
  serve(server: HttpServer | TlsServer): void
  createServer(onConnection: (socket: TLSSocket) => void): TlsServer
  close(): void
}

/**
 * The certificate of every TLS listener. It is read again when a file changes; connections stay
 * open.
 */
export function openTls(config: Config, log: Logger): Tls | undefined {
  const { TLS_CERT_PATH: certPath, TLS_KEY_PATH: keyPath } = config
  if (certPath === '') return undefined
  const read = (): Pair => ({ cert: readFileSync(certPath), key: readFileSync(keyPath) })
  const servers: TlsServer[] = []
  const tls: Tls = {
    current: check(read),
    get expires() {
      return Date.parse(new X509Certificate(tls.current.cert).validTo)
    },
    serve: (server) => {
      if (server instanceof TlsServer) servers.push(server)
    },
    createServer(onConnection) {
      const server = createServer(tls.current, onConnection)
      servers.push(server)
      return server
    },
    close: () => {
      for (const path of [certPath, keyPath]) unwatchFile(path, renew)
    }
  }
  const renew = () => {
    try {
      tls.current = check(read)
      for (const server of servers) server.setSecureContext(tls.current)
      log.info('the TLS certificate was read again')
    } catch (err) {
      log.error({ err }, 'the new TLS certificate cannot be used; the old one stays')
    }
  }
  for (const path of [certPath, keyPath]) watchFile(path, { interval: SECOND }, renew)
  return tls
}

/** Checks that certificate and key fit, before the first client does. */
function check(read: () => Pair): Pair {
  try {
    const pair = read()
    createServer(pair).close()
    return pair
  } catch (error) {
    throw new ConfigError(`CARACAL_TLS_CERT_PATH: cannot be used (${(error as Error).message})`)
  }
}
