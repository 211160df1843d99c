import { constants, type X509Certificate } from 'node:crypto'
import { createServer as createTcpServer, type Server } from 'node:net'
import { createServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import type { ClientCertificate } from '../bus/bus.ts'
import { fingerprintOf, isForClients } from '../lib/certificate-chain.ts'

export type OnTlsConnection = (socket: TLSSocket, certificate?: ClientCertificate) => void
export type TlsIdentity = {
  cert: Buffer
  key: Buffer
  /** PEM. Without any, clients are not asked for a certificate. */
  authorities: readonly string[]
}

/** What OpenSSL says about a certificate. */
const faults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate is expired',
  CERT_NOT_YET_VALID: 'the certificate is not yet valid',
  INVALID_PURPOSE: 'the certificate is not for clients'
}

/**
 * TLS in front of the broker. A listener of Node cannot begin to ask for certificates, so each
 * change of the identity makes a new TLS server, which gets the connections from then on.
 */
export class TlsListener {
  readonly server: Server
  readonly #identity: () => TlsIdentity
  readonly #onConnection: OnTlsConnection
  /** Connections whose client showed a certificate. */
  readonly #certified = new Set<TLSSocket>()
  #inner: TlsServer

  constructor(identity: () => TlsIdentity, onConnection: OnTlsConnection) {
    this.#identity = identity
    this.#onConnection = onConnection
    this.#inner = this.#make()
    this.server = createTcpServer((socket) => void this.#inner.emit('connection', socket))
  }

  renew(): void {
    this.#inner = this.#make()
  }

  /** After an authority was removed: whoever is still trusted connects again. */
  endCertified(): void {
    for (const socket of this.#certified) socket.destroy()
  }

  #make(): TlsServer {
    const { cert, key, authorities } = this.#identity()
    const asking = {
      ca: [...authorities],
      requestCert: true,
      // The broker refuses the client, so that it can say why.
      rejectUnauthorized: false,
      allowPartialTrustChain: true,
      // A resumed session would bring the answer of an earlier check.
      secureOptions: constants.SSL_OP_NO_TICKET
    }
    const isAsking = authorities.length > 0
    return createServer({ cert, key, ...(isAsking && asking) }, (socket) => {
      const shown = isAsking ? socket.getPeerX509Certificate() : undefined
      if (!shown) return this.#onConnection(socket)
      this.#certified.add(socket)
      socket.once('close', () => this.#certified.delete(socket))
      this.#onConnection(socket, {
        fingerprint: fingerprintOf(shown),
        fault: faultOf(socket, shown)
      })
    })
  }
}

function faultOf(socket: TLSSocket, shown: X509Certificate): string | undefined {
  if (!socket.authorized) {
    // Node sets a code, and its types say an error.
    const code = String(socket.authorizationError)
    return faults[code] ?? `the certificate is not of a known authority (${code})`
  }
  return isForClients(shown) ? undefined : 'the certificate is not for clients'
}
