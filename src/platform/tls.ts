import { X509Certificate } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { createServer, Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import { certificatesIn, fingerprintOf } from '../lib/certificate-chain.ts'
import { SECOND } from '../lib/unix-time.ts'
import { type OnTlsConnection, TlsListener } from './tls-listener.ts'

type Pair = { cert: Buffer; key: Buffer }

export type Tls = {
  current: Pair
  /** When the certificate ends, in Unix milliseconds. */
  readonly expires: number
  /** Of CARACAL_TLS_CLIENT_CA_PATH. */
  readonly authorities: readonly X509Certificate[]
  /** Accepts client certificates of the platform's own authority too. */
  trustOwn(pem: string): void
  /** Keeps the server's certificate current. */
  serve(server: HttpServer | TlsServer): void
  createServer(onConnection: OnTlsConnection): Server
  close(): void
}

const MAX_AUTHORITIES = 100

/**
 * The certificate of every TLS listener, and the authorities of clients. They are read again when a
 * file changes; connections stay open.
 */
export function openTls(config: Config, log: Logger): Tls | undefined {
  const { TLS_CERT_PATH: certPath, TLS_KEY_PATH: keyPath, TLS_CLIENT_CA_PATH: caPath } = config
  if (certPath === '') return undefined
  const read = (): Pair => ({ cert: readFileSync(certPath), key: readFileSync(keyPath) })
  const servers: TlsServer[] = []
  const listeners: TlsListener[] = []
  let authorities = readAuthorities(caPath)
  let own: string | undefined
  const tls: Tls = {
    current: check(read),
    get expires() {
      return Date.parse(new X509Certificate(tls.current.cert).validTo)
    },
    get authorities() {
      return authorities
    },
    trustOwn(pem) {
      if (own === pem) return
      own = pem
      for (const listener of listeners) listener.renew()
    },
    serve: (server) => {
      if (server instanceof TlsServer) servers.push(server)
    },
    createServer(onConnection) {
      const identity = () => ({
        ...tls.current,
        authorities: [...authorities.map(String), ...(own ? [own] : [])]
      })
      const listener = new TlsListener(identity, onConnection)
      listeners.push(listener)
      return listener.server
    },
    close: () => {
      for (const path of [certPath, keyPath]) unwatchFile(path, renew)
      if (caPath !== '') unwatchFile(caPath, renewAuthorities)
    }
  }
  const renew = () => {
    try {
      tls.current = check(read)
      for (const server of servers) server.setSecureContext(tls.current)
      for (const listener of listeners) listener.renew()
      log.info('the TLS certificate was read again')
    } catch (err) {
      log.error({ err }, 'the new TLS certificate cannot be used; the old one stays')
    }
  }
  const renewAuthorities = () => {
    try {
      const before = authorities
      authorities = readAuthorities(caPath)
      const now = new Set(authorities.map(fingerprintOf))
      for (const listener of listeners) {
        listener.renew()
        if (before.some((one) => !now.has(fingerprintOf(one)))) listener.endCertified()
      }
      log.info('the authorities of client certificates were read again')
    } catch (err) {
      log.error({ err }, 'the new authorities of clients cannot be used; the old ones stay')
    }
  }
  for (const path of [certPath, keyPath]) watchFile(path, { interval: SECOND }, renew)
  if (caPath !== '') watchFile(caPath, { interval: SECOND }, renewAuthorities)
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

/** The authorities of clients in a file; none without a file. */
export function readAuthorities(path: string): X509Certificate[] {
  if (path === '') return []
  const wrong = (why: string) =>
    new ConfigError(`CARACAL_TLS_CLIENT_CA_PATH: cannot be used (${why})`)
  let pem: string
  try {
    pem = readFileSync(path, 'utf8')
  } catch (error) {
    throw wrong((error as Error).message)
  }
  const found = certificatesIn(pem, MAX_AUTHORITIES)
  if (!found) throw wrong(`it must have 1 to ${MAX_AUTHORITIES} certificates as PEM`)
  const other = found.findIndex(({ ca }) => !ca)
  if (other >= 0) throw wrong(`certificate ${other + 1} is not of an authority`)
  return found
}
